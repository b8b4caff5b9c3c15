// Those tests of relay-wire.test.ts that take long.

import test from 'ava';
import fc from 'fast-check';
import { VISA } from '../helpers/card-calls.ts';
import { isBadInput, JSON_PROFILE, openPartnership } from '../helpers/third-party.ts';

test('spec §4.1: five methods, POST unless the call or the profile says otherwise', async (t) => {
	const putting = JSON_PROFILE.replace('name: Partner', 'name: Putting\nhttpMethod: PUT');
	const { relay, party, store } = await openPartnership(t, { profiles: [JSON_PROFILE, putting] });
	const cardToken = await store();
	for (const httpMethod of ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', null]) {
		t.is((await relay({ cardToken, httpMethod })).statusCode, 200);
	}
	await relay({ cardToken, profileName: 'Putting' });
	await relay({ cardToken, profileName: 'Putting', httpMethod: 'DELETE' });
	const methods = party.seen.map(({ method }) => method);
	t.deepEqual(methods, ['POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'POST', 'PUT', 'DELETE']);
	t.true(
		party.seen.every(({ text }) => text.includes(VISA)),
		'the body goes with every method',
	);
});

test('shapes §4: a header that could break out of its line is refused', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	const headers = { 'x-service-target-authorization': 'a'.repeat(9000) };
	isBadInput(t, await relay({ cardToken: await store() }, { headers }), 'authorization: the header is too long');
	t.is(party.seen.length, 0);
});

test('spec §4.1: the answer is the third party’s, status, headers and bytes', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	const cardToken = await store();
	const body = Buffer.from([0, 255, 13, 10, 200]);
	for (const status of [200, 201, 204, 302, 304, 400, 401, 403, 404, 409, 422, 429, 500, 503]) {
		const isEmpty = status === 204 || status === 304;
		party.answers({
			status,
			headers: { 'content-type': 'image/x', 'x-n': '1', etag: '"e"' },
			body: isEmpty ? '' : body,
		});
		const answer = await relay({ cardToken });
		t.is(answer.statusCode, status);
		t.deepEqual([answer.headers['x-n'], answer.headers.etag], ['1', '"e"']);
		t.deepEqual(answer.rawPayload, isEmpty ? Buffer.alloc(0) : body);
		if (!isEmpty) t.is(answer.headers['content-type'], 'image/x');
	}
});

const TYPES = ['application/json', 'text/json;charset=ISO-8859-1', 'text/plain', 'text/xml; charset=utf-8', 'x/y', ''];

test('spec §4.1: the content type of the answer is the third party’s to the letter', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	const cardToken = await store();
	for (const type of TYPES) {
		for (const body of ['{"plain":1}', '{"é":1}', 'x'.repeat(100_000)]) {
			party.answers({ headers: type === '' ? {} : { 'content-type': type }, body });
			const answer = await relay({ cardToken });
			t.is(answer.headers['content-type'], type || 'application/octet-stream');
			t.deepEqual(answer.rawPayload, Buffer.from(body));
			t.is(answer.headers['content-length'], String(Buffer.byteLength(body)));
		}
	}
});

test('spec §2.5: bytes outside the selected values are identical, for any JSON', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	const cardToken = await store();
	await fc.assert(
		fc.asyncProperty(fc.json(), fc.json(), fc.constantFrom('', ' ', '\t', '\r\n'), async (before, after, gap) => {
			const body = (card: string) =>
				`{"before":${before},${gap}"card":{"x":${after},"number"${gap}:"${card}"},"after":${after}}${gap}`;
			const answer = await relay({ cardToken }, { payload: body('0') });
			if (answer.statusCode !== 200) throw new Error(answer.body);
			return party.seen.at(-1)!.text === body(VISA);
		}),
		{ numRuns: 60 },
	);
	t.is(party.seen.length, 60);
});

test('spec §2.5: bytes outside the selected values are identical, for any XML', async (t) => {
	const { relay, party, store } = await openPartnership(t);
	const cardToken = await store();
	const text = fc.string({ unit: fc.constantFrom('a', ' ', '\n', 'é', '&amp;', '&#65;', '<b/>', '<!-- c -->', "'") });
	const quote = fc.constantFrom('"', "'");
	await fc.assert(
		fc.asyncProperty(text, text, quote, fc.boolean(), async (before, after, q, isSoap) => {
			const open = isSoap ? '<s:Body xmlns:s="urn:s" xmlns="urn:p">' : '<Body>';
			const body = (card: string, expiry: string) =>
				`<?xml version="1.0"?>\n${open}${before}<PaymentCard  x = '1' CardNumber=${q}${card}${q} ExpireDate="${expiry}">${after}</PaymentCard>${after}</${isSoap ? 's:' : ''}Body>\n`;
			const headers = { 'content-type': 'text/xml; charset=utf-8' };
			const answer = await relay({ cardToken, profileName: 'Soap' }, { payload: body('', '0000'), headers });
			if (answer.statusCode !== 200) throw new Error(answer.body);
			return party.seen.at(-1)!.text === body(VISA, '0430');
		}),
		{ numRuns: 60 },
	);
	t.is(party.seen.length, 60);
});
