// Tests the `Idempotency-Key` of calls that stream, push or hand out sessions (shapes §1): a repetition never acts twice.

import test from 'ava';
import { BATCH, card, linesOf, NDJSON, ndjson } from '../helpers/batch-calls.ts';
import { databases } from '../helpers/database.ts';
import { BYTES, CAPTURE, callOf, HEAD, names, openPlain, RELAY, ROW, tokenized, VISA } from '../helpers/file-relay.ts';
import { type Caller, openHttpApp } from '../helpers/http-app.ts';
import { LIST_PROFILE, openPartnership } from '../helpers/third-party.ts';

const JSON_ERROR = { accept: 'application/json' };

function sendBatch(caller: Caller, key: string, payload: string, url = BATCH) {
	return caller.inject('POST', url, { headers: { ...NDJSON, ...JSON_ERROR, 'idempotency-key': key }, payload });
}

for (const dialect of databases) {
	test(`shapes §1: a batch that comes again with its key is stored once and answered as before (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency', { allowanceLimit: 2 });
		const batch = ndjson([card(), card({ Number: '4111111111111112' }), card()]);
		const url = `${BATCH}?ref=may`;
		const first = await sendBatch(caller, 'key-1', batch, url);
		t.is(first.statusCode, 200, first.payload);
		const again = await sendBatch(caller, 'key-1', batch, url);
		t.deepEqual([again.statusCode, again.payload], [200, first.payload]);
		t.is(again.headers['content-type'], first.headers['content-type']);
		t.is((await parts.database.knex('token_refs')).length, 2);
		t.is((await parts.identity.accounts.get('agency')).allowanceUsed, 2);
		const [row] = await parts.database.knex('idempotency_keys');
		t.false(row.sealed.includes(linesOf(first.payload)[0].token!), 'what is kept is sealed');
		for (const [other, path] of [
			[ndjson([card()]), url],
			[batch, BATCH],
		]) {
			const refused = await sendBatch(caller, 'key-1', other, path);
			t.is(refused.statusCode, 400);
			t.is(refused.json().moreInfo, 'Idempotency-Key: was used before with another request');
		}
		t.is((await parts.database.knex('token_refs')).length, 2);
	});

	test(`shapes §1: batches that come at the same time with one key are stored once (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const answers = await Promise.all(
			Array.from({ length: 4 }, () => sendBatch(caller, 'key-1', ndjson([card()]), `${BATCH}?ref=may`)),
		);
		t.is((await parts.database.knex('token_refs')).length, 1);
		t.true(answers.every(({ statusCode }) => [200, 400, 409].includes(statusCode)));
		t.true(answers.some(({ statusCode }) => statusCode === 200));
	});
}

test('shapes §1: a batch whose daemon died is not stored again, and the repetition names it', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const url = `${BATCH}?ref=may`;
	await sendBatch(caller, 'key-1', ndjson([card()]), url);
	// Remembers the hash of the whole request and forgets the key. The next call stores its card and dies before its answer is
	// kept, so that only the hash of its head is there.
	const [{ request_hash }] = await parts.database.knex('idempotency_keys');
	await parts.database.knex('idempotency_keys').delete();
	let death: Error | undefined = new Error('internal error: of this test');
	const { recordAll } = parts.audit;
	parts.audit.recordAll = async (entries, ...rest) => {
		if (entries.some(({ action }) => action === 'card.batch') && death) throw death;
		return recordAll.call(parts.audit, entries, ...rest);
	};
	await sendBatch(caller, 'key-1', ndjson([card()]), url).catch(() => {});
	death = undefined;
	const again = await sendBatch(caller, 'key-1', ndjson([card()]), url);
	t.is(again.statusCode, 409, again.payload);
	t.regex(again.json().moreInfo, /^Idempotency-Key: .*: batch [0-9a-z]{26}$/);
	t.is(again.json().code, -125);
	const [row] = await parts.database.knex('idempotency_keys');
	t.not(row.request_hash, request_hash);
	t.is((await parts.database.knex('token_refs')).length, 2);
});

test('shapes §1: a batch that was refused before its first line leaves its key free', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('poor', { allowanceLimit: 1 });
	await parts.identity.allowance.count({ ownerId: caller.account.id }, 1);
	t.is((await sendBatch(caller, 'key-1', ndjson([card()]))).statusCode, 403);
	await parts.identity.accounts.unblock('poor', 'operator test');
	const type = { headers: { 'content-type': 'text/html', 'idempotency-key': 'key-1' }, payload: 'x' };
	t.is((await caller.inject('POST', BATCH, type)).statusCode, 400);
	t.is((await parts.database.knex('idempotency_keys')).length, 0);
	t.is((await sendBatch(caller, 'key-1', ndjson([card()]))).statusCode, 200);
	t.is((await sendBatch(caller, 'a b', ndjson([card()]))).statusCode, 400);
});

test('shapes §1: an answer that is too long to be kept is not made again', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const cards = ndjson(Array.from({ length: 7_000 }, () => card()));
	t.is((await sendBatch(caller, 'key-1', cards)).statusCode, 200);
	const [row] = await parts.database.knex('idempotency_keys');
	t.is(row.sealed, null);
	t.is((await sendBatch(caller, 'key-1', cards)).statusCode, 409);
	parts.clock.turn(25 * 3_600_000);
	t.is((await sendBatch(caller, 'key-1', ndjson([card()]))).statusCode, 200, 'until its time is over');
});

test('shapes §1: a file that is answered with its tokens is swapped once; the repetition says which it was', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const send = (direction: string, key: string, payload: string | Buffer) =>
		caller.inject('POST', `/api/files/${direction}?filter=SIMPLECSV`, {
			headers: { ...BYTES, ...JSON_ERROR, 'idempotency-key': key },
			payload,
		});
	const first = await send('tokenize', 'key-1', HEAD + ROW);
	t.is(first.statusCode, 200);
	const again = await send('tokenize', 'key-1', HEAD + ROW);
	t.is(again.statusCode, 409);
	t.regex(again.json().moreInfo, /: stream [0-9a-z]{26}$/);
	t.is((await send('tokenize', 'key-1', HEAD + ROW + ROW)).statusCode, 409, 'nor is another file under the same key');
	t.is((await send('detokenize', 'key-1', first.rawPayload)).statusCode, 400);
	t.is((await send('detokenize', 'key-2', first.rawPayload)).payload, HEAD + ROW);
	t.is((await send('detokenize', 'key-2', first.rawPayload)).statusCode, 409);
	const kept = await parts.database.knex('idempotency_keys');
	t.deepEqual(
		kept.map(({ sealed }) => sealed),
		[null, null],
		'nothing of a file is kept',
	);
	t.is((await send('tokenize', 'key-3', '')).statusCode, 200);
	t.is((await send('tokenize', 'key-4', 'no header\n"')).statusCode, 400);
	t.is((await send('tokenize', 'key-4', HEAD + ROW)).statusCode, 200, 'a file that was refused leaves its key free');
});

test('shapes §1: a file goes to a partner once, and its repetition costs and writes nothing', async (t) => {
	const { parts, partner, at } = await openPlain(t);
	const caller = await parts.createCaller('metered', { allowanceLimit: 2 });
	const payload = await tokenized(caller, HEAD + ROW);
	const { url, headers } = callOf(RELAY, at, { overwrite: 'true' });
	const send = (body: string | Buffer, key = 'key-1', to = url) =>
		caller.inject('POST', to, { headers: { ...headers, ...JSON_ERROR, 'idempotency-key': key }, payload: body });
	const first = await send(payload);
	t.is(first.statusCode, 200, first.payload);
	partner.files.delete('in/may.csv');
	const again = await send(payload);
	t.deepEqual([again.statusCode, again.payload], [200, first.payload]);
	t.deepEqual(names(partner), []);
	t.is((await parts.identity.accounts.get('metered')).allowanceUsed, 2);
	t.is((await send(`${payload}\n`)).statusCode, 400);
	t.deepEqual(names(partner), []);
	await parts.database.knex('idempotency_keys').update({ sealed: null, key_id: null, claimed_until: 0 });
	t.is((await send(payload)).statusCode, 504, 'when nobody knows what came of it');
	t.deepEqual(names(partner), []);
});

test('shapes §1: files that go to a partner at the same time with one key are published once', async (t) => {
	const { caller, partner, at, parts } = await openPlain(t);
	const payload = await tokenized(caller, HEAD + ROW);
	const { url, headers } = callOf(RELAY, at, { overwrite: 'true' });
	const call = { headers: { ...headers, 'idempotency-key': 'key-1' }, payload };
	const answers = await Promise.all([caller.inject('POST', url, call), caller.inject('POST', url, call)]);
	t.deepEqual(
		answers.map(({ statusCode, payload }) => [statusCode, payload]),
		Array(2).fill([200, answers[0].payload]),
	);
	t.is((await parts.database.knex('idempotency_keys')).length, 1);
	t.deepEqual(names(partner), ['in/may.csv']);
});

test('shapes §1: a transfer that came to nothing leaves its key free', async (t) => {
	const { caller, partner, at, parts } = await openPlain(t);
	const payload = await tokenized(caller, HEAD + ROW);
	const send = (more: Record<string, string>) => {
		const { url, headers } = callOf(RELAY, at, more);
		return caller.inject('POST', url, { headers: { ...headers, 'idempotency-key': 'key-1' }, payload });
	};
	t.not((await send({ path: 'nowhere' })).statusCode, 200);
	t.is((await parts.database.knex('idempotency_keys')).length, 0);
	t.is((await send({})).statusCode, 200);
	t.deepEqual(names(partner), ['in/may.csv']);
});

test("shapes §1: a partner's file is captured once", async (t) => {
	const { caller, partner, at, parts } = await openPlain(t);
	const payload = await tokenized(caller, HEAD + ROW);
	const relay = callOf(RELAY, at);
	t.is((await caller.inject('POST', relay.url, { headers: relay.headers, payload })).statusCode, 200);
	t.is(partner.files.get('in/may.csv')!.bytes.toString(), HEAD + ROW);
	const { url, headers } = callOf(CAPTURE, at);
	const capture = () => caller.inject('POST', url, { headers: { ...headers, ...JSON_ERROR, 'idempotency-key': 'c' } });
	const first = await capture();
	t.is(first.statusCode, 200, first.payload);
	t.false(first.payload.includes(VISA));
	const again = await capture();
	t.is(again.statusCode, 409);
	t.true(again.json().moreInfo.endsWith(`X-Request-Id ${first.headers['x-request-id']}`));
	t.is((await parts.database.knex('idempotency_keys')).length, 1);
});

test('shapes §1: a push that comes again with its key is passed on once, under keys of its own', async (t) => {
	const { parts, caller, party } = await openPartnership(t, { profiles: [] });
	await parts.profiles.put(caller.account.id, `${LIST_PROFILE}targetUri: ${party.url}/base\n`);
	const headers = { 'content-type': 'application/json', 'idempotency-key': 'key-1' };
	const push = (payload: string) => caller.inject('POST', '/api/inbound/merchant/Several', { headers, payload });
	const first = await push(`{"cards":[{"number":"${VISA}"}]}`);
	t.is(first.statusCode, 200, first.payload);
	const again = await push(`{"cards":[{"number":"${VISA}"}]}`);
	t.deepEqual([again.statusCode, again.payload], [first.statusCode, first.payload]);
	t.is(party.only().headers['idempotency-key'], undefined);
	t.is((await push('{"cards":[]}')).statusCode, 400);
	const own = await caller.inject('POST', '/api/datablocks', { headers, payload: '{"Payload":"x","Reference":"r"}' });
	t.is(own.statusCode, 201, 'the account may use the same one');
});

for (const [what, url, payload] of [
	['a session token', '/api/payments/paycard/tempsession', undefined],
	['a session of the payments library', '/api/eWalletOperation', '{"operation":"TOKENIZE"}'],
] as const) {
	test(`shapes §1: a call for ${what} refuses a key`, async (t) => {
		const parts = await openHttpApp(t);
		const caller = await parts.createCaller('agency');
		const type = payload ? { 'content-type': 'application/json' } : {};
		const headers = { ...type, ...JSON_ERROR };
		const refused = await caller.inject('POST', url, { headers: { ...headers, 'idempotency-key': 'key-1' }, payload });
		t.is(refused.statusCode, 400);
		t.true(refused.payload.includes('Idempotency-Key'), refused.payload);
		t.is((await caller.inject('POST', url, { headers, payload })).statusCode, 200);
	});
}
