import type { TreeAttributes } from '../../../work/folders/tree.ts';
import {
	attributeFlag,
	maxPacketBytes,
	maxTransferBytes,
	packetType,
	protocolVersion,
	type StatusCode,
} from './packet.ts';

/** One packet to send, as several buffers, so that bytes of a file need not be copied behind its header. */
export type Reply = readonly Buffer[];

const extensions = [
	['posix-rename@openssh.com', '1'],
	['fsync@openssh.com', '1'],
	['statvfs@openssh.com', '2'],
	['fstatvfs@openssh.com', '2'],
	['limits@openssh.com', '1'],
] as const;

const fileTypeBits = { file: 0o100_000, directory: 0o040_000 } as const;
const blockBytes = 4096;
/** A store whose size nobody knows is shown as one of an exbibyte. */
const mostSpaceBytes = 2 ** 60;

export function encodeVersion(): Reply {
	return packet(packetType.version, [uint32(protocolVersion), ...extensions.flat().map(string)]);
}

export function encodeStatus(id: number, code: StatusCode, message: string): Reply {
	return packet(packetType.status, [uint32(id), uint32(code), string(message), string('')]);
}

export function encodeHandle(id: number, handle: number): Reply {
	return packet(packetType.handle, [uint32(id), uint32(4), uint32(handle)]);
}

/** Encodes the answer to a READ: a header, and the bytes of the file as they are. */
export function encodeContent(id: number, bytes: Buffer): Reply {
	const header = Buffer.allocUnsafe(13);
	header.writeUInt32BE(9 + bytes.length, 0);
	header[4] = packetType.data;
	header.writeUInt32BE(id, 5);
	header.writeUInt32BE(bytes.length, 9);
	return [header, bytes];
}

export function encodeAttributes(id: number, attributes: TreeAttributes): Reply {
	return packet(packetType.attrs, [uint32(id), attributeBlock(attributes)]);
}

/** Encodes one entry of a NAME packet. The answer to REALPATH has one entry without attributes. */
export function encodeNameEntry(name: string, longName: string, attributes: TreeAttributes | null): Buffer {
	return Buffer.concat([string(name), string(longName), attributes ? attributeBlock(attributes) : uint32(0)]);
}

export function encodeNames(id: number, entries: readonly Buffer[]): Reply {
	return packet(packetType.name, [uint32(id), uint32(entries.length), ...entries]);
}

/**
 * Encodes the answer to limits@openssh.com. A server that does not answer gets requests of 32 KiB from OpenSSH, an
 * eighth of what is possible.
 */
export function encodeLimits(id: number, maxHandles: number): Reply {
	const values = [maxPacketBytes, maxTransferBytes, maxTransferBytes, maxHandles];
	return packet(packetType.extendedReply, [uint32(id), ...values.map(uint64)]);
}

/**
 * Encodes the answer to statvfs@openssh.com: two block sizes, blocks, free blocks (in all and for the user), files,
 * free files (in all and for the user), id, flags, and the length of the longest name.
 */
export function encodeSpace(id: number, space: { readonly total: number; readonly free: number }): Reply {
	const [total, free] = [space.total, space.free].map((bytes) =>
		Math.floor(Math.min(bytes, mostSpaceBytes) / blockBytes),
	);
	const values = [blockBytes, blockBytes, total, free, free, total, free, free, 0, 0, 255];
	return packet(packetType.extendedReply, [uint32(id), ...values.map(uint64)]);
}

function attributeBlock({ kind, size, mode, modifiedAt }: TreeAttributes): Buffer {
	const seconds = Math.min(Math.max(Math.floor(modifiedAt.getTime() / 1000) || 0, 0), 0xffff_ffff);
	const flags = attributeFlag.size | attributeFlag.ownership | attributeFlag.permissions | attributeFlag.times;
	const block = Buffer.allocUnsafe(32);
	block.writeUInt32BE(flags, 0);
	block.writeBigUInt64BE(BigInt(size), 4);
	block.writeUInt32BE(0, 12);
	block.writeUInt32BE(0, 16);
	block.writeUInt32BE(fileTypeBits[kind] | (mode & 0o7777), 20);
	block.writeUInt32BE(seconds, 24);
	block.writeUInt32BE(seconds, 28);
	return block;
}

function packet(type: number, fields: readonly Buffer[]): Reply {
	let length = 1;
	for (const field of fields) length += field.length;
	const bytes = Buffer.allocUnsafe(4 + length);
	bytes.writeUInt32BE(length, 0);
	bytes[4] = type;
	let at = 5;
	for (const field of fields) at += field.copy(bytes, at);
	return [bytes];
}

function uint32(value: number): Buffer {
	const bytes = Buffer.allocUnsafe(4);
	bytes.writeUInt32BE(value, 0);
	return bytes;
}

function uint64(value: number): Buffer {
	const bytes = Buffer.allocUnsafe(8);
	bytes.writeBigUInt64BE(BigInt(Math.max(0, Math.floor(value))), 0);
	return bytes;
}

function string(text: string): Buffer {
	const bytes = Buffer.allocUnsafe(4 + Buffer.byteLength(text));
	bytes.writeUInt32BE(bytes.length - 4, 0);
	bytes.write(text, 4, 'utf8');
	return bytes;
}
