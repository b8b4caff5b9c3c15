// Tests spec §5.4.1: callers are never told what was wrong with a credential, neither by the answer nor by its time.

import test, { type ExecutionContext } from 'ava';
import { openHttpApp } from '../helpers/http-app.ts';
import { addProbes, makeAccessToken } from '../helpers/http-probes.ts';
import { takesAsLong } from '../helpers/takes-as-long.ts';

interface Attempt {
	readonly query?: string;
	readonly headers?: Record<string, string>;
}

const MINUTE_MS = 60_000;

async function openAttempts(t: ExecutionContext) {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const { app, identity, clock } = parts;
	const good = await parts.createCaller('agency');
	const revoked = await parts.createCaller('revoked');
	const session = (await revoked.inject('POST', '/api/payments/paycard/tempsession')).body;
	await identity.apiKeys.revoke(revoked.account, 'operator test');
	const expiration = new Date(clock.now().getTime() + MINUTE_MS).toISOString();
	const make = (apiKey: string, when = expiration) => makeAccessToken(identity, { apiKey, expiration: when });
	const spent = await make(good.apiKey);
	await app.inject({ method: 'GET', url: `/probe?accessToken=${spent}` });
	const unknown = `${good.apiKey.slice(0, -5)}AAAAA`;
	const attempts: Record<string, Attempt> = {
		'no header': {},
		'another word': { headers: { authorization: `Bearer ${good.apiKey}` } },
		'the word alone': { headers: { authorization: 'APIKEY' } },
		'unknown key': { headers: { authorization: `APIKEY ${unknown}` } },
		'unknown key in the other header': { headers: { 'x-service-api-key': unknown } },
		'key of the other environment': { headers: { 'x-service-api-key': good.apiKey.replace('sandbox', 'production') } },
		'revoked key': { headers: { 'x-service-api-key': revoked.apiKey } },
		'no such session token': { query: `sessionToken=ts_${'a'.repeat(43)}` },
		'session token of a revoked key': { query: `sessionToken=${session}` },
		'a session token that is none': { query: 'sessionToken=x' },
		'an access token that is none': { query: 'accessToken=x' },
		'spent access token': { query: `accessToken=${spent}` },
		'expired access token': { query: `accessToken=${await make(good.apiKey, '2020-01-01T00:00:00Z')}` },
		'access token of a revoked key': { query: `accessToken=${await make(revoked.apiKey)}` },
		'access token of nonsense': { query: `accessToken=00${'5'.repeat(766)}` },
	};
	let calls = 0;
	const attempt = ({ query, headers }: Attempt) =>
		// Each attempt comes from a new address, so that the limit of failed logins for an address does not stop it.
		app.inject({
			method: 'GET',
			url: query ? `/probe?${query}` : '/probe',
			headers: { accept: 'application/json', 'accept-encoding': 'gzip', ...headers },
			remoteAddress: `10.${++calls >> 16}.${(calls >> 8) & 255}.${calls & 255}`,
		});
	return { attempts, attempt };
}

test('spec §5.4.1: every cause gets the same empty 401 with the same headers', async (t) => {
	const { attempts, attempt } = await openAttempts(t);
	const seen = new Set<string>();
	for (const [cause, given] of Object.entries(attempts)) {
		const response = await attempt(given);
		t.is(response.statusCode, 401, cause);
		t.is(response.body, '', cause);
		const { 'x-request-id': id, date: _date, ...headers } = response.headers;
		t.truthy(id);
		t.is(headers['content-type'], undefined);
		t.is(headers['content-length'], '0');
		t.is(headers['www-authenticate'], undefined);
		seen.add(JSON.stringify(headers));
	}
	t.is(seen.size, 1);
});

test('spec §5.4.1: a refusal takes as long whatever the cause, for credentials of one kind', async (t) => {
	const { attempts, attempt } = await openAttempts(t);
	const causes = Object.entries(attempts).map(([cause, given]) => ({ cause, refuse: () => attempt(given) }));
	// Attempts with access tokens are compared only with each other. Opening an RSA block takes time, and it is no secret that
	// a caller has sent one.
	const isOpened = ({ cause }: { cause: string }) => /access token/.test(cause) && !cause.includes('is none');
	const named = (group: typeof causes) => Object.fromEntries(group.map(({ cause, refuse }) => [cause, refuse]));
	await takesAsLong(t, named(causes.filter(isOpened)), named(causes.filter((each) => !isOpened(each))));
});
