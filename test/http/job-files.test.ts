import { once } from 'node:events';
import type { Readable } from 'node:stream';
import test from 'ava';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sendDrop } from '../../src/doors/http/files/drops.ts';
import type { DropFile, DropFolder } from '../../src/work/drops/drop-store.ts';

/** Sends a stored file of two frames, and returns the stream that the caller would get. */
async function sent() {
	const seen = { closed: 0, stream: undefined as Readable | undefined };
	const reader = {
		size: 2,
		async *stream() {
			yield Buffer.from('a');
			yield Buffer.from('b');
		},
		async close() {
			seen.closed++;
		},
	};
	const parts = { drops: { open: async () => reader }, logger: { error() {} } };
	const reply = {
		header: () => reply,
		send: (stream: Readable) => {
			seen.stream = stream;
			return reply;
		},
	};
	await sendDrop(
		parts as unknown as Parameters<typeof sendDrop>[0],
		{ folder: {} as DropFolder, file: { name: 'may.csv' } as DropFile },
		{ id: 'request' } as FastifyRequest,
		reply as unknown as FastifyReply,
	);
	return { stream: seen.stream!, seen };
}

test('a stored file that was sent is closed', async (t) => {
	const { stream, seen } = await sent();
	t.deepEqual(await stream.toArray(), [Buffer.from('a'), Buffer.from('b')]);
	t.is(seen.closed, 1);
});

test('a stored file whose caller is gone before the first byte is closed', async (t) => {
	const { stream, seen } = await sent();
	stream.destroy();
	await once(stream, 'close');
	t.is(seen.closed, 1);
});

test('a stored file whose caller goes away in the middle is closed', async (t) => {
	const { stream, seen } = await sent();
	const gone = new Promise((resolve) => stream.once('close', resolve));
	for await (const _ of stream) break;
	await gone;
	t.is(seen.closed, 1);
});
