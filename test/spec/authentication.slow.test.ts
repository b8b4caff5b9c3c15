// Tests spec §5: what holds for every call that needs a credential. Single causes and edges are tested in
// test/http/credentials.test.ts, failed-logins.test.ts and test/identity/access-tokens.test.ts; what is about the wire in
// wire.slow.test.ts.

import { randomBytes, randomUUID } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { LightMyRequestResponse } from 'fastify';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { localRootKey } from '../../src/base/keys/providers/local.ts';
import { openIdentity } from '../../src/people/identity/identity.ts';
import { permissions } from '../../src/people/identity/permissions.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { asJson, json, storeCard } from '../helpers/card-calls.ts';
import { openTestDatabase } from '../helpers/database.ts';
import { type Caller, type HttpApp, openHttpApp } from '../helpers/http-app.ts';
import { addProbes, makeAccessToken } from '../helpers/http-probes.ts';
import { bare, type ListedOperation, listOperations } from '../helpers/operations.ts';
import { beginSession, sessionCalls, WALLET_SESSION } from '../helpers/wallet-calls.ts';

const MINUTE_MS = 60_000;
const META = '/api/payments/paycard/meta';
const TEMPSESSION = '/api/payments/paycard/tempsession';
const FIXED = 'You are not authorized to access this resource. Please contact customer support.';

const isRefused = ({ statusCode, body, headers }: LightMyRequestResponse) =>
	statusCode === 401 && body === '' && headers['content-type'] === undefined;

async function open(t: ExecutionContext) {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency', { cvvRetention: true });
	return { parts, caller, operations: () => listOperations(parts.app) };
}

const expirationIn = ({ clock }: HttpApp, ms: number) => new Date(clock.now().getTime() + ms).toISOString();
const sessionTokenOf = async (caller: Caller) => (await caller.inject('POST', TEMPSESSION)).body;
const accessTokenOf = (parts: HttpApp, { apiKey }: Caller, ms = MINUTE_MS) =>
	makeAccessToken(parts.identity, { apiKey, expiration: expirationIn(parts, ms) });

test('spec §5.1: both headers get the same answer from every call', async (t) => {
	const { parts, caller, operations } = await open(t);
	for (const operation of await operations()) {
		const either: Record<string, string>[] = [
			{ authorization: `APIKEY ${caller.apiKey}` },
			{ 'x-service-api-key': caller.apiKey },
		];
		const [one, other] = await Promise.all(either.map((headers) => parts.app.inject(bare(operation, '', headers))));
		t.is(one.statusCode, other.statusCode, operation.name);
		t.false(isRefused(one), operation.name);
	}
});

test('spec §5.1: neither header counts in the query, and a key in the place of a token is refused', async (t) => {
	const { parts, caller } = await open(t);
	for (const name of ['x-service-api-key', 'Authorization', 'apiKey', 'sessionToken', 'accessToken']) {
		t.true(isRefused(await parts.app.inject({ method: 'GET', url: `${META}?${name}=${caller.apiKey}` })), name);
	}
});

const needsNone = ({ isPublic }: ListedOperation) => isPublic;

test('spec §5.4.1, shapes §11: everything but the certificate, the root and the pages needs a credential', async (t) => {
	const { parts, operations } = await open(t);
	const all = await operations();
	t.deepEqual(
		all.filter(needsNone).map(({ name }) => name),
		['GET /', 'GET /api'],
	);
	for (const url of ['/openapi.json', '/docs']) t.is((await parts.app.inject({ method: 'GET', url })).statusCode, 200);
	for (const operation of all.filter((each) => !needsNone(each))) {
		t.true(isRefused(await parts.app.inject(bare(operation))), operation.name);
		const wrong = { authorization: 'APIKEY wrong', accept: 'application/json' };
		t.true(isRefused(await parts.app.inject(bare(operation, '', wrong))), operation.name);
	}
});

test('spec §5.2.2, §5.3: session and access tokens are taken by every call but those that need an API key', async (t) => {
	const { parts, caller, operations } = await open(t);
	const all = await operations();
	const keyOnly = all.filter(({ isApiKeyOnly }) => isApiKeyOnly);
	t.deepEqual(
		keyOnly.map(({ url }) => url()).sort(),
		['/api/eWalletOperation', TEMPSESSION],
		'spec §5.2.1, shapes §11',
	);
	const session = await sessionTokenOf(caller);
	for (const operation of all.filter(({ isPublic }) => !isPublic)) {
		for (const query of [`?sessionToken=${session}`, `?accessToken=${await accessTokenOf(parts, caller)}`]) {
			const response = await parts.app.inject(bare(operation, query));
			t.is(isRefused(response), operation.isApiKeyOnly, `${operation.name} ${query.slice(0, 9)}`);
		}
	}
});

test('spec §5.2.3, §5.3.2: a token is a query parameter and counts nowhere else', async (t) => {
	const { parts, caller } = await open(t);
	const session = await sessionTokenOf(caller);
	for (const headers of [
		{ sessionToken: session },
		{ authorization: `APIKEY ${session}` },
		{ authorization: `Bearer ${session}` },
		{ 'x-service-api-key': session },
		{ accessToken: await accessTokenOf(parts, caller) },
	]) {
		t.true(isRefused(await parts.app.inject({ method: 'GET', url: META, headers: headers as never })));
	}
	t.is((await parts.app.inject({ method: 'GET', url: `${META}?sessionToken=${session}` })).statusCode, 200);
});

const lifetime = test.macro({
	async exec(t, ms: number, isTaken: boolean) {
		const { parts, caller } = await open(t);
		const url = `${META}?accessToken=${await accessTokenOf(parts, caller, ms)}`;
		const response = await parts.app.inject({ method: 'GET', url });
		t.is(response.statusCode, isTaken ? 200 : 401);
		t.is(isRefused(response), !isTaken);
	},
	title: (text = '') => `spec §5.3.1, §8: an expiration ${text}`,
});
test('a minute ahead is taken', lifetime, MINUTE_MS, true);
test('sixty minutes ahead is taken', lifetime, 60 * MINUTE_MS, true);
test('more than one hour ahead is refused, if by a second', lifetime, 60 * MINUTE_MS + 1000, false);
test('a day ahead is refused', lifetime, 1440 * MINUTE_MS, false);
test('that is now is refused', lifetime, 0, false);
test('in the past is refused', lifetime, -1000, false);

test('spec §3, §5.3.1: a page that uses an access token is refused on its reload, and after the expiry', async (t) => {
	const { parts, caller } = await open(t);
	const url = `${META}?accessToken=${await accessTokenOf(parts, caller)}`;
	t.is((await parts.app.inject({ method: 'GET', url })).statusCode, 200);
	t.true(isRefused(await parts.app.inject({ method: 'GET', url })));
	const late = `${META}?accessToken=${await accessTokenOf(parts, caller)}`;
	parts.clock.turn(MINUTE_MS);
	t.true(isRefused(await parts.app.inject({ method: 'GET', url: late })));
});

test('spec §2.2, §3: a session token is good for any number of calls of any kind until five minutes have passed', async (t) => {
	const { parts, caller } = await open(t);
	const query = `sessionToken=${await sessionTokenOf(caller)}`;
	const token = await storeCard(caller);
	const calls = [
		['POST', `/api/datablocks?${query}`, 201],
		['GET', `/api/payments/paycard/${token}/meta?${query}`, 200],
		['POST', `/api/payments/paycard/duplicate?cardUri=${token}&${query}`, 201],
		['GET', `/api/jobs?${query}`, 200],
		['DELETE', `/api/payments/paycard/${token}?${query}`, 200],
	] as const;
	for (const [method, url, status] of calls) {
		const response = await parts.app.inject({ method, url, ...(method === 'POST' && json({ Payload: 'x' })) });
		t.is(response.statusCode, status, url);
	}
	parts.clock.turn(5 * MINUTE_MS);
	for (const [method, url] of calls) t.true(isRefused(await parts.app.inject({ method, url })), url);
});

test('spec §1, §2.3, §5.4.1: nothing of one environment is valid in the other', async (t) => {
	const { parts, caller } = await open(t);
	const database = await openTestDatabase(t, 'sqlite');
	const { clock } = parts;
	const environment = 'production' as const;
	const keyRing = await openKeyRing({ database, root: localRootKey(randomBytes(32), 'test'), environment, clock });
	const audit = await openAudit({ database, keyRing, clock });
	const production = openIdentity({ database, keyRing, audit, environment, clock });
	const made = await production.createAccount({ userId: 'agency' }, 'operator test');
	const apiKey = made.secret.reveal();
	const principal = (await production.authenticate({ kind: 'api-key', secret: apiKey }))!;
	const session = (await production.sessionTokens.create(principal)).secret.reveal();
	const expiration = expirationIn(parts, MINUTE_MS);
	const theirs = await makeAccessToken(production, { apiKey, expiration });
	const ourCertificate = await makeAccessToken(parts.identity, { apiKey, expiration });
	const theirCertificate = await makeAccessToken(production, { apiKey: caller.apiKey, expiration });
	for (const [what, query, headers] of [
		['API key', '', { 'x-service-api-key': apiKey }],
		['session token', `?sessionToken=${session}`, {}],
		['access token', `?accessToken=${theirs}`, {}],
		['access token to our certificate', `?accessToken=${ourCertificate}`, {}],
		['access token of our key to their certificate', `?accessToken=${theirCertificate}`, {}],
	] as const) {
		t.true(isRefused(await parts.app.inject({ method: 'GET', url: `${META}${query}`, headers })), what);
	}
	t.is(await production.authenticate({ kind: 'api-key', secret: caller.apiKey }), null);
	const other = await openHttpApp(t);
	const stranger = await other.createCaller('agency');
	const token = await storeCard(caller);
	const answered = await stranger.inject('GET', `/api/payments/paycard/${token}/meta`, asJson);
	t.deepEqual([answered.statusCode, answered.json().code], [401, -1003]);
});

test('spec §5.4.2, shapes §9: each call without its permission is 403, with the fields swapped', async (t) => {
	const { parts, operations } = await open(t);
	const all = await operations();
	for (const permission of new Set(all.flatMap((each) => each.permission ?? []))) {
		const others = permissions.filter((name) => name !== permission);
		const caller = await parts.createCaller(`no${permission}`, { permissions: others });
		for (const { name, method, url } of all.filter((each) => each.permission === permission)) {
			const response = await caller.inject(method, url(), asJson);
			t.is(response.statusCode, 403, name);
			const message = `Permission ${permission} is required`;
			t.deepEqual(response.json(), { code: -1003, message, moreInfo: FIXED }, name);
		}
	}
	const unasked = all.filter(({ permission, isPublic }) => !permission && !isPublic).map(({ name }) => name);
	// Who looks at routes needs one of two permissions (test/http/file-routes.test.ts).
	t.true(
		unasked.every((name) =>
			/^GET \/api\/routes|tempsession$|\/api\/(jobs|booker$|paymentGateway$|eWalletOperation)/.test(name),
		),
		unasked.join(', '),
	);
});

test('shapes §9: a new key has every permission but those that let numbers out or people in', async (t) => {
	const { parts } = await open(t);
	const { apiKey } = await parts.identity.createAccount({ userId: 'fresh' }, 'operator test');
	const lacking = permissions.filter((name) => !apiKey.permissions.has(name));
	t.deepEqual(lacking, ['DisplayCard', 'FileDetokenize', 'ManagePeople']);
});

test('spec §5.4: who is not known is not told what would be permitted or found', async (t) => {
	const { parts } = await open(t);
	const reader = await parts.createCaller('reader', { permissions: ['QueryTokens'] });
	const revoked = { 'x-service-api-key': reader.apiKey };
	const url = '/api/payments/paycard';
	t.is((await parts.app.inject({ method: 'POST', url, headers: revoked })).statusCode, 403);
	await parts.identity.apiKeys.revoke(reader.account, 'operator test');
	t.true(isRefused(await parts.app.inject({ method: 'POST', url, headers: revoked })));
});

test('spec §5.4.4: a SenderID is the user ID of the key itself, not of its parent account', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	await parts.createCaller('agency');
	const clerk = await parts.createCaller('clerk', { kind: 'sub-user', parent: 'agency' });
	const call = (SenderID: string) => clerk.inject('POST', '/probe/sender', json({ SenderID }));
	t.is((await call('clerk')).statusCode, 200);
	for (const sender of ['agency', 'CLERK', ' clerk', randomUUID()]) {
		const response = await call(sender);
		t.is(response.statusCode, 401, sender);
		t.like(response.json(), { code: -1003, message: FIXED });
	}
});

test('spec §5.4.3: a session call without a Bearer header is 401 with a body, by the rules of spec §7.2', async (t) => {
	const { parts, caller } = await open(t);
	const expected = { code: -1003, message: FIXED, moreInfo: 'Authorization: expected Bearer and the session token' };
	const others: Record<string, string>[] = [
		{},
		{ authorization: `APIKEY ${caller.apiKey}` },
		{ authorization: caller.apiKey },
		{ authorization: await beginSession(caller) },
		{ 'x-service-api-key': caller.apiKey },
	];
	for (const { url, method, security } of await sessionCalls(parts)) {
		t.deepEqual(security, [{ walletSession: [] }]);
		for (const query of ['', `?sessionToken=${await sessionTokenOf(caller)}`]) {
			for (const headers of others) {
				const call = { method, url: url + query };
				const inJson = await parts.app.inject({ ...call, headers: { ...headers, accept: 'application/json' } });
				t.is(inJson.statusCode, 401);
				t.deepEqual(inJson.json(), expected);
				t.is(inJson.headers['content-type'], 'text/json; charset=utf-8');
				const inXml = await parts.app.inject({
					...call,
					headers: { ...headers, accept: 'text/html, application/json' },
				});
				t.is(inXml.statusCode, 401);
				t.regex(inXml.body, /^<ErrorBlock><code>-1003<\/code><message>You are not .*<\/message><moreInfo>/);
			}
		}
	}
});

test('spec §5.4.3: a Bearer header with a session token that is not good is 401 with a plain text', async (t) => {
	const { parts, caller } = await open(t);
	const [ended, late] = [await beginSession(caller), await beginSession(await parts.createCaller('other'))];
	await parts.identity.apiKeys.revoke(caller.account, 'operator test');
	const isInvalid = async (token: string) => {
		for (const { url, method } of await sessionCalls(parts)) {
			for (const accept of ['application/json', 'application/xml', '*/*']) {
				const headers = { authorization: `Bearer ${token}`, accept };
				const response = await parts.app.inject({ method, url, headers, remoteAddress: `10.1.0.${++addresses}` });
				t.is(response.statusCode, 401);
				t.is(response.body, 'Session token is invalid');
				t.is(response.headers['content-type'], 'text/plain; charset=utf-8');
			}
		}
	};
	let addresses = 0;
	const other = await parts.createCaller('third');
	for (const token of ['', 'wrong', `ws_${'a'.repeat(43)}`, other.apiKey, await sessionTokenOf(other)]) {
		await isInvalid(token);
	}
	await isInvalid(ended);
	const looked = () =>
		parts.app.inject({ method: 'GET', url: WALLET_SESSION, headers: { authorization: `Bearer ${late}` } });
	parts.clock.turn(5 * MINUTE_MS - 1);
	t.is((await looked()).statusCode, 200);
	parts.clock.turn(1);
	await isInvalid(late);
});
