// Those tests of credentials.test.ts that take long.

import { X509Certificate } from 'node:crypto';
import test from 'ava';
import { buildApp } from '../../src/doors/http/app.ts';
import { openIdentity } from '../../src/people/identity/identity.ts';
import { databases } from '../helpers/database.ts';
import { addProbes, makeAccessToken } from '../helpers/http-probes.ts';
import { expirationIn, get, isRefused, MINUTE_MS, open, sessionToken } from './credentials.setup.ts';

test('spec §5.4.1: no credential, an empty one and a rotated one are refused', async (t) => {
	const { parts, caller } = await open(t);
	isRefused(t, await get(parts, '/probe'));
	isRefused(t, await get(parts, '/probe', { 'x-service-api-key': '' }));
	isRefused(t, await get(parts, '/probe?sessionToken='));
	await parts.identity.apiKeys.rotate(caller.account, 'operator test');
	isRefused(t, await get(parts, '/probe', { 'x-service-api-key': caller.apiKey }));
});

test('spec §4.1, §5.3: the certificate is public, downloads as .cer and makes access tokens', async (t) => {
	const { parts, caller } = await open(t);
	const response = await get(parts, '/api');
	t.is(response.statusCode, 200);
	t.is(response.headers['content-type'], 'application/pkix-cert');
	t.regex(response.headers['content-disposition'] as string, /^attachment; filename="[^"]+\.cer"$/);
	t.is(new X509Certificate(response.rawPayload).publicKey.asymmetricKeyType, 'rsa');
	const expiration = expirationIn(parts, MINUTE_MS);
	const token = await makeAccessToken(parts.identity, { apiKey: caller.apiKey, expiration });
	t.like((await get(parts, `/probe?accessToken=${token}`)).json(), { userId: 'agency', method: 'access-token' });
});

const accessTokenOutcome = test.macro({
	async exec(t, lifetimeMs: number, status: number) {
		const { parts, caller } = await open(t);
		const expiration = expirationIn(parts, lifetimeMs);
		const token = await makeAccessToken(parts.identity, { apiKey: caller.apiKey, expiration });
		t.is((await get(parts, `/probe?accessToken=${token}`)).statusCode, status);
	},
	title: (text) => `spec §5.3.1: an access token ${text}`,
});
test('of a minute is taken', accessTokenOutcome, MINUTE_MS, 200);
test('of exactly an hour is taken', accessTokenOutcome, 60 * MINUTE_MS, 200);
test('of more than an hour is refused', accessTokenOutcome, 61 * MINUTE_MS, 401);
test('that has expired is refused', accessTokenOutcome, -MINUTE_MS, 401);

test('shapes §11: either case of hex is taken, and single use is by key and GUID', async (t) => {
	const { parts, caller } = await open(t);
	const guid = 'AB'.repeat(16);
	const make = (given: string) =>
		makeAccessToken(parts.identity, {
			apiKey: caller.apiKey,
			guid: given,
			expiration: expirationIn(parts, MINUTE_MS),
		});
	t.is((await get(parts, `/probe?accesstoken=${(await make(guid)).toLowerCase()}`)).statusCode, 200);
	isRefused(t, await get(parts, `/probe?accessToken=${await make(guid.toLowerCase())}`));
});

const spentBy = test.macro({
	async exec(t, url: string, status: number) {
		const { parts } = await open(t);
		const caller = await parts.createCaller('reader', { permissions: ['QueryTokens'] });
		const expiration = expirationIn(parts, MINUTE_MS);
		const token = await makeAccessToken(parts.identity, { apiKey: caller.apiKey, expiration });
		const method = url === '/probe' ? 'POST' : 'GET';
		const response = await parts.app.inject({
			method,
			url: `${url}${url.includes('?') ? '&' : '?'}accessToken=${token}`,
		});
		t.is(response.statusCode, status);
		isRefused(t, await get(parts, `/probe?accessToken=${token}`));
	},
	title: (text) => `shapes §11: an access token is spent by a call ${text}`,
});
test('that ends in 403', spentBy, '/probe', 403);
test('that ends in 400', spentBy, '/probe/query?num=0', 400);
test('that ends in a standard 401', spentBy, '/probe/fail/token-not-accessible', 401);
test('that ends in 500', spentBy, '/probe/defect', 500);

test('an access token is not spent by a call that no endpoint matches', async (t) => {
	const { parts, caller } = await open(t);
	const expiration = expirationIn(parts, MINUTE_MS);
	const token = await makeAccessToken(parts.identity, { apiKey: caller.apiKey, expiration });
	t.is((await get(parts, `/nothing?accessToken=${token}`)).statusCode, 404);
	t.is((await get(parts, `/probe?accessToken=${token}`)).statusCode, 200);
});

for (const dialect of databases) {
	test(`spec §5.3.1: of two apps on one ${dialect} database only one takes an access token`, async (t) => {
		const { parts, caller } = await open(t, dialect);
		const { database, keyRing, audit, clock } = parts;
		const identity = openIdentity({ database, keyRing, audit, clock, environment: 'sandbox' });
		const other = await buildApp({ ...parts, identity });
		t.teardown(() => other.close());
		addProbes(other);
		await Promise.all([parts.app.ready(), other.ready()]);
		for (let round = 0; round < 3; round++) {
			const expiration = expirationIn(parts, MINUTE_MS);
			const token = await makeAccessToken(parts.identity, { apiKey: caller.apiKey, expiration });
			const url = `/probe?accessToken=${token}`;
			const calls = [parts.app, other, parts.app, other].map((app) => app.inject({ method: 'GET', url }));
			const statuses = (await Promise.all(calls)).map(({ statusCode }) => statusCode);
			t.deepEqual(statuses.sort(), [200, 401, 401, 401]);
		}
	});
}

test('shapes §1: session token before access token before API key, even if the first is bad', async (t) => {
	const { parts, caller } = await open(t);
	const other = await parts.createCaller('other');
	const session = await sessionToken(other);
	const expiration = expirationIn(parts, MINUTE_MS);
	const access = await makeAccessToken(parts.identity, { apiKey: other.apiKey, expiration });
	const both = await caller.inject('GET', `/probe?accessToken=${access}&sessionToken=${session}`);
	t.like(both.json(), { userId: 'other', method: 'session-token' });
	t.like((await caller.inject('GET', `/probe?accessToken=${access}`)).json(), { method: 'access-token' });
	isRefused(t, await caller.inject('GET', '/probe?sessionToken=bad'));
	isRefused(t, await caller.inject('GET', '/probe?accessToken=bad'));
	isRefused(t, await caller.inject('GET', `/probe?sessionToken=bad&accessToken=${access}`));
	isRefused(t, await caller.inject('GET', '/probe', { headers: { authorization: 'Basic eDp5' } }));
});

test('shapes §11: of a credential that stands twice the first decides; other parameters may stand once', async (t) => {
	const { parts, caller } = await open(t);
	const session = await sessionToken(caller);
	isRefused(t, await get(parts, `/probe/query?sessionToken=bad&sessionToken=${session}&num=1`));
	const url = `/probe/query?sessionToken=${session}&SESSIONTOKEN=bad`;
	t.is((await get(parts, `${url}&num=1&other=1&other=2`)).statusCode, 200, 'what no route knows is ignored');
	isRefused(t, await get(parts, '/probe/query?num=1&num=2'));
	const response = await get(parts, `${url}&num=1&n%75m=1`, { accept: 'application/json' });
	t.is(response.statusCode, 400);
	t.is(response.json().moreInfo, 'num: expected only once');
});

test('spec §5.4.2: a missing permission is 403 with the fields swapped', async (t) => {
	const { parts } = await open(t);
	const reader = await parts.createCaller('reader', { permissions: ['QueryTokens'] });
	const response = await reader.inject('POST', '/probe', { headers: { accept: 'application/json' } });
	t.is(response.statusCode, 403);
	t.deepEqual(response.json(), {
		code: -1003,
		message: 'Permission Tokenize is required',
		moreInfo: 'You are not authorized to access this resource. Please contact customer support.',
	});
});

test('spec §5.4.4: a SenderID other than the caller is 401 with -1003', async (t) => {
	const { caller } = await open(t);
	const headers = { accept: 'application/json', 'content-type': 'application/json' };
	const call = (SenderID: string) =>
		caller.inject('POST', '/probe/sender', { headers, payload: JSON.stringify({ SenderID }) });
	t.is((await call('agency')).statusCode, 200);
	const response = await call('Agency');
	t.is(response.statusCode, 401);
	t.is(response.json().code, -1003);
});

test('spec §2.1: a sub-user acts for its parent', async (t) => {
	const { parts, caller } = await open(t);
	const clerk = await parts.createCaller('clerk', { kind: 'sub-user', parent: 'agency' });
	t.like((await clerk.inject('GET', '/probe')).json(), { userId: 'clerk', ownerId: caller.account.id });
});

test('spec §7.4, §8: beyond its allowance an account is blocked, and only refused calls cost nothing', async (t) => {
	const { parts } = await open(t);
	const caller = await parts.createCaller('small', { allowanceLimit: 2 });
	const headers = { accept: 'application/json', 'content-type': 'application/json' };
	const call = (payload: string) => caller.inject('POST', '/probe', { headers, payload });
	for (let round = 0; round < 5; round++) t.is((await call('{}')).statusCode, 400);
	for (let round = 0; round < 2; round++) t.is((await call('{"Name":"a"}')).statusCode, 200);
	for (let round = 0; round < 2; round++) {
		const response = await call('{"Name":"a"}');
		t.is(response.statusCode, 403);
		t.deepEqual(response.json(), {
			code: -1003,
			message: null,
			moreInfo: 'You are not authorized to access this resource. Please contact customer support.',
		});
	}
	const xml = await caller.inject('POST', '/probe');
	t.false(xml.body.includes('<message>'));
	t.true(xml.body.startsWith('<ErrorBlock><code>-1003</code><moreInfo>'));
	t.is((await caller.inject('GET', '/probe')).statusCode, 200);
});
