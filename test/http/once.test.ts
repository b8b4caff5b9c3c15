import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createSecureContext, TLSSocket } from 'node:tls';
import test from 'ava';
import type { KeyId } from '../../src/base/database/ids.ts';
import { idempotencyStore } from '../../src/doors/http/idempotency/idempotency-store.ts';
import { card } from '../helpers/batch-calls.ts';
import { storeCard, VISA } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { type Caller, type HttpApp, openHttpApp } from '../helpers/http-app.ts';
import { makeAuthority, rawServer } from '../helpers/outbound-servers.ts';
import { JSON_PROFILE, openPartnership } from '../helpers/third-party.ts';

const post = (caller: Caller, key: string, payload: string | undefined, url: string) =>
	caller.inject('POST', url, { headers: { 'content-type': 'application/json', 'idempotency-key': key }, payload });

for (const dialect of databases) {
	/** Leaves the keys as a daemon does that died between its work and its answer, after its claim has ended. */
	const forgetAnswers = (parts: HttpApp) =>
		parts.database.knex('idempotency_keys').update({ sealed: null, key_id: null, claimed_until: 0 });

	test(`shapes §1: a card is stored once, although the daemon died before it had answered (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const token = await storeCard(caller);
		const calls = {
			store: ['/api/payments/paycard?ref=store', JSON.stringify(card())],
			duplicate: [`/api/payments/paycard/duplicate?ref=duplicate&cardUri=${token}`, undefined],
			network: [`/api/payments/paycard/networkToken?ref=network&cardUri=${token}`, undefined],
			block: ['/api/datablocks', JSON.stringify({ Payload: 'text', Reference: 'block' })],
		} as const;
		for (const [key, [url, payload]] of Object.entries(calls)) {
			const send = () => post(caller, key, payload, url);
			const first = await send();
			t.is(first.statusCode, 201, first.payload);
			await forgetAnswers(parts);
			const again = await send();
			t.is(again.headers.location, first.headers.location);
			t.is(again.payload, first.payload);
			t.is((await send()).headers.location, first.headers.location, 'and is kept from now on');
			t.is((await parts.database.knex('token_refs').where({ reference: key })).length, 1);
		}
	});

	test(`shapes §3: what a call asks beside a token it is given back is added when it is made again (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const url = '/api/payments/paycard?eliminateCardDuplication=true&ref=';
		const [known] = [await post(caller, 'first', JSON.stringify(card()), `${url}first`)];
		const send = () => post(caller, 'second', JSON.stringify(card()), `${url}second`);
		t.is((await send()).headers.location, known.headers.location);
		const beside = () => parts.database.knex('token_refs').where({ reference: 'second' });
		t.is((await beside()).length, 1);
		await forgetAnswers(parts);
		await beside().delete();
		t.is((await send()).headers.location, known.headers.location);
		t.is((await beside()).length, 1);
	});

	test(`a file is one job, although the daemon died before it had answered (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const url = '/api/files/tokenize?filter=SIMPLECSV&async=true';
		const headers = { 'content-type': 'text/csv', 'idempotency-key': 'file' };
		const payload = 'CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2029\n';
		const first = await caller.inject('POST', url, { headers, payload });
		t.is(first.statusCode, 202, first.payload);
		await forgetAnswers(parts);
		const again = await caller.inject('POST', url, { headers, payload });
		t.is(again.headers.location, first.headers.location);
		t.is((await parts.database.knex('jobs')).length, 1);
	});

	test(`whoever has lost the claim stores nothing, and takes nothing from who has it (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const { knex } = parts.database;
		const { store } = parts.vault;
		parts.vault.store = async (request) => {
			await knex('idempotency_keys').update({ claim: 'another daemon' });
			return store(request);
		};
		const answer = await post(caller, 'key', JSON.stringify(card()), '/api/payments/paycard?ref=once');
		t.is(answer.statusCode, 503);
		t.is((await knex('token_refs')).length, 0);
		t.is((await knex('idempotency_keys')).length, 1);
		const [row] = await knex('idempotency_keys');
		const claims = idempotencyStore(parts.database);
		await claims.finish(row, { key_id: 1 as KeyId, sealed: Buffer.from('answer') });
		t.false(await claims.replace(row, { ...row, claim: 'late' }), 'an answer that came in between stays');
	});
}

test('a relay is not sent again when nobody knows what came of it', async (t) => {
	const { parts, relay, party, store } = await openPartnership(t);
	const query = { cardToken: await store() };
	const call = { payload: '{"card":{"number":""}}', headers: { 'idempotency-key': 'key' } };
	t.is((await relay(query, call)).statusCode, 200);
	party.only();
	await parts.database.knex('idempotency_keys').update({ sealed: null, key_id: null, claimed_until: 0 });
	t.is((await relay(query, call)).statusCode, 504);
	t.is((await relay(query, call)).statusCode, 504);
	party.only();
});

test('a relay is not sent again when TLS broke after the target had received the card', async (t) => {
	const authority = await makeAuthority();
	const pair = await authority.issue('localhost');
	const secureContext = createSecureContext(pair);
	let timesReceived = 0;
	const { port } = await rawServer(t, (raw) => {
		const secure = new TLSSocket(raw, { isServer: true, secureContext }).on('error', () => {});
		let received = '';
		secure.on('data', (bytes) => {
			received += bytes;
			if (!received.includes(VISA)) return;
			timesReceived++;
			// Sends a record of application data that cannot be decrypted, which breaks the TLS connection.
			raw.write(Buffer.concat([Buffer.of(23, 3, 3, 0, 32), Buffer.alloc(32, 7)]));
		});
	});
	const profile = `${JSON_PROFILE}authorities: ${JSON.stringify(authority.certificate)}\n`;
	const { relay, store } = await openPartnership(t, { profiles: [profile] });
	const query = { cardToken: await store(), targetUri: `https://localhost:${port}/pay` };
	const call = { headers: { 'idempotency-key': 'broken-tls' } };
	const first = await relay(query, call);
	t.is(first.json().moreInfo, 'targetUri: the TLS connection broke before the answer was complete');
	const again = await relay(query, call);
	t.deepEqual([again.statusCode, again.payload], [502, first.payload]);
	t.is(timesReceived, 1);
});

for (const dialect of databases) {
	test(`a call that left is not made again, although its answer came to a failure of ours (${dialect})`, async (t) => {
		const { parts, capture, party } = await openPartnership(t, { dialect });
		const { audit } = parts;
		const { record } = audit;
		audit.record = async (entry, ...rest) => {
			if (entry.action === 'card.capture') throw new Error('internal error: of this test');
			return record.call(audit, entry, ...rest);
		};
		const call = { payload: '{"card":{"number":""}}', headers: { 'idempotency-key': 'left' } };
		const first = await capture({}, call);
		t.is(first.statusCode, 500);
		audit.record = record;
		for (let times = 0; times < 2; times++) {
			const again = await capture({}, call);
			t.deepEqual([again.statusCode, again.payload], [first.statusCode, first.payload]);
		}
		party.only();
	});
}

test('a call that could not leave leaves its key free', async (t) => {
	const { parts, relay, store } = await openPartnership(t);
	const cardToken = await store();
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as AddressInfo;
	server.close();
	await once(server, 'close');
	const call = { payload: '{"card":{"number":""}}', headers: { 'idempotency-key': 'kept-in' } };
	const refused = await relay({ cardToken, targetUri: `http://127.0.0.1:${port}/` }, call);
	t.is(refused.statusCode, 502, refused.payload);
	t.is((await parts.database.knex('idempotency_keys')).length, 0);
});

for (const dialect of databases) {
	test(`a capture that an outage of the database interrupted is a 504, at once and when it is repeated (${dialect})`, async (t) => {
		const { parts, capture, party } = await openPartnership(t, { dialect });
		const { number, ...rest } = { number: VISA, month: '04', year: '2030', brand: 'Visa' };
		const headers = { 'content-type': 'application/json' };
		party.answers({ headers, body: JSON.stringify({ card: { number, ...rest } }) });
		const { store } = parts.vault;
		const rename = (from: string, to: string) => parts.database.knex.schema.renameTable(from, to);
		const interrupt = (meanwhile?: () => Promise<void>) => {
			parts.vault.store = async () => {
				await meanwhile?.();
				throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
			};
		};
		interrupt();
		const plain = await capture();
		t.deepEqual([plain.statusCode, plain.json().code, plain.headers['retry-after']], [504, -175, undefined]);

		const keyed = (key: string) => capture({}, { payload: '{}', headers: { 'idempotency-key': key } });
		const kept = [await keyed('kept'), await keyed('kept')];
		t.deepEqual(
			kept.map(({ statusCode }) => statusCode),
			[504, 504],
		);
		// Without its table the answer of the interrupted call cannot be kept.
		interrupt(async () => rename('idempotency_keys', 'away'));
		t.is((await keyed('not-kept')).statusCode, 504);
		await rename('away', 'idempotency_keys');
		parts.vault.store = store;
		t.is((await keyed('not-kept')).statusCode, 504);
		t.is(party.seen.length, 3, 'no call was made twice');
	});
}

test('an outage of the database before a call is sent is a 503, and the call may be repeated', async (t) => {
	const { parts, relay, party, store } = await openPartnership(t);
	const query = { cardToken: await store() };
	const { audit } = parts;
	const { record } = audit;
	audit.record = async () => {
		throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
	};
	const call = { payload: '{"card":{"number":""}}', headers: { 'idempotency-key': 'key' } };
	const refused = await relay(query, call);
	t.deepEqual([refused.statusCode, refused.headers['retry-after']], [503, '5']);
	audit.record = record;
	t.is((await relay(query, call)).statusCode, 200);
	party.only();
});
