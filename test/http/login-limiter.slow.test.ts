import test from 'ava';
import { defaultDefenderSettings, openDefender } from '../../src/base/defender/defender.ts';
import { openLoginGuard } from '../../src/base/defender/login-guard.ts';
import { DecryptionTurns } from '../../src/doors/http/access/decryption-turns.ts';
import { failedLoginSettings, openLoginLimiter } from '../../src/doors/http/access/login-limiter.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { addProbes, makeAccessToken } from '../helpers/http-probes.ts';
import { turnableClock } from '../helpers/vault-parts.ts';

const MINUTE_MS = 60_000;

test('shapes §11: after 100 failures in 10 minutes an address gets an empty 429, and never with a valid credential', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const caller = await parts.createCaller('agency');
	const fail = (remoteAddress: string) =>
		parts.app.inject({ method: 'GET', url: '/probe', remoteAddress, headers: { 'x-service-api-key': 'wrong' } });
	for (let count = 0; count < 100; count++) t.is((await fail('192.0.2.1')).statusCode, 401);
	const limited = await fail('192.0.2.1');
	t.is(limited.statusCode, 429);
	t.is(limited.body, '');
	t.is(limited.headers['content-type'], undefined);
	t.is(limited.headers['retry-after'], '600');
	t.truthy(limited.headers['x-request-id']);
	t.is((await fail('192.0.2.2')).statusCode, 401);
	t.is((await caller.inject('GET', '/probe', { remoteAddress: '192.0.2.1' })).statusCode, 200);
	parts.clock.turn(10 * MINUTE_MS + 1);
	t.is((await fail('192.0.2.1')).statusCode, 401);
});

test('a session token where only an API key will do is refused without counting', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const url = '/api/payments/paycard/tempsession';
	const token = (await caller.inject('POST', url)).body;
	for (let count = 0; count < 110; count++) {
		t.is((await parts.app.inject({ method: 'POST', url: `${url}?sessionToken=${token}` })).statusCode, 401);
	}
});

test('the sFTP door hears only of an address that goes on beyond the limit', (t) => {
	const clock = turnableClock();
	const shared = openDefender(clock);
	const guard = openLoginGuard({ defender: shared, clock, settings: defaultDefenderSettings });
	const limiter = openLoginLimiter(openDefender(clock, failedLoginSettings), guard);
	for (let count = 0; count < 100; count++) t.false(limiter.noteFailure('192.0.2.1'));
	t.false(shared.isBanned('192.0.2.1'));
	const old = { kind: 'api-key', secret: 'an old key' };
	for (let count = 0; count < 500; count++) t.true(limiter.noteFailure('192.0.2.1', old));
	t.false(shared.isBanned('192.0.2.1'), 'a script with an old key is no guesser');
	for (let count = 0; count < 20; count++) limiter.noteFailure('192.0.2.1', { kind: 'api-key', secret: String(count) });
	t.true(shared.isBanned('192.0.2.1'));
});

test('failures spread over more than 10 minutes do not limit', (t) => {
	const clock = turnableClock();
	const limiter = openLoginLimiter(openDefender(clock, failedLoginSettings), { failed: () => {} });
	for (let count = 0; count < 400; count++) {
		t.false(limiter.noteFailure('192.0.2.1'));
		clock.turn(10 * (MINUTE_MS / 60));
	}
});

test('shapes §11: access tokens of a limited address are refused without a look into most of them', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const certificates = parts.identity.certificates;
	const privateKeys = certificates.privateKeys.bind(certificates);
	let decryptions = 0;
	certificates.privateKeys = () => {
		decryptions++;
		return privateKeys();
	};
	const fail = (remoteAddress: string, count: number) =>
		parts.app.inject({
			url: `/probe?accessToken=${count.toString(16).padStart(768, '0')}`,
			remoteAddress,
		});
	for (let count = 0; count < 100; count++) t.is((await fail('192.0.2.1', count)).statusCode, 401);
	t.is(decryptions, 100);
	const started = performance.now();
	const flood = Array.from({ length: 2000 }, (_, count) => fail('192.0.2.1', count));
	for (const { statusCode } of await Promise.all(flood)) t.is(statusCode, 429);
	const seconds = Math.ceil((performance.now() - started) / 1000) + 1;
	t.true(decryptions <= 100 + 100 * seconds, `${decryptions - 100} tokens were looked into in ${seconds} s`);
	t.true(decryptions > 100);
	const before = decryptions;
	t.is((await fail('192.0.2.2', 1)).statusCode, 401);
	t.is(decryptions, before + 1);
});

test('shapes §11: a valid access token gets through among more than a hundred that are not, from its address or another', async (t) => {
	const parts = await openHttpApp(t);
	addProbes(parts.app);
	const { apiKey } = await parts.createCaller('agency');
	const call = (remoteAddress: string, accessToken: string) =>
		parts.app.inject({ url: `/probe?accessToken=${accessToken}`, remoteAddress });
	const bad = (count: number) => count.toString(16).padStart(768, '0');
	const make = () =>
		makeAccessToken(parts.identity, {
			apiKey,
			expiration: new Date(parts.clock.now().getTime() + MINUTE_MS).toISOString(),
		});
	const addresses = ['192.0.2.1', '192.0.2.2'];
	for (const address of addresses) {
		for (let count = 0; count < 100; count++) await call(address, 'x');
		t.is((await call(address, 'x')).statusCode, 429);
	}
	// Sends as many bad tokens as use up the turns of this moment, and of most of the next second.
	const others = Array.from({ length: 80 }, (_, count) => call('192.0.2.1', bad(count)));
	const valid = await Promise.all(addresses.map(async (address) => call(address, await make())));
	t.deepEqual(
		valid.map(({ statusCode }) => statusCode),
		[200, 200],
	);
	for (const { statusCode } of await Promise.all(others)) t.is(statusCode, 429);
	// An endless flood uses up the turns of its own address, and of no other.
	const flood = Array.from({ length: 1000 }, (_, count) => call('192.0.2.1', bad(count)));
	t.is((await call('192.0.2.2', await make())).statusCode, 200);
	await Promise.all(flood);
});

test('who waits for a turn gets it although a busy thread lets the tick come late', async (t) => {
	const turns = new DecryptionTurns();
	while (turns.take('192.0.2.1') === true);
	const waiting = turns.take('192.0.2.2');
	Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
	t.true(await waiting);
});
