// Attacks the numbers behind tokens. Somebody who may store cards with duplicate elimination, and who knows first six, last
// four and expiry of stored ones from metadata, tries every number that is left. A number that is answered with the known
// token is the number of the card. BENCH_TRIES says how many are tried.

import type { ExecutionContext } from 'ava';
import { BATCH, card, linesOf, NDJSON, ndjson } from '../test/helpers/batch-calls.ts';
import { candidatesOf } from '../test/helpers/candidates.ts';
import { storeCard } from '../test/helpers/card-calls.ts';
import { openHttpApp } from '../test/helpers/http-app.ts';
import { amount } from './amounts.ts';
import { figure } from './figures.ts';
import { cardNumber } from './generate.ts';
import type { BenchRow } from './table.ts';
import { Teardowns } from './teardowns.ts';

/** The count of numbers in one batch, which is a fraction of what has to be tried for one card. */
const BATCH_NUMBERS = 20_000;

/** Tries candidates, a hundred thousand for each stored card, and counts the recovered numbers and the alarms. */
export async function recoveryRows(): Promise<BenchRow[]> {
	const tries = amount('BENCH_TRIES', 10_000_000);
	await using t = new Teardowns();
	const parts = await openHttpApp(t as unknown as ExecutionContext);
	const owner = await parts.createCaller('owner');
	const clerk = await parts.createCaller('clerk', {
		...{ kind: 'sub-user', parent: 'owner' },
		permissions: ['Tokenize', 'QueryTokens', 'EliminateDuplicates'],
	});
	const recovered: string[] = [];
	let tried = 0;
	const startedAt = performance.now();
	for (let nth = 0; tried < tries; nth++) {
		// The last four digits differ each time, so that first six and last four of each card are a pair of their own.
		const number = cardNumber(nth * 7 + 1);
		const token = await storeCard(owner, '', { Number: number });
		const candidates = candidatesOf(number);
		if (!candidates.includes(number)) throw new Error('internal error: the number is not among its candidates');
		for (let from = 0; from < candidates.length && tried < tries; from += BATCH_NUMBERS) {
			const numbers = candidates.slice(from, from + Math.min(BATCH_NUMBERS, tries - tried));
			const payload = ndjson(numbers.map((each) => card({ Number: each })));
			const answer = await clerk.inject('POST', `${BATCH}?eliminateCardDuplication=true`, {
				payload,
				headers: NDJSON,
			});
			const lines = linesOf(answer.payload);
			if (lines.length !== numbers.length) throw new Error('a batch was not answered to its end');
			recovered.push(...lines.filter((line) => line.token === token).map(({ index }) => numbers[index]));
			tried += numbers.length;
		}
	}
	const seconds = (performance.now() - startedAt) / 1000;
	const alarms = await parts.database.knex('audit').where({ action: 'card.elimination-limit' });
	const kept = await parts.database.knex('elimination_attempts').count({ rows: '*' }).first();
	return [
		{
			what: `${tried.toLocaleString('en-US')} candidates tried in ${Math.round(seconds)} s: numbers recovered`,
			result: String(recovered.length),
			target: '0',
			figures: [figure('recovery/recovered', 'count', recovered.length, { must: 0 })],
		},
		{
			what: 'alarms in the trail',
			result: String(alarms.length),
			target: 'at least 1',
			figures: [figure('recovery/alarms', 'count', alarms.length, { larger: 'better', must: 1 })],
		},
		{
			what: 'rows that the counts take',
			result: String(kept?.rows),
			target: '',
			figures: [figure('recovery/rows', 'count', Number(kept?.rows))],
		},
	];
}
