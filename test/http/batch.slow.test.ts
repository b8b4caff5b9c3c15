// Those tests of batch.test.ts that take long.

import test from 'ava';
import { BATCH, card, linesOf, NDJSON, ndjson } from '../helpers/batch-calls.ts';
import { VISA } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { clientOf } from '../helpers/openapi-client.ts';
import { brokenList } from './batch.setup.ts';

for (const dialect of databases) {
	test(`shapes §3: the same cards in batches at the same time have one token each (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const payload = ndjson([VISA, '4012888888881881', VISA].map((number) => card({ Number: number })));
		const url = `${BATCH}?eliminateCardDuplication=true`;
		const answers = await Promise.all(
			Array.from({ length: 4 }, () => caller.inject('POST', url, { headers: NDJSON, payload })),
		);
		const tokens = answers.map((answer) => linesOf(answer.payload).map(({ token }) => token));
		t.is(tokens[0][0], tokens[0][2]);
		for (const each of tokens) t.deepEqual(each, tokens[0]);
		t.is((await parts.database.knex('fingerprints')).length, 2);
	});
}

test('no card', brokenList, ',]', /a card is missing at offset \d+$/);
test('no JSON', brokenList, ',{"BankCard":nonsense}]', /not valid JSON at offset \d+$/);
test('something behind it', brokenList, ']x', /nothing may follow the list, but something does at offset \d+$/);

test('shapes §3: reference, merchant, duplicates and CVV hold for every card', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency', { cvvRetention: true });
	const merchant = await parts.createCaller('hotel');
	const client = await clientOf(parts, caller);
	const visa = { Type: 'Visa' as const, Number: VISA, ExpirationDate: { Month: '04', Year: '2030' }, CVV: '306' };
	const body = [visa, visa, { ...visa, Number: '5555555555554444' }].map((BankCard) => ({ BankCard }));
	const send = async (query: { ref: string; merchantId?: string }) => {
		const ndjsonBody = { type: 'application/x-ndjson', as: 'application/x-ndjson', body } as const;
		const call = { query: { ...query, eliminateCardDuplication: true }, ...ndjsonBody };
		return (await client.expect(200, `POST ${BATCH}`, call)).body;
	};
	const first = await send({ ref: 'trip-1', merchantId: 'hotel' });
	t.is(first[0].token, first[1].token);
	t.not(first[0].token, first[2].token);
	const inAnyCase = `${BATCH}?REF=trip-1&merchantid=hotel&eliminatecardduplication=true`;
	const again = linesOf((await caller.inject('POST', inAnyCase, { headers: NDJSON, payload: ndjson(body) })).payload);
	t.is(again[2].token, first[2].token);
	const found = await parts.vault.findMetadata(caller.account.id, first[0].token as never);
	t.is(found?.reference, 'trip-1');
	t.deepEqual(found?.merchantIds, [merchant.account.id]);
	t.truthy(found?.cvvEndsAt);
	t.truthy(await parts.vault.find(merchant.account.id, first[0].token as never));
	const known = await send({ ref: 'trip-2' });
	t.is(known[2].token, first[2].token);
	const named = await parts.vault.list(caller.account.id, { from: 0, num: 10, reference: 'trip-2' });
	t.deepEqual(named.map(({ token }) => token).sort(), [first[0].token, first[2].token].sort() as never);
});

for (const dialect of databases) {
	test(`shapes §11: batches in parallel store no more cards than the allowance has units (${dialect})`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency', { allowanceLimit: 1_000 });
		const payload = ndjson(Array(400).fill(card()));
		const answers = await Promise.all(
			Array.from({ length: 6 }, () => caller.inject('POST', BATCH, { headers: NDJSON, payload })),
		);
		const stored = answers
			.filter(({ statusCode }) => statusCode === 200)
			.flatMap((answer) => linesOf(answer.payload).filter(({ token }) => token !== null));
		t.is(stored.length, 1_000);
		t.is((await parts.identity.accounts.get('agency')).allowanceUsed, 1_000);
	});
}

test('a card of more than 64 KiB ends the batch, and those before it stay', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const first = ndjson([card()]);
	const payload = `${first}{"BankCard":{"NameOnCard":"${'a'.repeat(66_000)}`;
	const [stored, refused, ...rest] = linesOf(
		(await caller.inject('POST', BATCH, { headers: NDJSON, payload })).payload,
	);
	t.truthy(await parts.vault.find(caller.account.id, stored.token as never));
	t.is(refused.error, `body: a card is longer than 65536 bytes at offset ${first.length}`);
	t.deepEqual(rest, []);
});
