// Tests what goes over the wire to a third party and back: methods, headers, packing and bytes.

import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import test from 'ava';
import { JSON_PROFILE, openPartnership } from '../helpers/third-party.ts';

test('spec §4.1: path and query of targetUri arrive as they were written', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	await relay({
		cardToken: await store(),
		targetUri: `${party.url}/a%2Fb/%C3%A9?x=1+2&x=%7B&order=2026112100012345#top`,
	});
	t.is(party.only().url, '/a%2Fb/%C3%A9?x=1+2&x=%7B&order=2026112100012345');
});

test('shapes §4: nothing of ours goes out, what is the caller’s does', async (t) => {
	const { relay, party, store, caller } = await openPartnership(t);
	const sent = {
		accept: 'application/vnd.partner+json',
		authorization: `APIKEY ${caller.apiKey}`,
		'content-type': 'application/json; charset=utf-8',
		cookie: 'session=ours',
		forwarded: 'for=10.0.0.1',
		'idempotency-key': 'once',
		'keep-alive': 'timeout=5',
		'proxy-authorization': 'Basic eDp5',
		referer: 'https://vault.example/?sessionToken=secret',
		soapaction: '"urn:book"',
		te: 'trailers',
		'x-correlation': 'theirs',
		'x-forwarded-for': '10.0.0.1',
		'x-real-ip': '10.0.0.1',
		'x-request-id': 'ours',
		'x-service-anything': 'ours',
	};
	const answer = await relay({ cardToken: await store(), sessionToken: null }, { headers: sent });
	t.is(answer.statusCode, 200, answer.body);
	const { headers, url } = party.only();
	const expected = {
		accept: sent.accept,
		'content-type': sent['content-type'],
		soapaction: '"urn:book"',
		'x-correlation': 'theirs',
		'accept-encoding': 'gzip, deflate, br, zstd',
		host: new URL(party.url).host,
	};
	for (const [name, value] of Object.entries(expected)) t.is(headers[name], value, name);
	const others = Object.keys(headers).filter((name) => !(name in expected));
	t.deepEqual(
		others.filter((name) => !['connection', 'content-length', 'user-agent'].includes(name)),
		[],
	);
	t.false(JSON.stringify([headers, url]).includes(caller.apiKey));
});

test('shapes §4: the third party’s own Authorization travels under another name, the profile’s wins', async (t) => {
	const sealed = JSON_PROFILE.replace(
		'name: Partner',
		'name: Sealed\nhosts: [127.0.0.1]\nauthorization: Bearer of-the-profile',
	);
	const { relay, party, store } = await openPartnership(t, { profiles: [JSON_PROFILE, sealed] });
	const cardToken = await store();
	const headers = { 'x-service-target-authorization': 'Bearer of-the-caller', 'x-service-target-cookie': 'a=1' };
	await relay({ cardToken }, { headers });
	await relay({ cardToken, profileName: 'Sealed' }, { headers });
	t.deepEqual(
		party.seen.map((seen) => [seen.headers.authorization, seen.headers.cookie]),
		[
			['Bearer of-the-caller', 'a=1'],
			['Bearer of-the-profile', 'a=1'],
		],
	);
});

test('shapes §4: an answer cannot speak for us: cookies are renamed, our headers stay ours', async (t) => {
	const { relay, store } = await openPartnership(t, {
		answer: {
			headers: {
				'set-cookie': ['a=1; Path=/', 'b=2'],
				'www-authenticate': 'Basic realm="x"',
				'x-request-id': 'theirs',
				'x-service-carduri': 'https://vault.example/forged',
				'content-security-policy': "default-src 'unsafe-inline'",
				'access-control-allow-origin': '*',
				'strict-transport-security': 'max-age=0',
				'cache-control': 'public, max-age=999',
				link: ['<a>; rel=x', '<b>; rel=y'],
			},
		},
	});
	const { headers } = await relay({ cardToken: await store() });
	t.deepEqual(headers['x-service-target-set-cookie'], ['a=1; Path=/', 'b=2']);
	t.is(headers['x-service-target-www-authenticate'], 'Basic realm="x"');
	t.is(headers['x-service-target-request-id'], 'theirs');
	t.not(headers['x-request-id'], 'theirs');
	t.is(headers['content-security-policy'], "default-src 'none';frame-ancestors 'none'");
	t.not(headers['strict-transport-security'], 'max-age=0');
	t.is(String(headers.link), '<a>; rel=x, <b>; rel=y'.replace(', ', ','));
	for (const name of ['set-cookie', 'www-authenticate', 'x-service-carduri', 'access-control-allow-origin']) {
		t.is(headers[name], undefined, name);
	}
	t.notRegex(String(headers['cache-control']), /public/);
});

test('shapes §4: a redirect is passed on and not followed', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	party.answers({ status: 307, headers: { location: `${party.url}/elsewhere` }, body: '' });
	const answer = await relay({ cardToken: await store() });
	t.is(answer.statusCode, 307);
	t.is(answer.headers.location, `${party.url}/elsewhere`);
	t.is(party.seen.length, 1);
});

const TEXT = `{"said":"${'yes '.repeat(500)}"}`;
const packed = { gzip: gzipSync(TEXT), deflate: deflateSync(TEXT), br: brotliCompressSync(TEXT) };

for (const [encoding, body] of Object.entries(packed)) {
	test(`spec §4: an answer packed with ${encoding} is unpacked, and packed again for who asks for it`, async (t) => {
		const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
		const { relay, store } = await openPartnership(t, { answer: { headers, body } });
		const cardToken = await store();
		const plain = await relay({ cardToken });
		t.is(plain.headers['content-encoding'], undefined);
		t.is(plain.body, TEXT);
		const small = await relay({ cardToken }, { headers: { 'accept-encoding': 'gzip' } });
		t.is(small.headers['content-encoding'], 'gzip');
		t.is(gunzipSync(small.rawPayload).toString(), TEXT);
		t.is((await relay({ cardToken }, { headers: { 'accept-encoding': 'br' } })).body, TEXT);
	});
}
