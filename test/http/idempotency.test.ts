import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { scheduledTasks } from '../../src/app/scheduled-tasks.ts';
import { ServiceError } from '../../src/base/errors.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';
import type { Call } from '../../src/doors/http/calls/call.ts';
import { purgeIdempotencyKeys } from '../../src/doors/http/idempotency/idempotency-store.ts';
import { databases } from '../helpers/database.ts';
import { type Caller, openHttpApp } from '../helpers/http-app.ts';
import { until } from '../helpers/until.ts';

const HOUR_MS = 3_600_000;
const PROBE = '/probe';
const VISA = '4111111111111111';
const JSON_TYPE = { 'content-type': 'application/json' };

/** Opens the app with a route that counts its calls and answers as the test wants. */
async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres' = 'sqlite') {
	const parts = await openHttpApp(t, dialect);
	const calls = { count: 0, answer: async (): Promise<string> => 'made' };
	parts.app.route({
		method: ['POST', 'DELETE', 'GET'],
		url: PROBE,
		config: { call: { needs: { isBillable: true } } as Call },
		handler: async (_, reply) => {
			calls.count++;
			const text = await calls.answer();
			const number = calls.count;
			reply.code(201).header('location', `/made/${number}`).header('x-service-tokenization-warnings', 'w');
			return reply.header('x-other', 'not kept').type('text/plain; charset=utf-8').send(`${text} ${number}`);
		},
	});
	return { parts, calls, caller: await parts.createCaller('agency') };
}

const post = (
	caller: Caller,
	key: string,
	payload = '{"a":1}',
	url = PROBE,
	method: 'POST' | 'DELETE' | 'GET' = 'POST',
) => caller.inject(method, url, { headers: { ...JSON_TYPE, 'idempotency-key': key }, payload });

for (const dialect of databases) {
	test(`shapes §1: the same key with the same request brings the first answer again (${dialect})`, async (t) => {
		const { parts, calls, caller } = await open(t, dialect);
		calls.answer = async () => `secret ${VISA}`;
		const first = await post(caller, 'key-1');
		const again = await post(caller, 'key-1');
		for (const response of [first, again]) {
			t.is(response.statusCode, 201);
			t.is(response.payload, `secret ${VISA} 1`);
			t.is(response.headers.location, '/made/1');
			t.is(response.headers['content-type'], 'text/plain; charset=utf-8');
			t.is(response.headers['x-service-tokenization-warnings'], 'w');
		}
		t.not(first.headers['x-request-id'], again.headers['x-request-id']);
		t.is(calls.count, 1);
		// Calls of an account without a limit are counted a moment later.
		const used = async () => (await parts.identity.accounts.get('agency')).allowanceUsed;
		await until('the first call is counted', async () => (await used()) > 0);
		await sleep(300);
		t.is(await used(), 1, 'a repeated answer costs nothing');
		const [row] = await parts.database.knex('idempotency_keys');
		t.false(JSON.stringify(row).includes('key-1'));
		t.false(row.sealed.includes(VISA), 'answers are sealed');
	});

	test(`shapes §8: an answer comes again when nothing is left, and what was refused may come again (${dialect})`, async (t) => {
		const { parts, calls } = await open(t, dialect);
		const caller = await parts.createCaller('poor', { allowanceLimit: 1 });
		const used = async () => (await parts.identity.accounts.get('poor')).allowanceUsed;
		const first = await post(caller, 'key-1');
		const again = await post(caller, 'key-1');
		t.deepEqual([again.statusCode, again.payload], [201, first.payload]);
		t.is(await used(), 1);
		const refused = await post(caller, 'key-2');
		t.is(refused.statusCode, 403);
		// Unblocking the account begins its allowance anew.
		await parts.identity.accounts.unblock('poor', 'operator test');
		t.is((await post(caller, 'key-2')).statusCode, 201);
		t.deepEqual([await used(), calls.count], [1, 2]);
	});

	test(`shapes §1: a refusal under a key costs nothing (${dialect})`, async (t) => {
		const { parts, calls } = await open(t, dialect);
		const caller = await parts.createCaller('poor', { allowanceLimit: 1 });
		calls.answer = async () => {
			throw new ServiceError('uri-not-found');
		};
		for (let n = 0; n < 2; n++) t.is((await post(caller, 'key-1')).statusCode, 404);
		t.is((await parts.identity.accounts.get('poor')).allowanceUsed, 0);
		t.is(calls.count, 1);
	});

	test(`shapes §1: calls with one key at the same time run once (${dialect})`, async (t) => {
		const { calls, caller } = await open(t, dialect);
		calls.answer = async () => {
			await sleep(60);
			return 'slow';
		};
		const responses = await Promise.all(Array.from({ length: 5 }, () => post(caller, 'key-1')));
		t.deepEqual(new Set(responses.map(({ payload }) => payload)), new Set(['slow 1']));
		t.is(calls.count, 1);
	});
}

test('shapes §1: the same key with another request is a 400 that names the header', async (t) => {
	const { calls, caller } = await open(t);
	await post(caller, 'key-1', '{"a":1}', `${PROBE}?b=1&A=2`);
	const same = await post(caller, 'key-1', '{"a":1}', `${PROBE}?a=2&B=1`);
	t.is(same.statusCode, 201, 'the order and case of query names do not matter');
	const others = [
		await post(caller, 'key-1', '{"a":2}', `${PROBE}?b=1&a=2`),
		await post(caller, 'key-1', '{"a":1}', `${PROBE}?b=1&a=3`),
		await post(caller, 'key-1', '{"a":1}', `${PROBE}?b=1&a=2?`),
		await post(caller, 'key-1', '{"a":1}', PROBE),
		await post(caller, 'key-1', '{"a":1}', `${PROBE}?b=1&a=2`, 'DELETE'),
	];
	for (const response of others) {
		t.is(response.statusCode, 400);
		t.regex(response.payload, /<moreInfo>Idempotency-Key: /);
	}
	t.is(calls.count, 1);
});

test('shapes §1: an address in the query counts with its own query, escaped or not', async (t) => {
	const { calls, caller } = await open(t);
	const order = (number: number) =>
		post(caller, 'key-1', '{}', `${PROBE}?targetUri=https://a.example/pay?order=${number}`);
	t.is((await order(1)).statusCode, 201);
	t.is((await order(2)).statusCode, 400);
	t.is((await order(1)).statusCode, 201);
	t.is(calls.count, 1);
});

test('shapes §1: the tokens of X-service-cardUri count like those of the query', async (t) => {
	const { calls, caller } = await open(t);
	const pay = (token: string) => {
		const headers = { ...JSON_TYPE, 'idempotency-key': 'key-1', 'x-service-cardUri': token };
		return caller.inject('POST', PROBE, { headers, payload: '{}' });
	};
	const [one, other] = ['1'.repeat(32), '2'.repeat(32)];
	t.is((await pay(one)).statusCode, 201);
	t.is((await pay(other)).statusCode, 400);
	t.is((await post(caller, 'key-1', '{}')).statusCode, 400);
	t.is((await pay(one)).statusCode, 201);
	t.is(calls.count, 1);
});

test('shapes §1: keys belong to their account, and other calls go by', async (t) => {
	const { parts, calls, caller } = await open(t);
	const stranger = await parts.createCaller('stranger');
	await post(caller, 'key-1');
	t.is((await post(stranger, 'key-1', '{"other":1}')).statusCode, 201);
	await post(caller, 'key-2');
	await caller.inject('POST', PROBE, { headers: JSON_TYPE, payload: '{"a":1}' });
	await post(caller, 'key-1', undefined, PROBE, 'GET');
	t.is(calls.count, 5);
});

test('shapes §1: a retry may come with another credential of the account', async (t) => {
	const { parts, calls, caller } = await open(t);
	const first = await post(caller, 'key-1');
	for (let i = 0; i < 2; i++) {
		const session = (await caller.inject('POST', '/api/payments/paycard/tempsession')).payload;
		const response = await parts.app.inject({
			...{ method: 'POST', url: `${PROBE}?sessionToken=${session}`, payload: '{"a":1}' },
			headers: { ...JSON_TYPE, 'idempotency-key': 'key-1' },
		});
		t.is(response.payload, first.payload);
	}
	t.is(calls.count, 1);
});

test('shapes §1: refusals are kept, failures of ours are not', async (t) => {
	const { calls, caller } = await open(t);
	calls.answer = async () => {
		throw new ServiceError('database-unavailable');
	};
	t.is((await post(caller, 'key-1')).statusCode, 503);
	calls.answer = async () => {
		throw new ServiceError('uri-not-found', { moreInfo: 'somewhere' });
	};
	const refused = await post(caller, 'key-1');
	t.is(refused.statusCode, 404);
	calls.answer = async () => 'made';
	const again = await post(caller, 'key-1');
	t.is(again.statusCode, 404);
	t.is(again.payload, refused.payload);
	t.is(again.headers['content-type'], refused.headers['content-type']);
	t.is(calls.count, 2);
});

test('shapes §1: an empty answer is empty again', async (t) => {
	const { parts, caller } = await open(t);
	let count = 0;
	parts.app.delete('/empty', async (_, reply) => {
		count++;
		return reply.code(200).send();
	});
	for (let i = 0; i < 2; i++) {
		const response = await caller.inject('DELETE', '/empty', { headers: { 'idempotency-key': 'key-1' } });
		t.deepEqual([response.statusCode, response.payload, count], [200, '', 1]);
	}
});

test('shapes §1: an answer is compressed or not as each call asks', async (t) => {
	const { caller } = await open(t);
	const headers = { ...JSON_TYPE, 'idempotency-key': 'key-1' };
	const zipped = await caller.inject('POST', PROBE, {
		headers: { ...headers, 'accept-encoding': 'gzip' },
		payload: '{}',
	});
	t.is(zipped.headers['content-encoding'], 'gzip');
	const plain = await caller.inject('POST', PROBE, { headers, payload: '{}' });
	t.is(plain.headers['content-encoding'], undefined);
	t.is(plain.payload, 'made 1');
});

test('shapes §1: after 24 hours a key is free again, and a task forgets it', async (t) => {
	const { parts, calls, caller } = await open(t);
	await post(caller, 'key-1');
	parts.clock.turn(23 * HOUR_MS);
	t.is((await post(caller, 'key-1')).payload, 'made 1');
	t.is(await purgeIdempotencyKeys(parts), 0);
	parts.clock.turn(2 * HOUR_MS);
	t.is((await post(caller, 'key-1', '{"b":1}')).payload, 'made 2');
	parts.clock.turn(25 * HOUR_MS);
	t.is(await purgeIdempotencyKeys(parts), 1);
	t.is(calls.count, 2);
	const settings = loadSettings({ env: {} });
	t.true(scheduledTasks({ ...parts, settings } as never).some(({ name }) => name === 'idempotency-keys'));
});

test('shapes §1: the claim of a daemon that died is taken over', async (t) => {
	const { parts, calls, caller } = await open(t);
	await post(caller, 'key-1');
	await parts.database.knex('idempotency_keys').update({ sealed: null, key_id: null });
	parts.clock.turn(61_000);
	t.is((await post(caller, 'key-1')).payload, 'made 2');
	t.is((await post(caller, 'key-1')).payload, 'made 2');
	t.is(calls.count, 2);
});

test('shapes §1: keys outlive a rotation of the key they are hashed under', async (t) => {
	const { parts, calls, caller } = await open(t);
	await post(caller, 'key-1');
	await parts.keyRing.rotate('credential');
	await parts.keyRing.rotate('secret');
	t.is((await post(caller, 'key-1')).payload, 'made 1');
	t.is(calls.count, 1);
});

test('shapes §1: a key that is no key is a 400', async (t) => {
	const { calls, caller } = await open(t);
	for (const key of ['', 'a b', 'x'.repeat(256)]) {
		const response = await post(caller, key);
		t.is(response.statusCode, 400, key);
		t.regex(response.payload, /Idempotency-Key/);
	}
	t.is(calls.count, 0);
});
