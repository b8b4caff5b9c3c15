import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test from 'ava';
import ssh2, { type ClientChannel, type ConnectConfig } from 'ssh2';
import { systemClock } from '../../src/clock.ts';
import { defaultDefenderSettings, openDefender } from '../../src/defender.ts';
import { openFlag, packetType } from '../../src/sftp/packet.ts';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { demoUser, eventually, startServer, type TestServer } from '../helpers/sftp-server.ts';
import { handleOf, parseReplies } from './raw-session.ts';
import * as packets from './request-packets.ts';

const forWriting = openFlag.write | openFlag.create;
const byPassword: ConnectConfig = { username: demoUser.userName, password: demoUser.password };

async function logIn(server: TestServer, config: ConnectConfig = byPassword): Promise<ssh2.Client> {
	const client = new ssh2.Client();
	client.on('error', () => {});
	client.connect({ host: '127.0.0.1', port: server.port, ...config });
	await once(client, 'ready');
	return client;
}

/** Settles at close, whatever error came first: `once` would fail with a reset. */
function closeOf(emitter: ssh2.Client | Socket): Promise<void> {
	return new Promise((resolve) => {
		emitter.once('close', () => resolve());
	});
}

/** The raw channel, and the replies on it so far. */
async function openChannel(client: ssh2.Client) {
	const channel = await new Promise<ClientChannel>((resolve, reject) => {
		client.subsys('sftp', (error, opened) => (error ? reject(error) : resolve(opened)));
	});
	const received: Buffer[] = [];
	channel.on('data', (chunk: Buffer) => received.push(chunk));
	const replies = () => parseReplies(Buffer.concat(received));
	return {
		channel,
		replies,
		async open(path: string): Promise<Buffer> {
			channel.write(Buffer.concat([packets.init, packets.open(1, path, forWriting)]));
			await eventually(() => replies().length === 2, 'a reply to OPEN');
			return handleOf(replies()[1]);
		},
	};
}

test('a connection that breaks off abandons its open files once and closes the tree once', async (t) => {
	const tree = new MemoryTree();
	const server = await startServer(t, { tree });
	const client = await logIn(server);
	const { channel, open } = await openChannel(client);
	const handle = await open('/in/a');
	channel.write(packets.write(2, handle, 0, Buffer.from('half')));
	await eventually(() => tree.getBytes('/in/a').length === 4, 'the bytes to arrive');
	client.destroy();
	await eventually(() => tree.closes === 1, 'the tree to be closed');
	t.deepEqual(tree.releases, ['abandoned /in/a']);
	await eventually(() => server.sessions() === 0, 'the session to end');
	t.true(server.log.some(({ message, fields }) => message === 'sftp session ended' && fields.user === 'demo'));
});

test('two channels of one connection work side by side, and each ends by itself', async (t) => {
	const tree = new MemoryTree();
	const server = await startServer(t, { tree });
	const client = await logIn(server);
	const one = await openChannel(client);
	const two = await openChannel(client);
	const handles = [await one.open('/in/one'), await two.open('/in/two')];
	one.channel.end();
	await once(one.channel, 'close');
	t.deepEqual(tree.releases, ['abandoned /in/one']);
	two.channel.write(Buffer.concat([packets.write(2, handles[1], 0, Buffer.from('two')), packets.close(3, handles[1])]));
	await eventually(() => two.replies().length === 4, 'the second channel to answer');
	t.deepEqual(tree.releases, ['abandoned /in/one', 'closed /in/two']);
	t.is(tree.closes, 0);
	client.end();
	await eventually(() => tree.closes === 1, 'the tree to be closed');
});

test('more channels than allowed are refused', async (t) => {
	const server = await startServer(t, { limits: { maxChannels: 2 } });
	const client = await logIn(server);
	await openChannel(client);
	const second = await openChannel(client);
	await t.throwsAsync(openChannel(client), { message: /open failure/i });
	second.channel.end();
	await once(second.channel, 'close');
	await eventually(() => server.heldBytes() === 0, 'the channel to be released');
	t.truthy(await openChannel(client));
	client.end();
});

test('a channel whose packets make no sense is closed with status 1, and the defender hears of it', async (t) => {
	const reported: string[] = [];
	const defender = { isBanned: () => false, report: (_: string, event: string) => reported.push(event) };
	const server = await startServer(t, { defender });
	const client = await logIn(server);
	const { channel } = await openChannel(client);
	const exit = once(channel, 'exit');
	const close = once(channel, 'close');
	channel.write('GET / HTTP/1.1\r\n\r\n');
	t.deepEqual((await exit).slice(0, 1), [1]);
	await close;
	t.deepEqual(reported, ['protocol-abuse']);
	client.end();
});

test('a connection is ended after too many tries, each answered no sooner than the delay', async (t) => {
	const server = await startServer(t, { limits: { maxLoginTries: 3, failedLoginDelayMs: 150 } });
	const client = new ssh2.Client();
	let tries = 0;
	const beganMs = performance.now();
	client.on('error', () => {});
	client.connect({
		host: '127.0.0.1',
		port: server.port,
		username: demoUser.userName,
		authHandler: () => {
			tries += 1;
			return { type: 'password', username: demoUser.userName, password: 'wrong-password' };
		},
	} as ConnectConfig);
	await closeOf(client);
	t.is(server.log.filter(({ message }) => message === 'sftp login refused').length, 3);
	t.true(performance.now() - beganMs >= 440);
	t.true(tries <= 4);
	t.false(JSON.stringify(server.log).includes('wrong-password'));
});

test('an address that failed too often is turned away before it can try again', async (t) => {
	const defender = openDefender(systemClock, { ...defaultDefenderSettings, threshold: 10 });
	const server = await startServer(t, { defender, limits: { maxLoginTries: 2 } });
	const wrong = { ...byPassword, password: 'wrong' };
	for (let turn = 0; turn < 2; turn += 1) await t.throwsAsync(logIn(server, wrong));
	t.true(defender.isBanned('127.0.0.1'));
	await t.throwsAsync(logIn(server));
});

test('a client that never logs in is cut off when its time is over', async (t) => {
	const server = await startServer(t, { limits: { loginGraceMs: 200 } });
	const socket = connectSilently(server);
	socket.resume();
	await closeOf(socket);
	t.is(server.sessions(), 0);
});

test('more connections without a login than allowed are dropped at once', async (t) => {
	const server = await startServer(t, { limits: { maxStartups: 2 } });
	const waiting = [connectSilently(server), connectSilently(server)];
	await Promise.all(waiting.map((socket) => once(socket, 'data')));
	const third = connectSilently(server);
	third.resume();
	await closeOf(third);
	for (const socket of waiting) socket.destroy();
	const client = await eventualLogin(server);
	client.end();
	t.pass();
});

/** A connection without SSH; a reset is what it may expect. */
function connectSilently(server: TestServer): Socket {
	return connect(server.port, '127.0.0.1').on('error', () => {});
}

async function eventualLogin(server: TestServer): Promise<ssh2.Client> {
	for (let turn = 0; ; turn += 1) {
		try {
			return await logIn(server);
		} catch (error) {
			if (turn === 50) throw error;
			await new Promise((resolve) => setTimeout(resolve, 20));
		}
	}
}

test('one session more than a user may have is refused like a wrong password', async (t) => {
	const server = await startServer(t, { limits: { maxSessionsPerUser: 1 } });
	const first = await logIn(server);
	await t.throwsAsync(logIn(server), { message: /authentication methods failed/ });
	first.end();
	await eventually(() => server.sessions() === 0, 'the first session to end');
	(await logIn(server)).end();
});

test('a login that cannot be decided is refused, and the reason is only logged', async (t) => {
	const down = async () => {
		throw new Error('database away');
	};
	const reported: string[] = [];
	const defender = { isBanned: () => false, report: (_: string, event: string) => void reported.push(event) };
	const server = await startServer(t, { defender, identity: { byPassword: down, byPublicKey: down } });
	await t.throwsAsync(logIn(server), { message: /authentication methods failed/ });
	t.is(server.log.find(({ level }) => level === 'error')?.message, 'sftp login could not be decided');
	t.is(server.log.find(({ message }) => message === 'sftp login refused')?.fields.reason, 'not decided');
	t.deepEqual(reported, []);
	t.false(JSON.stringify(server.log).includes(demoUser.password));
});

test('an idle connection is ended, one at work is not', async (t) => {
	const gate = Promise.withResolvers<void>();
	const tree = new MemoryTree({ beforeTransfer: () => gate.promise });
	const server = await startServer(t, { tree, limits: { idleTimeoutMs: 300 } });
	const idle = await logIn(server);
	const busy = await logIn(server);
	const { channel, open, replies } = await openChannel(busy);
	channel.write(packets.write(2, await open('/in/a'), 0, Buffer.from('slow')));
	await closeOf(idle);
	t.is(server.sessions(), 1);
	gate.resolve();
	await eventually(() => replies().length === 3, 'the slow WRITE to be answered');
	busy.end();
});

test('closing the server lets a transfer end, and takes no new file', async (t) => {
	const tree = new MemoryTree();
	const server = await startServer(t, { tree });
	const client = await logIn(server);
	const { channel, open, replies } = await openChannel(client);
	const handle = await open('/in/a');
	const closed = server.close(8_000);
	channel.write(packets.open(2, '/in/b', forWriting));
	await eventually(() => replies().length === 3, 'the second OPEN to be answered');
	t.is(replies()[2].type, packetType.status);
	channel.write(Buffer.concat([packets.write(3, handle, 0, Buffer.from('whole')), packets.close(4, handle)]));
	await closed;
	t.deepEqual(tree.releases, ['closed /in/a']);
	t.is(tree.closes, 1);
});

test('closing the server does not wait longer than it was given', async (t) => {
	const tree = new MemoryTree();
	const server = await startServer(t, { tree });
	const { open } = await openChannel(await logIn(server));
	await open('/in/a');
	await server.close(100);
	t.deepEqual(tree.releases, ['abandoned /in/a']);
	t.is(server.sessions(), 0);
});

test('a reader that stops reading costs no more than the limits', async (t) => {
	const tree = new MemoryTree();
	tree.put('/out/big', Buffer.alloc(4 * 1024 * 1024, 9));
	const server = await startServer(t, { tree });
	const client = await logIn(server);
	const { channel, open } = await openChannel(client);
	const handle = await open('/out/big');
	channel.pause();
	const flood = Array.from({ length: 16_000 }, (_, id) => packets.read(id + 10, handle, 0, 261_120));
	channel.write(Buffer.concat([packets.open(2, '/out/big', openFlag.read), ...flood]));
	await new Promise((resolve) => setTimeout(resolve, 500));
	t.true(server.heldBytes() < 10 * 1024 * 1024, `${server.heldBytes()} bytes held`);
	client.destroy();
});

test('a client that sends beyond its window is cut off', async (t) => {
	const gate = Promise.withResolvers<void>();
	const tree = new MemoryTree({ beforeTransfer: () => gate.promise });
	const server = await startServer(t, { tree });
	const client = await logIn(server);
	const { channel, open } = await openChannel(client);
	const handle = await open('/in/a');
	const outgoing = (channel as unknown as { outgoing: { window: number } }).outgoing;
	const closed = closeOf(client);
	const packet = packets.write(2, handle, 0, Buffer.alloc(250_001, 1));
	for (let turn = 0; turn < 200 && server.sessions() > 0; turn += 1) {
		outgoing.window = 100_000_000;
		channel.write(packet);
		await new Promise((resolve) => setImmediate(resolve));
	}
	await closed;
	t.is(server.log.find(({ message }) => message === 'sftp protocol abused')?.fields.reason, 'window not respected');
	gate.resolve();
	await eventually(() => tree.closes === 1, 'the tree to be closed');
});

const socketOf = (client: ssh2.Client) => (client as unknown as { _sock: Socket })._sock;

/** A packet as ssh2's client would send it, with a body of the test's own. */
function sendPacket(client: ssh2.Client, body: Buffer): void {
	const { _packetRW, _cipher } = (client as unknown as { _protocol: Internals })._protocol;
	const packet = _packetRW.write.alloc(body.length);
	body.copy(packet, _packetRW.write.allocStart);
	_cipher.encrypt(_packetRW.write.finalize(packet));
}
interface Internals {
	_packetRW: { write: { allocStart: number; alloc(length: number): Buffer; finalize(packet: Buffer): Buffer } };
	_cipher: { encrypt(packet: Buffer): void };
}

const endsOnly = test.macro({
	async exec(t, offend: (client: ssh2.Client) => void) {
		const tree = new MemoryTree();
		const server = await startServer(t, { tree });
		const client = await logIn(server);
		const { channel, open } = await openChannel(client);
		const handle = await open('/in/a');
		channel.write(packets.write(2, handle, 0, Buffer.alloc(100_000, 1)));
		offend(client);
		await eventually(() => tree.closes === 1, 'the tree to be closed');
		t.deepEqual(tree.releases, ['abandoned /in/a']);
		(await logIn(server)).end();
	},
	title: (title) => `${title} ends its connection and nothing else`,
});
test('a stream that is no SSH packet', endsOnly, (client) => socketOf(client).write(Buffer.alloc(4096, 0x5a)));
test('a malformed CHANNEL_REQUEST', endsOnly, (client) => sendPacket(client, Buffer.from([98, 0, 0])));
test('a window adjustment of a channel that is not there', endsOnly, (client) => {
	sendPacket(client, Buffer.from([93, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1]));
	client.destroy();
});

test('clients that hang up while replies leave end their connections and nothing else', async (t) => {
	const tree = new MemoryTree({
		beforeTransfer: () => new Promise((resolve) => setTimeout(resolve, Math.random() * 20)),
	});
	tree.put('/in/a', Buffer.alloc(100_000, 1));
	const server = await startServer(t, { tree });
	for (let turn = 1; turn <= 10; turn += 1) {
		const client = await logIn(server);
		const { channel, open, replies } = await openChannel(client);
		const handle = await open('/in/a');
		channel.write(packets.close(2, handle));
		channel.write(packets.open(3, '/in/a', openFlag.read));
		for (let id = 4; id < 100; id += 1) channel.write(packets.read(id, packets.uint32(2), 0, 1000));
		await eventually(() => replies().length > 10, 'the first replies');
		socketOf(client).end();
		await eventually(() => tree.closes === turn, 'the tree to be closed');
	}
	t.is(tree.releases.filter((release) => release === 'abandoned /in/a').length, 10);
});

test('the fingerprints are those of the host keys the clients see', async (t) => {
	const server = await startServer(t);
	const seen: string[] = [];
	const config = { ...byPassword, hostHash: 'sha256' as const };
	const client = await logIn(server, { ...config, hostVerifier: (hash: string) => seen.push(hash) > 0 });
	client.end();
	const fingerprint = Buffer.from(seen[0], 'hex').toString('base64').replace(/=+$/, '');
	t.is(server.fingerprints[0], `ssh-ed25519 SHA256:${fingerprint}`);
	t.is(typeof server.hasNativeBinding, 'boolean');
});
