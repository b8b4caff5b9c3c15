import test from 'ava';
import { makeAccessToken } from '../helpers/http-probes.ts';
import { expirationIn, get, isRefused, MINUTE_MS, open, sessionToken } from './credentials.setup.ts';

test('spec §5.1: the API key is taken from either header', async (t) => {
	const { parts, caller } = await open(t);
	for (const [name, value] of [
		['x-service-api-key', caller.apiKey],
		['authorization', `APIKEY ${caller.apiKey}`],
	]) {
		const response = await get(parts, '/probe', { [name]: value });
		t.is(response.statusCode, 200);
		t.like(response.json(), { userId: 'agency', method: 'api-key' });
	}
});

const refusedAuthorization = test.macro({
	async exec(t, write: (apiKey: string) => string) {
		const { parts, caller } = await open(t);
		isRefused(t, await get(parts, '/probe', { authorization: write(caller.apiKey) }));
	},
	title: (text) => `spec §5.4.1: an Authorization header ${text} is refused`,
});
test('with two spaces', refusedAuthorization, (key) => `APIKEY  ${key}`);
test('with the word in lower case', refusedAuthorization, (key) => `apikey ${key}`);
test('without the word', refusedAuthorization, (key) => key);
test('with another word', refusedAuthorization, (key) => `Bearer ${key}`);
test('with a tab', refusedAuthorization, (key) => `APIKEY\t${key}`);
test('with something after the key', refusedAuthorization, (key) => `APIKEY ${key} x`);
test('with the word alone', refusedAuthorization, () => 'APIKEY');
test('of the other environment', refusedAuthorization, (key) => `APIKEY ${key.replace('sandbox', 'production')}`);

test('spec §5.2: a session token is plain text and good for any number of calls within five minutes', async (t) => {
	const { parts, caller } = await open(t);
	const response = await caller.inject('POST', '/api/payments/paycard/tempsession', {
		headers: { accept: 'application/json' },
	});
	t.is(response.statusCode, 200);
	t.regex(response.headers['content-type'] as string, /^text\/plain/);
	t.is(response.headers['cache-control'], 'no-store');
	for (const name of ['sessionToken', 'SESSIONTOKEN', 'sessiontoken']) {
		const answered = await get(parts, `/probe?${name}=${response.body}`);
		t.like(answered.json(), { userId: 'agency', method: 'session-token' });
	}
	parts.clock.turn(5 * MINUTE_MS - 1);
	t.is((await get(parts, `/probe?sessionToken=${response.body}`)).statusCode, 200);
	parts.clock.turn(1);
	isRefused(t, await get(parts, `/probe?sessionToken=${response.body}`));
});

test('spec §5.2.1, shapes §11: tempsession takes an API key only', async (t) => {
	const { parts, caller } = await open(t);
	const url = '/api/payments/paycard/tempsession';
	const token = await sessionToken(caller);
	const accessToken = await makeAccessToken(parts.identity, {
		apiKey: caller.apiKey,
		expiration: expirationIn(parts, MINUTE_MS),
	});
	for (const query of [`sessionToken=${token}`, `accessToken=${accessToken}`]) {
		isRefused(t, await parts.app.inject({ method: 'POST', url: `${url}?${query}` }));
	}
});
