import type { OpenMode } from '../../../work/folders/tree.ts';
import { ByteReader, MalformedPacket } from './byte-reader.ts';
import { attributeFlag, maxTransferBytes, openFlag, packetType } from './packet.ts';
import { parsePath } from './path.ts';
import type { Request } from './request.ts';

/**
 * Reads the version that a client's INIT names.
 * @throws MalformedPacket if the packet is not an INIT
 */
export function parseInit(packet: Buffer): number {
	const reader = new ByteReader(packet);
	if (reader.byte() !== packetType.init) throw new MalformedPacket('the first packet must be INIT');
	return reader.uint32();
}

/**
 * Reads the request id of a packet, so that even a malformed packet is answered.
 * @throws MalformedPacket if the packet is too short to have one
 */
export function parseRequestId(packet: Buffer): number {
	if (packet.length < 5) throw new MalformedPacket('packet without request id');
	return packet.readUInt32BE(1);
}

/** @throws MalformedPacket for a packet that ends early, RefusedPath for a name that no file may have */
export function parseRequest(packet: Buffer): Request {
	const reader = new ByteReader(packet);
	const type = reader.byte();
	const id = reader.uint32();
	switch (type) {
		case packetType.write:
			return {
				kind: 'write',
				id,
				handle: parseHandle(reader),
				offset: reader.uint64(),
				bytes: parsePayload(reader, packet),
			};
		case packetType.read:
			return {
				kind: 'read',
				id,
				handle: parseHandle(reader),
				offset: reader.uint64(),
				length: Math.min(reader.uint32(), maxTransferBytes),
			};
		case packetType.open:
			// The attributes that follow are ignored, because our files have no owner or mode that a client can set.
			return { kind: 'open', id, path: parsePath(reader.string()), mode: parseOpenMode(reader.uint32()) };
		case packetType.close:
			return { kind: 'close', id, handle: parseHandle(reader) };
		case packetType.lstat:
		case packetType.stat:
			return { kind: 'attributes', id, path: parsePath(reader.string()) };
		case packetType.fstat:
			return { kind: 'handle-attributes', id, handle: parseHandle(reader) };
		case packetType.setstat:
			return { kind: 'set-attributes', id, path: parsePath(reader.string()), size: parseSize(reader) };
		case packetType.fsetstat:
			return { kind: 'set-handle-attributes', id, handle: parseHandle(reader), size: parseSize(reader) };
		case packetType.opendir:
			return { kind: 'open-directory', id, path: parsePath(reader.string()) };
		case packetType.readdir:
			return { kind: 'read-directory', id, handle: parseHandle(reader) };
		case packetType.remove:
			return { kind: 'remove', id, path: parsePath(reader.string()) };
		case packetType.mkdir:
			return { kind: 'make-directory', id, path: parsePath(reader.string()) };
		case packetType.rmdir:
			return { kind: 'remove-directory', id, path: parsePath(reader.string()) };
		case packetType.realpath:
			return { kind: 'real-path', id, path: parsePath(reader.string()) };
		case packetType.rename:
			return parseRename(reader, id, false);
		case packetType.extended:
			return parseExtended(reader, id);
		default:
			return { kind: 'unsupported', id };
	}
}

function parseExtended(reader: ByteReader, id: number): Request {
	switch (reader.string().toString('latin1')) {
		case 'posix-rename@openssh.com':
			return parseRename(reader, id, true);
		case 'fsync@openssh.com':
			return { kind: 'sync', id, handle: parseHandle(reader) };
		case 'statvfs@openssh.com':
		case 'fstatvfs@openssh.com':
			// The answer, how much space there is, is the same for the whole account. So the path or handle that the client
			// names is skipped.
			reader.string();
			return { kind: 'space', id };
		case 'limits@openssh.com':
			return { kind: 'limits', id };
		default:
			return { kind: 'unsupported', id };
	}
}

function parseRename(reader: ByteReader, id: number, overwrite: boolean): Request {
	return { kind: 'rename', id, from: parsePath(reader.string()), to: parsePath(reader.string()), overwrite };
}

/**
 * Reads a handle. The handles that this server gives out have four bytes and are never 0. A string of any other length
 * was never given out as a handle, so it is read as 0.
 */
function parseHandle(reader: ByteReader): number {
	const handle = reader.string();
	return handle.length === 4 ? handle.readUInt32BE(0) : 0;
}

/**
 * Reads the size among attributes that a client sets, or null. Clients set times and modes after an upload and report
 * the upload as failed if such a request is refused, so these are accepted and ignored.
 */
function parseSize(reader: ByteReader): number | null {
	return (reader.uint32() & attributeFlag.size) !== 0 ? reader.uint64() : null;
}

/** A small payload is copied, because a view would keep a whole network buffer in memory while the write waits. */
function parsePayload(reader: ByteReader, packet: Buffer): Buffer {
	const bytes = reader.string();
	return bytes.length * 2 < packet.buffer.byteLength ? Buffer.from(bytes) : bytes;
}

function parseOpenMode(flags: number): OpenMode {
	const has = (flag: number) => (flags & flag) !== 0;
	const write = has(openFlag.write) || has(openFlag.append);
	return {
		read: has(openFlag.read) || !write,
		write,
		append: has(openFlag.append),
		create: has(openFlag.create),
		truncate: has(openFlag.truncate),
		exclusive: has(openFlag.exclusive),
	};
}
