import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket, connect as socketTo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import type { CipherAlgorithm, MacAlgorithm, SFTPWrapper } from 'ssh2';
import { freeSentBuffers } from '../../src/base/ssh/packet-buffers.ts';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { startServer } from '../helpers/sftp-server.ts';
import { until } from '../helpers/until.ts';
import { byPassword, logIn } from './raw-client.ts';

const fileBytes = 6 * 1024 * 1024;

/** Returns a tree with two files, and what is in them. */
function twoFiles() {
	const contents = ['/in/a', '/in/b'].map((path) => ({ path, bytes: randomBytes(fileBytes) }));
	const tree = new MemoryTree();
	for (const { path, bytes } of contents) tree.put(path, bytes);
	return { contents, tree };
}

/** Downloads both files over a channel each, at once, with a reader who stops at times. */
async function downloadBoth(
	t: ExecutionContext<unknown>,
	algorithms: { cipher: CipherAlgorithm[]; hmac?: MacAlgorithm[] },
) {
	const { contents, tree } = twoFiles();
	const server = await startServer(t, { tree, limits: { maxHeldBytes: 1024 * 1024, rekeyBytes: 1024 * 1024 } });
	const client = await logIn(server, { ...byPassword, algorithms });
	for (const received of await Promise.all(
		contents.map(async ({ path }) => {
			const sftp = await new Promise<SFTPWrapper>((resolve, reject) => {
				client.sftp((error, opened) => (error ? reject(error) : resolve(opened)));
			});
			const stream = sftp.createReadStream(path);
			stream.on('data', () => {
				if (Math.random() > 0.1) return;
				stream.pause();
				setTimeout(() => stream.resume(), 1);
			});
			const closed = once(stream, 'close');
			const bytes = await buffer(stream);
			await closed;
			return { path, bytes };
		}),
	)) {
		t.true(received.bytes.equals(contents.find(({ path }) => path === received.path)!.bytes), received.path);
	}
	client.end();
}

for (const cipher of ['aes128-gcm@openssh.com', 'chacha20-poly1305@openssh.com'] as const) {
	test.serial(`with ${cipher}, downloads with exchanges of keys arrive as they are`, (t) =>
		downloadBoth(t, { cipher: [cipher] }),
	);
}
for (const hmac of ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512'] as const) {
	test.serial(`with aes256-ctr and ${hmac}, downloads with exchanges of keys arrive as they are`, (t) =>
		downloadBoth(t, { cipher: ['aes256-ctr'], hmac: [hmac] }),
	);
}

/** Opens a socket that frees what it has sent, and returns it with the other end of its connection. */
async function openSockets(t: ExecutionContext<unknown>): Promise<{ sender: Socket; receiver: Socket }> {
	const server = createServer({ pauseOnConnect: true }).listen(0, '127.0.0.1');
	await once(server, 'listening');
	const sender = socketTo((server.address() as AddressInfo).port, '127.0.0.1');
	const [[receiver]] = (await Promise.all([once(server, 'connection'), once(sender, 'connect')])) as [
		[Socket],
		unknown,
	];
	for (const socket of [sender, receiver]) socket.on('error', () => {});
	t.teardown(() => {
		for (const socket of [sender, receiver]) socket.destroy();
		server.close();
	});
	freeSentBuffers(sender);
	return { sender, receiver };
}

test('a large buffer is freed once it is sent, and not before; a small one and a part of another stay', async (t) => {
	const { sender, receiver } = await openSockets(t);
	const content = randomBytes(30 * 1024 * 1024);
	const whole = Buffer.allocUnsafeSlow(content.length).fill(content);
	const small = Buffer.allocUnsafeSlow(1000).fill(1);
	const part = Buffer.allocUnsafeSlow(100_000).fill(2).subarray(10, 50_000);
	for (const bytes of [whole, small, part]) sender.write(bytes);
	await new Promise((resolve) => setTimeout(resolve, 50));
	t.is(whole.length, content.length, 'the receiver has not read it yet');
	sender.end();
	const received = await buffer(receiver);
	t.true(received.equals(Buffer.concat([content, small, part])));
	await until('the buffer to be freed', () => whole.length === 0);
	t.deepEqual([small.length, part.length], [1000, 49_990]);
});

test('buffers that are never sent are freed when their connection ends', async (t) => {
	const { sender } = await openSockets(t);
	const waiting = Array.from({ length: 40 }, () => Buffer.allocUnsafeSlow(1024 * 1024));
	for (const bytes of waiting) sender.write(bytes);
	t.true(sender.writableLength > 0);
	sender.destroy();
	await until('all buffers to be freed', () => waiting.every(({ length }) => length === 0));
});
