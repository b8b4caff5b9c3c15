import { once } from 'node:events';
import test from 'ava';
import { packetType } from '../../src/doors/sftp/protocol/packet.ts';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { startServer } from '../helpers/sftp-server.ts';
import { until } from '../helpers/until.ts';
import { byPassword, closeOf, forWriting, logIn, openChannel } from './raw-client.ts';
import * as packets from './request-packets.ts';

test('a connection that breaks off abandons its open files once and closes the tree once', async (t) => {
	const tree = new MemoryTree();
	const server = await startServer(t, { tree });
	const client = await logIn(server);
	const { channel, open } = await openChannel(client);
	const handle = await open('/in/a');
	channel.write(packets.write(2, handle, 0, Buffer.from('half')));
	await until('the bytes to arrive', () => tree.getBytes('/in/a').length === 4);
	client.destroy();
	await until('the tree to be closed', () => tree.closes === 1);
	t.deepEqual(tree.releases, ['abandoned /in/a']);
	await until('the session to end', () => server.sessions() === 0);
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
	await until('the second channel to answer', () => two.replies().length === 4);
	t.deepEqual(tree.releases, ['abandoned /in/one', 'closed /in/two']);
	t.is(tree.closes, 0);
	client.end();
	await until('the tree to be closed', () => tree.closes === 1);
});

test('more channels than allowed are refused', async (t) => {
	const server = await startServer(t, { limits: { maxChannels: 2 } });
	const client = await logIn(server);
	await openChannel(client);
	const second = await openChannel(client);
	await t.throwsAsync(openChannel(client), { message: /open failure/i });
	second.channel.end();
	await once(second.channel, 'close');
	await until('the channel to be released', () => server.heldBytes() === 0);
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
	await until('the slow WRITE to be answered', () => replies().length === 3);
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
	await until('the second OPEN to be answered', () => replies().length === 3);
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
