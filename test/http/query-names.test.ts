// Tests names and numbers in a query: callers are told which names no call knows, and a number has digits alone.

import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { anyCharacter } from '../helpers/any-character.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { addProbes } from '../helpers/http-probes.ts';

const META = '/api/payments/paycard/meta';
const JSON_ONLY = { accept: 'application/json' };
const STRICT = { ...JSON_ONLY, 'x-service-strict': 'true' };

async function open(t: ExecutionContext<unknown>) {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	return { parts, caller: await parts.createCaller('agency') };
}

test('a parameter that no call knows is a warning in a header, and the call goes on', async (t) => {
	const { caller } = await open(t);
	const response = await caller.inject('GET', `${META}?reff=order-1&REF=x&Num=1&reff=again`, { headers: JSON_ONLY });
	t.is(response.statusCode, 200);
	t.is(response.headers['x-service-warnings'], 'unknown parameter reff');
	const several = await caller.inject('GET', `${META}?a=1&B=2`, { headers: JSON_ONLY });
	t.is(several.headers['x-service-warnings'], 'unknown parameter a;;unknown parameter B');
	const none = await caller.inject('GET', `${META}?ref=x&FROM=0`, { headers: JSON_ONLY });
	t.is(none.headers['x-service-warnings'], undefined);
	const without = await caller.inject('GET', '/api/booker?reff=1', { headers: JSON_ONLY });
	t.is(without.headers['x-service-warnings'], 'unknown parameter reff');
});

test('with X-service-Strict it is a 400 that names every one of them, and costs nothing', async (t) => {
	const { parts, caller } = await open(t);
	const response = await caller.inject('GET', `${META}?reff=1&nun=2`, { headers: STRICT });
	t.is(response.statusCode, 400);
	t.deepEqual(response.json(), {
		...{ code: -125, message: 'Bad input data' },
		moreInfo: 'reff: unknown parameter; nun: unknown parameter',
	});
	t.is((await caller.inject('GET', `${META}?ref=1`, { headers: STRICT })).statusCode, 200);
	const off = await caller.inject('GET', `${META}?reff=1`, { headers: { ...STRICT, 'x-service-strict': 'False' } });
	t.is(off.statusCode, 200);
	const odd = await caller.inject('GET', `${META}?reff=1`, { headers: { ...STRICT, 'x-service-strict': 'yes' } });
	t.is(odd.json().moreInfo, 'X-service-Strict: expected true or false');
	const body = { BankCard: { Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' } } };
	const stored = await caller.inject('POST', '/api/payments/paycard?reff=1', {
		headers: { ...STRICT, 'content-type': 'application/json' },
		payload: JSON.stringify(body),
	});
	t.is(stored.statusCode, 400);
	t.is((await parts.identity.accounts.find('agency'))!.allowanceUsed, 0);
});

test('credentials are known everywhere, pages take any query, and an unknown caller learns nothing', async (t) => {
	const { parts, caller } = await open(t);
	const session = (await caller.inject('POST', '/api/payments/paycard/tempsession')).body;
	const called = await parts.app.inject({ url: `/probe?SessionToken=${session}`, headers: STRICT });
	t.is(called.statusCode, 200);
	t.is(called.headers['x-service-warnings'], undefined);
	t.is((await parts.app.inject({ url: '/openapi.json?v=1', headers: STRICT })).statusCode, 200);
	const refused = await parts.app.inject({ url: `${META}?reff=1`, headers: STRICT });
	t.is(refused.statusCode, 401);
	t.is(refused.headers['x-service-warnings'], undefined);
});

const HIDDEN = [
	'4111111111111111',
	'x4111111111111111',
	'a%0d%0ab',
	'%C3%A4',
	'123',
	'td_sandbox_'.padEnd(54, 'x'),
	'',
];
for (const name of HIDDEN) {
	test(`a name that could be something else is not repeated: ${name || 'an empty one'}`, async (t) => {
		const { caller } = await open(t);
		const warned = await caller.inject('GET', `${META}?${name}=1`, { headers: JSON_ONLY });
		t.is(warned.headers['x-service-warnings'], 'unknown parameter');
		const refused = await caller.inject('GET', `${META}?${name}=1`, { headers: STRICT });
		t.is(refused.json().moreInfo, 'query: unknown parameter');
	});
}

test('a number is digits alone, and its field is named', async (t) => {
	const { caller } = await open(t);
	for (const value of ['0x10', '1e1', '+5', '%205', '5%20', '-1', '5.0', '0b1', '1_0', '', '%D9%A5', 'Infinity']) {
		for (const name of ['from', 'num']) {
			const response = await caller.inject('GET', `${META}?${name}=${value}`, { headers: JSON_ONLY });
			t.is(response.statusCode, 400, value);
			t.is(response.json().moreInfo, `${name}: must be a whole number in digits alone`, value);
		}
	}
	t.is((await caller.inject('GET', `${META}?from=010&num=5`, { headers: JSON_ONLY })).statusCode, 200);
});

test('a parameter that must be a number is read if it has digits only, and refused otherwise', async (t) => {
	const { caller } = await open(t);
	await fc.assert(
		fc.asyncProperty(fc.oneof(fc.string({ unit: anyCharacter, maxLength: 6 }), fc.nat().map(String)), async (value) => {
			const url = `/probe/query?num=${encodeURIComponent(value)}`;
			const response = await caller.inject('GET', url, { headers: JSON_ONLY });
			const isNumber = /^[0-9]+$/.test(value) && Number(value) >= 1;
			t.is(response.statusCode, isNumber ? 200 : 400);
			if (isNumber) t.is(response.json().num, Number(value));
			else t.regex(response.json().moreInfo, /^num: must be /);
		}),
		{ numRuns: 100 },
	);
});

test('the root says what this is and where to read on, in both formats, to anybody', async (t) => {
	const { parts } = await open(t);
	const links = {
		documentation: 'https://vault.example/docs',
		openapi: 'https://vault.example/openapi.json',
		certificate: 'https://vault.example/api',
	};
	const response = await parts.app.inject({ url: '/' });
	t.deepEqual(response.json(), { name: 'Tokendrop', environment: 'sandbox', links });
	for (const link of Object.values(links)) {
		t.is((await parts.app.inject({ url: new URL(link).pathname })).statusCode, 200, link);
	}
	const xml = await parts.app.inject({ url: '/', headers: { accept: 'text/xml' } });
	t.true(xml.body.startsWith('<Service><name>Tokendrop</name><environment>sandbox</environment><links>'));
	for (const accept of ['*/*', 'application/json, text/html', 'application/xml', 'text/xml, text/html;q=0.9']) {
		const program = await parts.app.inject({ url: '/', headers: { accept } });
		t.notRegex(String(program.headers['content-type']), /html/, accept);
	}
});

test('the root is a page in a browser, with the ways in for people', async (t) => {
	const { parts } = await open(t);
	const accept = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
	const { statusCode, headers, body } = await parts.app.inject({ url: '/', headers: { accept } });
	t.is(statusCode, 200);
	t.is(headers['content-type'], 'text/html; charset=utf-8');
	t.regex(String(headers.vary), /Accept/);
	t.regex(String(headers['content-security-policy']), /default-src 'none'/);
	t.regex(body, /<h1>Tokendrop<\/h1>/);
	const links = [...body.matchAll(/href="(https:[^"]+)"/g)].map(([, link]) => link);
	t.deepEqual(
		links.map((link) => new URL(link).pathname),
		['/portal', '/docs', '/openapi.json', '/api'],
	);
	// These parts have no portal.
	for (const link of links.slice(1))
		t.is((await parts.app.inject({ url: new URL(link).pathname })).statusCode, 200, link);
});

test('spec §7.2.1: an error is XML with Accept: text/json, and the document says so of every one', async (t) => {
	const { parts, caller } = await open(t);
	const response = await caller.inject('GET', `${META}?num=x`, { headers: { accept: 'text/json' } });
	t.is(response.headers['content-type'], 'application/xml; charset=utf-8');
	const document = (await parts.app.inject({ url: '/openapi.json' })).json();
	const errors = Object.entries<{ content?: object; description: string }>(document.components.responses);
	for (const [name, { content, description }] of errors) {
		if (content && name !== 'Error400Fields')
			t.regex(description, /with `Accept: text\/json` too the error is XML/, name);
	}
});
