import test from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../src/base/errors.ts';
import { RootKeyError } from '../../src/base/keys/root-key.ts';
import { maxPacketBytes, openFlag, packetType, statusCode } from '../../src/doors/sftp/protocol/packet.ts';
import { TreeError, type TreeFailure } from '../../src/work/folders/tree.ts';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { forWriting, handleOf, openFile, settle, startSession, statusOf } from './raw-session.ts';
import * as packets from './request-packets.ts';

test('CLOSE is answered after the WRITEs before it, and a RENAME after the CLOSE', async (t) => {
	const gate = Promise.withResolvers<void>();
	const tree = new MemoryTree({ beforeTransfer: () => gate.promise });
	const raw = startSession({ tree });
	const handle = await openFile(raw, '/in/a.part', forWriting);
	raw.send(
		packets.write(2, handle, 0, Buffer.from('hello ')),
		packets.write(3, handle, 6, Buffer.from('world')),
		packets.close(4, handle),
		packets.onPath(packetType.rename, 5, '/in/a.part', packets.string('/in/a')),
	);
	await settle();
	t.deepEqual(tree.releases, []);
	gate.resolve();
	t.is(statusOf(await raw.reply(5)).code, statusCode.ok);
	t.deepEqual(
		raw
			.replies()
			.slice(2)
			.map(({ id }) => id),
		[2, 3, 4, 5],
	);
	t.is(tree.getBytes('/in/a').toString(), 'hello world');
});

test('READs of a file are answered in the order they were sent, a failed one among them', async (t) => {
	const tree = new MemoryTree();
	tree.put('/in/a', Buffer.from('content'));
	const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const open = tree.open.bind(tree);
	tree.open = async (...args) => {
		const file = await open(...args);
		const read = file.read.bind(file);
		file.read = async (offset, length) => {
			await gates[offset]?.promise;
			if (offset === 1) throw new TreeError('failure', 'unreadable');
			return read(offset, length);
		};
		return file;
	};
	const raw = startSession({ tree });
	const handle = await openFile(raw, '/in/a', openFlag.read);
	raw.send(...[0, 1, 7].map((offset, index) => packets.read(2 + index, handle, offset, 1)));
	gates[1].resolve();
	await settle();
	t.is(raw.replies().length, 2);
	gates[0].resolve();
	t.is(statusOf(await raw.reply(4)).code, statusCode.eof);
	const answers = raw.replies().slice(2);
	t.deepEqual(
		answers.map(({ id, type }) => [id, type]),
		[
			[2, packetType.data],
			[3, packetType.status],
			[4, packetType.status],
		],
	);
});

test('a handle is gone as soon as its CLOSE is sent', async (t) => {
	const raw = startSession();
	const handle = await openFile(raw, '/in/a', forWriting);
	raw.send(packets.close(2, handle), packets.write(3, handle, 0, Buffer.from('late')), packets.close(4, handle));
	t.is(statusOf(await raw.reply(2)).code, statusCode.ok);
	t.deepEqual(statusOf(await raw.reply(3)), { code: statusCode.failure, message: 'no such handle' });
	t.deepEqual(statusOf(await raw.reply(4)), { code: statusCode.failure, message: 'no such handle' });
});

test('every handle open at disconnect is abandoned exactly once, after what runs on it', async (t) => {
	const gate = Promise.withResolvers<void>();
	const tree = new MemoryTree({ beforeTransfer: () => gate.promise });
	const raw = startSession({ tree });
	const handle = await openFile(raw, '/in/a', forWriting);
	raw.send(packets.open(2, '/in/b', forWriting), packets.write(3, handle, 0, Buffer.from('half')));
	await raw.reply(2);
	raw.session.abort();
	raw.session.abort();
	await settle();
	t.deepEqual(tree.releases, ['abandoned /in/b']);
	gate.resolve();
	await raw.session.ended;
	t.deepEqual(tree.releases, ['abandoned /in/b', 'abandoned /in/a']);
	t.is(tree.getBytes('/in/a').toString(), 'half');
});

test('a CLOSE already taken at disconnect is carried out', async (t) => {
	const gate = Promise.withResolvers<void>();
	const tree = new MemoryTree({ beforeTransfer: () => gate.promise });
	const raw = startSession({ tree });
	const handle = await openFile(raw, '/in/a', forWriting);
	raw.send(packets.write(2, handle, 0, Buffer.from('whole')), packets.close(3, handle));
	await settle();
	raw.session.abort();
	gate.resolve();
	await raw.session.ended;
	t.deepEqual(tree.releases, ['closed /in/a']);
});

test('an OPEN under way at disconnect does not leak its file', async (t) => {
	const tree = new MemoryTree();
	const gate = Promise.withResolvers<void>();
	const open = tree.open.bind(tree);
	tree.open = async (...args) => {
		await gate.promise;
		return open(...args);
	};
	const raw = startSession({ tree });
	raw.send(packets.init, packets.open(1, '/in/a', forWriting));
	await settle();
	raw.session.abort();
	gate.resolve();
	await raw.session.ended;
	t.deepEqual(tree.releases, ['abandoned /in/a']);
});

test('EOF is answered when all replies are sent, with exit status 0 and a close', async (t) => {
	const tree = new MemoryTree();
	const raw = startSession({ tree });
	await openFile(raw, '/in/a', forWriting);
	raw.send(packets.onPath(packetType.stat, 2, '/in'));
	raw.channel.push(null);
	await raw.session.ended;
	t.is((await raw.reply(2)).type, packetType.attrs);
	t.is(raw.channel.exitStatus, 0);
	t.true(raw.channel.writableEnded);
	t.deepEqual(tree.releases, ['abandoned /in/a']);
});

const breaksOff = test.macro({
	async exec(t, stream: readonly Buffer[]) {
		const raw = startSession();
		raw.send(...stream);
		await raw.session.ended;
		t.is(raw.abuses.length, 1);
		t.is(raw.channel.exitStatus, 1);
		t.true(raw.session.heldBytes <= maxPacketBytes);
	},
	title: (title) => `${title} ends the channel`,
});
test('a request before INIT', breaksOff, [packets.open(1, '/a', 1)]);
test('INIT of version 2', breaksOff, [packets.frame(packetType.init, packets.uint32(2))]);
test('a packet without a request id', breaksOff, [packets.init, packets.frame(packetType.stat)]);
test('a packet of 4 GiB', breaksOff, [packets.init, packets.uint32(0xffff_ffff)]);
test('an HTTP request', breaksOff, [Buffer.from('GET / HTTP/1.1\r\n\r\n')]);

const answers = test.macro({
	async exec(t, packet: Buffer, status: { code: number; message: string }) {
		const raw = startSession();
		raw.send(packets.init, packet);
		t.deepEqual(statusOf(await raw.reply(5)), status);
		raw.send(packets.onPath(packetType.realpath, 6, '.'));
		t.is((await raw.reply(6)).type, packetType.name);
	},
	title: (title) => `${title} is answered, and the session goes on`,
});
test('a malformed request', answers, packets.frame(packetType.stat, packets.uint32(5), packets.uint32(99)), {
	code: statusCode.badMessage,
	message: 'packet ends early',
});
test('a name in Latin-1', answers, packets.onPath(packetType.stat, 5, Buffer.from([0xe4])), {
	code: statusCode.failure,
	message: 'file names must be UTF-8',
});
test('a request we do not know', answers, packets.frame(99, packets.uint32(5)), {
	code: statusCode.unsupported,
	message: 'not supported',
});
test('READLINK', answers, packets.onPath(packetType.readlink, 5, '/in'), {
	code: statusCode.unsupported,
	message: 'not supported',
});
test('SETSTAT of a missing file', answers, packets.onPath(packetType.setstat, 5, '/none', packets.uint32(0)), {
	code: statusCode.noSuchFile,
	message: 'no such file',
});
test('SETSTAT of a folder', answers, packets.onPath(packetType.setstat, 5, '/in', packets.uint32(0)), {
	code: statusCode.ok,
	message: 'ok',
});
test('SETSTAT without attributes', answers, packets.onPath(packetType.setstat, 5, '/in'), {
	code: statusCode.badMessage,
	message: 'packet ends early',
});
test('FSETSTAT of a missing handle', answers, packets.onPath(packetType.fsetstat, 5, 'none', packets.uint32(0)), {
	code: statusCode.failure,
	message: 'no such handle',
});
test('STAT of a missing file', answers, packets.onPath(packetType.stat, 5, '/none'), {
	code: statusCode.noSuchFile,
	message: 'no such file',
});
test('OPENDIR of a missing folder', answers, packets.onPath(packetType.opendir, 5, '/none'), {
	code: statusCode.noSuchFile,
	message: 'no such file',
});

const tells = test.macro({
	async exec(t, failure: TreeFailure, code: number) {
		const tree = new MemoryTree();
		tree.remove = async () => {
			throw new TreeError(failure, 'why not');
		};
		const raw = startSession({ tree });
		raw.send(packets.init, packets.onPath(packetType.remove, 5, '/in/a'));
		t.deepEqual(statusOf(await raw.reply(5)), { code, message: 'why not' });
		t.deepEqual(raw.logged, []);
	},
	title: (_, failure, code) => `the tree's ${failure} is status ${code}`,
});
test(tells, 'no-such-file', 2);
test(tells, 'permission-denied', 3);
test(tells, 'failure', 4);
test(tells, 'out-of-space', 4);
test(tells, 'unsupported', 8);

test('a bug in the tree is logged with the request id, and not told to the client', async (t) => {
	const tree = new MemoryTree();
	tree.remove = async () => {
		throw new Error('connection string of the database');
	};
	const raw = startSession({ tree });
	raw.send(packets.init, packets.onPath(packetType.remove, 5, '/in/a'));
	t.deepEqual(statusOf(await raw.reply(5)), { code: statusCode.failure, message: 'internal error' });
	t.is(raw.logged[0].message, 'sftp request failed');
	t.is(raw.logged[0].fields.requestId, 5);
});

test('while a store is away the client is told to try again, and the log has the cause', async (t) => {
	const causes = [
		Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }),
		new RootKeyError('no answer'),
		new ServiceError('drop-store-unavailable'),
	];
	for (const cause of causes) {
		const tree = new MemoryTree();
		tree.remove = async () => {
			throw cause;
		};
		const raw = startSession({ tree });
		raw.send(packets.init, packets.onPath(packetType.remove, 5, '/in/a'));
		const expected = { code: statusCode.failure, message: 'temporarily unavailable, try again' };
		t.deepEqual(statusOf(await raw.reply(5)), expected);
		t.like(raw.logged[0], { message: 'sftp request failed', fields: { requestId: 5, err: cause } });
	}
});

test('a folder of 1,000 names comes in pages of bounded size', async (t) => {
	const tree = new MemoryTree();
	for (let index = 0; index < 1000; index += 1) tree.put(`/in/file-${index}`, Buffer.alloc(1));
	const raw = startSession({ tree });
	raw.send(packets.init, packets.onPath(packetType.opendir, 1, '/in'));
	const handle = handleOf(await raw.reply(1));
	let names = 0;
	for (let id = 2; ; id += 1) {
		raw.send(packets.onHandle(packetType.readdir, id, handle));
		const reply = await raw.reply(id);
		if (reply.type === packetType.status) {
			t.is(statusOf(reply).code, statusCode.eof);
			break;
		}
		t.true(reply.body.length < 128 * 1024);
		names += reply.body.readUInt32BE(0);
	}
	t.is(names, 1000);
});

test('more handles than allowed are refused, and a closed one makes room', async (t) => {
	const raw = startSession({ limits: { maxHandles: 2 } });
	const handle = await openFile(raw, '/in/a', forWriting);
	raw.send(packets.open(2, '/in/b', forWriting), packets.open(3, '/in/c', forWriting), packets.close(4, handle));
	t.is((await raw.reply(2)).type, packetType.handle);
	t.regex(statusOf(await raw.reply(3)).message, /at most 2/);
	await raw.reply(4);
	raw.send(packets.open(5, '/in/c', forWriting));
	t.is((await raw.reply(5)).type, packetType.handle);
});

test('the paths in log lines show no long run of digits', async (t) => {
	const raw = startSession();
	const handle = await openFile(raw, '/in/4111111111111111.csv', forWriting);
	raw.send(packets.close(2, handle));
	await raw.reply(2);
	t.is(raw.logged[0].message, 'sftp file closed');
	t.is(raw.logged[0].fields.path, '/in/****************.csv');
});

test('any bytes end or continue the session, never crash it, and never hold more than the limits', async (t) => {
	const handle = packets.uint32(1);
	const request = fc.oneof(
		fc
			.tuple(fc.nat({ max: 255 }), fc.uint8Array({ maxLength: 40 }))
			.map(([type, rest]) => packets.frame(type, packets.uint32(1), Buffer.from(rest))),
		fc.constantFrom('/in/a', '/in', '/', '').map((path) => packets.open(1, path, forWriting)),
		fc.nat({ max: 3 }).map((id) => packets.close(id, packets.uint32(id))),
		fc
			.tuple(fc.nat({ max: 9000 }), fc.uint8Array())
			.map(([at, bytes]) => packets.write(1, handle, at, Buffer.from(bytes))),
		fc.nat({ max: 9000 }).map((at) => packets.read(1, handle, at, 5000)),
		fc.uint8Array({ maxLength: 30 }).map((bytes) => Buffer.from(bytes)),
	);
	await fc.assert(
		fc.asyncProperty(fc.array(request, { maxLength: 30 }), fc.integer({ min: 1, max: 200 }), async (stream, size) => {
			const tree = new MemoryTree();
			const raw = startSession({ tree });
			const bytes = Buffer.concat([packets.init, ...stream]);
			for (let at = 0; at < bytes.length; at += size) raw.send(bytes.subarray(at, at + size));
			raw.channel.push(null);
			await Promise.race([raw.session.ended, settle().then(settle)]);
			t.true(raw.session.heldBytes <= maxPacketBytes + bytes.length + 1024 * 64);
			raw.session.abort();
			await raw.session.ended;
			t.is(tree.releases.length, tree.opened);
			t.false(raw.logged.some(({ message }) => message === 'sftp request failed'));
		}),
		{ numRuns: 150 },
	);
});
