// Tests spec §4, shapes §11: an answer is compressed exactly if the caller names gzip or deflate, at any size, successes
// and errors alike.

import { gunzipSync, inflateSync } from 'node:zlib';
import test from 'ava';
import { openHttpApp } from '../helpers/http-app.ts';
import { addProbes } from '../helpers/http-probes.ts';

const unpack: Record<string, (bytes: Buffer) => Buffer> = { gzip: gunzipSync, deflate: inflateSync };

const encodes = test.macro({
	async exec(t, acceptEncoding: string | undefined, encoding: string | undefined) {
		const parts = await openHttpApp(t);
		addProbes(parts.app);
		const caller = await parts.createCaller('agency');
		const headers: Record<string, string> = acceptEncoding === undefined ? {} : { 'accept-encoding': acceptEncoding };
		for (const url of ['/probe', '/probe/fail/bad-input-data', '/probe/fail/uri-not-found', '/probe/defect', '/api']) {
			const plain = await caller.inject('GET', url);
			const response = await caller.inject('GET', url, { headers });
			t.is(response.headers['content-encoding'], encoding, url);
			t.is(response.statusCode, plain.statusCode);
			t.is(response.headers['content-type'], plain.headers['content-type']);
			const bytes = encoding ? unpack[encoding](response.rawPayload) : response.rawPayload;
			t.deepEqual(bytes, plain.rawPayload, url);
		}
	},
	title: (_, acceptEncoding, encoding) =>
		`spec §4: Accept-Encoding ${acceptEncoding ?? 'absent'} gives ${encoding ?? 'plain bytes'}`,
});
test(encodes, undefined, undefined);
test(encodes, 'gzip', 'gzip');
test(encodes, 'deflate', 'deflate');
test(encodes, 'gzip, deflate', 'gzip');
test(encodes, 'gzip, deflate, br, zstd', 'gzip');
test(encodes, 'deflate, gzip;q=0', 'deflate');
test(encodes, 'br', undefined);
test(encodes, 'identity', undefined);
test(encodes, '*', undefined);
test(encodes, 'gzip;q=0', undefined);

test('an empty body stays empty whatever encoding is named', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	for (const url of ['/probe', '/nothing']) {
		const response = await parts.app.inject({ method: 'GET', url, headers: { 'accept-encoding': 'gzip' } });
		t.is(response.headers['content-encoding'], undefined);
		t.is(response.rawPayload.length, 0);
	}
});

test('a large answer is packed in pieces, comes out as it was, and says its length where it is not packed', async (t) => {
	const parts = await openHttpApp(t);
	const large = Buffer.from('0123456789abcdef'.repeat(200_000));
	const sizes: number[] = [];
	parts.app.get('/probe/large', (_request, reply) => reply.header('content-type', 'text/plain').send(large));
	parts.app.addHook<unknown>('onSend', (_request, _reply, payload, done) => {
		const stream = payload as NodeJS.ReadableStream;
		if (typeof stream?.pipe === 'function') stream.on('data', (piece: Buffer) => sizes.push(piece.length));
		done(null, payload);
	});
	const caller = await parts.createCaller('agency');
	for (const encoding of ['gzip', 'deflate']) {
		const response = await caller.inject('GET', '/probe/large', { headers: { 'accept-encoding': encoding } });
		t.is(response.headers['content-encoding'], encoding);
		t.is(response.headers['content-length'], undefined);
		t.true(unpack[encoding](response.rawPayload).equals(large));
	}
	t.true(sizes.length > 2 && Math.max(...sizes) <= 65_536, 'no piece holds up its process');
	for (const encoding of ['identity', 'gzip;q=0']) {
		const plain = await caller.inject('GET', '/probe/large', { headers: { 'accept-encoding': encoding } });
		t.is(plain.headers['content-length'], String(large.length));
		t.true(plain.rawPayload.equals(large));
	}
	const head = await caller.inject('HEAD', '/probe/large', { headers: { 'accept-encoding': 'gzip' } });
	t.is(head.rawPayload.length, 0);
});
