// Makes request packets, as a client sends them, with their length, for tests that speak to a channel themselves.
import { packetType } from '../../src/doors/sftp/protocol/packet.ts';

export function uint32(value: number): Buffer {
	const bytes = Buffer.alloc(4);
	bytes.writeUInt32BE(value);
	return bytes;
}

function uint64(value: number): Buffer {
	const bytes = Buffer.alloc(8);
	bytes.writeBigUInt64BE(BigInt(value));
	return bytes;
}

export function string(value: string | Buffer): Buffer {
	const bytes = Buffer.from(value as string);
	return Buffer.concat([uint32(bytes.length), bytes]);
}

export function frame(type: number, ...fields: readonly Buffer[]): Buffer {
	const body = Buffer.concat([Buffer.from([type]), ...fields]);
	return Buffer.concat([uint32(body.length), body]);
}

export const init = frame(packetType.init, uint32(3));

export function open(id: number, path: string | Buffer, flags: number): Buffer {
	return frame(packetType.open, uint32(id), string(path), uint32(flags), uint32(0));
}

export function close(id: number, handle: Buffer): Buffer {
	return frame(packetType.close, uint32(id), string(handle));
}

export function read(id: number, handle: Buffer, offset: number, length: number): Buffer {
	return frame(packetType.read, uint32(id), string(handle), uint64(offset), uint32(length));
}

export function write(id: number, handle: Buffer, offset: number, bytes: Buffer): Buffer {
	return frame(packetType.write, uint32(id), string(handle), uint64(offset), string(bytes));
}

export function onPath(type: number, id: number, path: string | Buffer, ...rest: readonly Buffer[]): Buffer {
	return frame(type, uint32(id), string(path), ...rest);
}

export function onHandle(type: number, id: number, handle: Buffer): Buffer {
	return frame(type, uint32(id), string(handle));
}

export function extended(id: number, name: string, ...fields: readonly Buffer[]): Buffer {
	return frame(packetType.extended, uint32(id), string(name), ...fields);
}
