// Tests an attack on duplicate elimination. A caller who may only store cards can know first six, last four and expiry of a
// stored card from its metadata, and try the 100,000 numbers that are left: the number that is answered with the known
// token would be that of the card.

import type { ExecutionContext } from 'ava';
import { BATCH, card, linesOf, NDJSON, ndjson } from '../helpers/batch-calls.ts';
import { onBoth } from '../helpers/caller-stories.ts';
import { candidatesOf } from '../helpers/candidates.ts';
import { asJson, json, postCard, storeCard, tokenOf, VISA } from '../helpers/card-calls.ts';
import type { Caller, HttpApp } from '../helpers/http-app.ts';

const ELIMINATING = '?eliminateCardDuplication=true';

const CANDIDATES = candidatesOf(VISA);

/** Sends a batch with these numbers, and returns the numbers whose line answers with a token that was there before. */
async function tryBatch(caller: Caller, numbers: readonly string[], known: ReadonlySet<string>): Promise<string[]> {
	const payload = ndjson(numbers.map((number) => card({ Number: number })));
	const answer = await caller.inject('POST', `${BATCH}${ELIMINATING}`, { payload, headers: NDJSON });
	return linesOf(answer.payload)
		.filter(({ token }) => token !== null && known.has(token))
		.map(({ index }) => numbers[index]);
}

async function checkAlarm(t: ExecutionContext, { database, logText }: HttpApp, userId: string): Promise<void> {
	const entries = await database.knex('audit').where({ action: 'card.elimination-limit' });
	t.deepEqual(
		entries.map(({ subject }) => subject),
		[`account ${userId}`],
	);
	t.regex(logText(), /duplicate elimination/);
}

onBoth("100,000 candidates tried by a sub-user's key recover no number, and raise an alarm", async (t, parts, demo) => {
	const clerk = await parts.createCaller('clerk', {
		...{ kind: 'sub-user', parent: 'demo' },
		permissions: ['Tokenize', 'QueryTokens', 'EliminateDuplicates'],
	});
	const token = await storeCard(demo);
	t.is(CANDIDATES.length, 100_000);
	t.true(CANDIDATES.includes(VISA));
	t.deepEqual(await tryBatch(clerk, CANDIDATES, new Set([token])), []);
	t.deepEqual(await tryBatch(clerk, [VISA], new Set([token])), [], 'the pair is closed for the rest of the day');
	const refused = await postCard(clerk, ELIMINATING);
	t.deepEqual([refused.statusCode, refused.json().code], [403, -1003]);
	t.regex(refused.json().message, /^Too many different numbers/);
	t.is((await postCard(clerk)).statusCode, 201, 'a card can be stored all the same');
	await checkAlarm(t, parts, 'demo');
	const { kept } = (await parts.database.knex('elimination_attempts').count('* as kept'))[0];
	t.true(Number(kept) <= 21, 'an attack fills no disk');
});

onBoth('candidates stored beforehand without elimination recover no number', async (t, parts, demo) => {
	const token = await storeCard(demo);
	const numbers = [...CANDIDATES.slice(0, 30), VISA];
	for (const number of numbers.slice(0, -1)) await storeCard(demo, '', { Number: number });
	t.deepEqual(await tryBatch(demo, numbers, new Set([token])), []);
	await checkAlarm(t, parts, 'demo');
});

onBoth('candidates tried one by one recover no number, whoever of the account tries them', async (t, parts, demo) => {
	const token = await storeCard(demo);
	const other = await parts.createCaller('clerk', { kind: 'sub-user', parent: 'demo' });
	const numbers = [...CANDIDATES.slice(0, 20), VISA];
	for (const [nth, number] of numbers.entries()) {
		const answer = await postCard(nth % 2 === 0 ? demo : other, ELIMINATING, { Number: number });
		t.is(answer.statusCode, nth < 20 ? 201 : 403);
		if (nth < 20) t.not(tokenOf(answer), token);
	}
	parts.clock.turn(86_400_000);
	t.is(tokenOf(await postCard(demo, ELIMINATING)), token, 'the next day it is answered again');
});

onBoth('a merchant cannot recover the number of a card that it duplicates', async (t, parts, demo) => {
	const shop = await parts.createCaller('shop');
	const token = await storeCard(demo, '?merchantId=shop');
	const copy = tokenOf(await shop.inject('POST', `/api/payments/paycard/duplicate?cardUri=${token}`, json({})));
	t.is((await shop.inject('GET', `/api/payments/paycard/${copy}/meta`, asJson)).statusCode, 200);
	t.deepEqual(await tryBatch(shop, [VISA], new Set([token, copy])), [], 'not even with the first try');
	t.deepEqual(await tryBatch(shop, CANDIDATES, new Set([token, copy])), []);
	await checkAlarm(t, parts, 'shop');
});
