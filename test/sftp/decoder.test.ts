import test from 'ava';
import fc from 'fast-check';
import { MalformedPacket } from '../../src/doors/sftp/protocol/byte-reader.ts';
import { parseInit, parseRequest } from '../../src/doors/sftp/protocol/decoder.ts';
import { maxTransferBytes, openFlag, packetType } from '../../src/doors/sftp/protocol/packet.ts';
import { RefusedPath } from '../../src/doors/sftp/protocol/path.ts';
import type { Request } from '../../src/doors/sftp/protocol/request.ts';
import { runs } from '../helpers/runs.ts';
import * as packets from './request-packets.ts';

const handle = packets.uint32(7);

const decodes = test.macro({
	exec(t, packet: Buffer, request: Request) {
		t.deepEqual(parseRequest(packet.subarray(4)), request);
	},
	title: (title) => `${title} is understood`,
});

const readOnly = { read: true, write: false, append: false, create: false, truncate: false, exclusive: false };
test('OPEN to read', decodes, packets.open(1, '/a', openFlag.read), {
	kind: 'open',
	id: 1,
	path: '/a',
	mode: readOnly,
});
test('OPEN without any flag', decodes, packets.open(1, 'a', 0), { kind: 'open', id: 1, path: '/a', mode: readOnly });
test('OPEN to append', decodes, packets.open(1, '/a', openFlag.append | openFlag.create), {
	kind: 'open',
	id: 1,
	path: '/a',
	mode: { ...readOnly, read: false, write: true, append: true, create: true },
});
test('CLOSE', decodes, packets.close(2, handle), { kind: 'close', id: 2, handle: 7 });
test('READ of more than one packet holds', decodes, packets.read(3, handle, 2 ** 40, 2 ** 31), {
	kind: 'read',
	id: 3,
	handle: 7,
	offset: 2 ** 40,
	length: maxTransferBytes,
});
test('WRITE', decodes, packets.write(4, handle, 5, Buffer.from('bytes')), {
	kind: 'write',
	id: 4,
	handle: 7,
	offset: 5,
	bytes: Buffer.from('bytes'),
});
test('LSTAT', decodes, packets.onPath(packetType.lstat, 5, '/a/../b'), { kind: 'attributes', id: 5, path: '/b' });
test('SETSTAT', decodes, packets.onPath(packetType.setstat, 6, '/a', packets.uint32(0)), {
	kind: 'set-attributes',
	id: 6,
	path: '/a',
	size: null,
});
const sized = Buffer.concat([packets.uint32(1), packets.uint32(2), packets.uint32(3)]);
test('SETSTAT with a size', decodes, packets.onPath(packetType.setstat, 6, '/a', sized), {
	kind: 'set-attributes',
	id: 6,
	path: '/a',
	size: 2 * 2 ** 32 + 3,
});
test('FSETSTAT', decodes, packets.onPath(packetType.fsetstat, 6, handle, packets.uint32(0)), {
	kind: 'set-handle-attributes',
	id: 6,
	handle: 7,
	size: null,
});
test('FSETSTAT with a size', decodes, packets.onPath(packetType.fsetstat, 6, handle, sized), {
	kind: 'set-handle-attributes',
	id: 6,
	handle: 7,
	size: 2 * 2 ** 32 + 3,
});
test('RENAME', decodes, packets.onPath(packetType.rename, 7, '/a', packets.string('/b')), {
	kind: 'rename',
	id: 7,
	from: '/a',
	to: '/b',
	overwrite: false,
});
test(
	'posix-rename',
	decodes,
	packets.extended(8, 'posix-rename@openssh.com', packets.string('/a'), packets.string('/b')),
	{ kind: 'rename', id: 8, from: '/a', to: '/b', overwrite: true },
);
test('fsync', decodes, packets.extended(9, 'fsync@openssh.com', packets.string(handle)), {
	kind: 'sync',
	id: 9,
	handle: 7,
});
test('statvfs', decodes, packets.extended(10, 'statvfs@openssh.com', packets.string('/')), { kind: 'space', id: 10 });
test('limits', decodes, packets.extended(11, 'limits@openssh.com'), { kind: 'limits', id: 11 });
test('An extension we do not know', decodes, packets.extended(12, 'copy-data'), { kind: 'unsupported', id: 12 });
test('SYMLINK', decodes, packets.onPath(packetType.symlink, 13, '/a'), { kind: 'unsupported', id: 13 });
test('A handle of another length', decodes, packets.close(14, Buffer.from('abc')), {
	kind: 'close',
	id: 14,
	handle: 0,
});

test('any bytes are a request, or refused as malformed or for their path', (t) => {
	const knownTypes = fc.constantFrom(...Object.values(packetType));
	fc.assert(
		fc.property(knownTypes, fc.uint8Array({ maxLength: 60 }), (type, rest) => {
			try {
				parseRequest(Buffer.from([type, ...rest]));
			} catch (error) {
				return error instanceof MalformedPacket || error instanceof RefusedPath;
			}
			return true;
		}),
		{ numRuns: runs(2000) },
	);
	t.pass();
});

test('a WRITE cut anywhere is malformed', (t) => {
	const packet = packets.write(1, handle, 0, Buffer.from('some bytes')).subarray(4);
	for (let length = 1; length < packet.length; length += 1) {
		t.throws(() => parseRequest(packet.subarray(0, length)), { instanceOf: MalformedPacket }, `${length} bytes`);
	}
});

test('offsets and payloads survive the way there for any value', (t) => {
	fc.assert(
		fc.property(fc.maxSafeNat(), fc.uint8Array(), (offset, bytes) => {
			const request = parseRequest(packets.write(1, handle, offset, Buffer.from(bytes)).subarray(4));
			t.deepEqual(request, { kind: 'write', id: 1, handle: 7, offset, bytes: Buffer.from(bytes) });
		}),
	);
});

test('an offset beyond 2^53 is refused rather than rounded', (t) => {
	const packet = packets.frame(packetType.read, packets.uint32(1), packets.string(handle), Buffer.alloc(8, 0xff));
	t.throws(() => parseRequest(packet.subarray(4)), { message: 'number too large' });
});

test('only INIT opens a session', (t) => {
	t.is(parseInit(packets.init.subarray(4)), 3);
	t.throws(() => parseInit(packets.open(1, '/a', 1).subarray(4)), { instanceOf: MalformedPacket });
	t.throws(() => parseInit(Buffer.from([packetType.init, 0])), { instanceOf: MalformedPacket });
});
