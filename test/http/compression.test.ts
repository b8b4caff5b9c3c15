// Spec §4, shapes §11: compressed exactly when the caller names gzip or deflate, at any size, successes and errors alike.

import { gunzipSync, inflateSync } from 'node:zlib';
import test from 'ava';
import { addProbes } from '../helpers/http-probes.ts';
import { openHttpRooms } from '../helpers/http-rooms.ts';

const unpack: Record<string, (bytes: Buffer) => Buffer> = { gzip: gunzipSync, deflate: inflateSync };

const encodes = test.macro({
	async exec(t, acceptEncoding: string | undefined, encoding: string | undefined) {
		const rooms = await openHttpRooms(t);
		addProbes(rooms.app);
		const caller = await rooms.createCaller('agency');
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
	const rooms = await openHttpRooms(t);
	addProbes(rooms.app);
	for (const url of ['/probe', '/nothing']) {
		const response = await rooms.app.inject({ method: 'GET', url, headers: { 'accept-encoding': 'gzip' } });
		t.is(response.headers['content-encoding'], undefined);
		t.is(response.rawPayload.length, 0);
	}
});
