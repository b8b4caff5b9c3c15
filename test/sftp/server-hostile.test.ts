import type { Socket } from 'node:net';
import test from 'ava';
import type ssh2 from 'ssh2';
import { openFlag } from '../../src/doors/sftp/protocol/packet.ts';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { startServer } from '../helpers/sftp-server.ts';
import { until } from '../helpers/until.ts';
import { closeOf, logIn, openChannel } from './raw-client.ts';
import { handleOf } from './raw-session.ts';
import * as packets from './request-packets.ts';

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

/** Writes to `handle` as if the window had no end, until `isOver`. */
async function sendBeyondWindow(channel: ssh2.ClientChannel, handle: Buffer, isOver: () => boolean): Promise<void> {
	const outgoing = (channel as unknown as { outgoing: { window: number } }).outgoing;
	const packet = packets.write(2, handle, 0, Buffer.alloc(250_001, 1));
	for (let turn = 0; turn < 200 && !isOver(); turn += 1) {
		outgoing.window = 100_000_000;
		channel.write(packet);
		await new Promise((resolve) => setImmediate(resolve));
	}
}

test('a client that sends beyond its window has to wait while its requests are under way', async (t) => {
	const gate = Promise.withResolvers<void>();
	const tree = new MemoryTree({ beforeTransfer: () => gate.promise });
	const server = await startServer(t, { tree, limits: { maxHeldBytes: 2 * 1024 * 1024 } });
	const client = await logIn(server);
	const { channel, open } = await openChannel(client);
	const handle = await open('/in/a');
	await sendBeyondWindow(channel, handle, () => false);
	t.true(server.heldBytes() < 2 * 1024 * 1024, `${server.heldBytes()} bytes held`);
	client.destroy();
	gate.resolve();
	await until('the tree to be closed', () => tree.closes === 1);
	t.is(server.heldBytes(), 0);
});

test('a client that sends beyond its window and reads no replies is cut off', async (t) => {
	const tree = new MemoryTree();
	tree.put('/out/big', Buffer.alloc(4 * 1024 * 1024, 9));
	const server = await startServer(t, { tree });
	const client = await logIn(server);
	const { channel, open, replies } = await openChannel(client);
	const handle = await open('/in/a');
	const closed = closeOf(client);
	channel.write(packets.open(2, '/out/big', openFlag.read));
	await until('the reply to the second OPEN', () => replies().length === 3);
	channel.pause();
	const reading = handleOf(replies()[2]);
	channel.write(Buffer.concat(Array.from({ length: 100 }, (_, id) => packets.read(id + 10, reading, 0, 261_120))));
	await sendBeyondWindow(channel, handle, () => server.sessions() === 0);
	await closed;
	t.is(server.log.find(({ message }) => message === 'sftp protocol abused')?.fields.reason, 'window not respected');
	await until('the tree to be closed', () => tree.closes === 1);
});

const socketOf = (client: ssh2.Client) => (client as unknown as { _sock: Socket })._sock;

/** Sends a packet as ssh2's client would, with a body of the test's own. */
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
		await until('the tree to be closed', () => tree.closes === 1);
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
		await until('the first replies', () => replies().length > 10);
		socketOf(client).end();
		await until('the tree to be closed', () => tree.closes === turn);
	}
	t.is(tree.releases.filter((release) => release === 'abandoned /in/a').length, 10);
});
