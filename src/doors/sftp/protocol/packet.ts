// Lists the constants of SFTP version 3 (draft-ietf-secsh-filexfer-02), and the sizes that clients must keep to.

export const packetType = {
	init: 1,
	version: 2,
	open: 3,
	close: 4,
	read: 5,
	write: 6,
	lstat: 7,
	fstat: 8,
	setstat: 9,
	fsetstat: 10,
	opendir: 11,
	readdir: 12,
	remove: 13,
	mkdir: 14,
	rmdir: 15,
	realpath: 16,
	stat: 17,
	rename: 18,
	readlink: 19,
	symlink: 20,
	status: 101,
	handle: 102,
	data: 103,
	name: 104,
	attrs: 105,
	extended: 200,
	extendedReply: 201,
} as const;

export const statusCode = {
	ok: 0,
	eof: 1,
	noSuchFile: 2,
	permissionDenied: 3,
	failure: 4,
	badMessage: 5,
	unsupported: 8,
} as const;
export type StatusCode = (typeof statusCode)[keyof typeof statusCode];

export const openFlag = { read: 1, write: 2, append: 4, create: 8, truncate: 16, exclusive: 32 } as const;

export const attributeFlag = { size: 1, ownership: 2, permissions: 4, times: 8 } as const;

export const protocolVersion = 3;

/** One READ or WRITE may carry so many bytes, as with OpenSSH: 256 KiB less 1 KiB for the rest of the packet. */
export const maxTransferBytes = 261_120;

/** The longest accepted packet, without its four length bytes: OpenSSH sends up to 256 KiB, some clients more. */
export const maxPacketBytes = 256 * 1024 + 1024;

/** A path may have at most this many bytes, the same as PATH_MAX on Linux. */
export const maxPathBytes = 4096;
