import { randomBytes } from 'node:crypto';
import test from 'ava';
import type { CipherAlgorithm, MacAlgorithm } from 'ssh2';
import { ReceivedBuffers } from '../../src/base/ssh/packet-buffers.ts';
import { MemoryTree } from '../helpers/memory-tree.ts';
import { startServer, type TestServer } from '../helpers/sftp-server.ts';
import { until } from '../helpers/until.ts';
import { byPassword, logIn, openChannel } from './raw-client.ts';
import * as packets from './request-packets.ts';

const fileBytes = 6 * 1024 * 1024;

/** Uploads a file over each of two channels at once, in WRITEs of these sizes in turn. */
async function uploadTwo(server: TestServer, algorithms: object, sizes: readonly number[]) {
	const client = await logIn(server, { ...byPassword, algorithms });
	const contents = ['/in/a', '/in/b'].map((path) => ({ path, bytes: randomBytes(fileBytes) }));
	await Promise.all(
		contents.map(async ({ path, bytes }) => {
			const { channel, open, replies } = await openChannel(client);
			const handle = await open(path);
			let requests = 0;
			for (let at = 0; at < bytes.length; requests += 1) {
				const piece = bytes.subarray(at, at + sizes[requests % sizes.length]);
				channel.write(packets.write(requests + 2, handle, at, piece));
				at += piece.length;
			}
			channel.write(packets.close(1, handle));
			await until('every request to be answered', () => replies().length === requests + 3, { withinMs: 20_000 });
		}),
	);
	client.end();
	return contents;
}

const arrivesWhole = test.macro({
	async exec(t, cipher: CipherAlgorithm, hmac: MacAlgorithm) {
		let turn = 0;
		const beforeTransfer = () => {
			turn += 1;
			return turn % 5 === 0 ? new Promise<void>((resolve) => setTimeout(resolve, 1)) : Promise.resolve();
		};
		const tree = new MemoryTree({ beforeTransfer });
		const limits = { maxHeldBytes: 1024 * 1024, rekeyBytes: 1024 * 1024 };
		const server = await startServer(t, { tree, limits });
		const sizes = [255_000, 32_768, 5, 16_000, 32_700, 100_000, 261_120, 1000];
		const contents = await uploadTwo(server, { cipher: [cipher], hmac: [hmac] }, sizes);
		for (const { path, bytes } of contents) t.true(tree.getBytes(path).equals(bytes));
	},
	title: (_, cipher, hmac) => `with ${cipher} and ${hmac}, uploads that wait and exchange keys arrive as they were`,
});

for (const cipher of ['aes128-gcm@openssh.com', 'chacha20-poly1305@openssh.com'] as const) {
	test.serial(arrivesWhole, cipher, 'hmac-sha2-256');
}
test.serial(arrivesWhole, 'aes256-ctr', 'hmac-sha2-256-etm@openssh.com');
test.serial(arrivesWhole, 'aes256-ctr', 'hmac-sha2-512');

test.serial('most of what an upload brings is given back at once, which rests on the inside of ssh2', async (t) => {
	const server = await startServer(t);
	const { transfer } = ArrayBuffer.prototype;
	let givenBack = 0;
	ArrayBuffer.prototype.transfer = function (this: ArrayBuffer, length?: number) {
		// Packets of requests, which the session gives back too, do not count here: they are longer than what a socket gives
		// at once.
		if (length === 0 && this.byteLength <= 65_536) givenBack += this.byteLength;
		return transfer.call(this, length);
	};
	t.teardown(() => {
		ArrayBuffer.prototype.transfer = transfer;
	});
	await uploadTwo(server, { cipher: ['aes128-gcm@openssh.com'] }, [261_120]);
	t.true(givenBack > fileBytes, `${givenBack} bytes given back`);
});

test('bytes are kept in which ssh2 may have found something else, although a chunk of earlier bytes came with them', (t) => {
	const decipher = { inSeqno: 0, _packet: null };
	const session = { receivedChunks: 0, keepsChunks: false };
	const client = { _protocol: { _decipher: decipher } } as never;
	const buffers = new ReceivedBuffers(client, () => [session]);
	const read = (packets: number, chunks: number, keeps: boolean) => {
		decipher.inSeqno += packets;
		session.receivedChunks += chunks;
		session.keepsChunks = keeps;
		return buffers.passed(Buffer.alloc(32_768));
	};
	t.false(read(3, 0, false), 'the first bytes');
	t.true(read(2, 2, false));
	t.false(read(1, 0, true), 'the channel still has the chunk');
	t.false(read(1, 1, false), 'the chunk came from the bytes before, and the packet is not a chunk');
	t.true(read(1, 1, false));
	t.false(read(2, 1, false), 'one of the packets is not a chunk');
});
