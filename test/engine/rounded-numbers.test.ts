// A column of numbers that a spreadsheet has rounded is told once, with what to do.

import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import type { Format } from '../../src/engine/format.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

async function isTold(t: ExecutionContext, filter: string, text: string): Promise<boolean> {
	const parts = await openVaultParts(t);
	const engine = parts.engine([formats.get(filter) as unknown as Format<never>]);
	const told = [];
	for (const chunkSizes of [[65_536], [7]]) {
		const request = { filter, accountId: 2, direction: 'tokenize', bytes: Buffer.from(text), chunkSizes } as const;
		const { summary } = await swap(parts, engine, { ...request, options: {} });
		told.push(summary.notices.filter((notice) => notice.includes('spreadsheet had rounded')).length);
	}
	t.is(told[0], told[1]);
	t.true(told[0] <= 1);
	return told[0] === 1;
}

const csv = (...numbers: string[]) => `Card Number,Expiry\n${numbers.map((number) => `${number},12/29\n`).join('')}`;
const json = (...numbers: string[]) => JSON.stringify(numbers.map((cardNumber) => ({ cardNumber, expiry: '12/29' })));
const xml = (...numbers: string[]) =>
	`<T>${numbers.map((number) => `<PaymentCard><CardNumber>${number}</CardNumber></PaymentCard>`).join('')}</T>`;

/** The third passes the check digit by chance. */
const ROUNDED = ['4111111111111110', '5555555555554440', '4111111111111160'];

for (const [filter, make] of [
	['CSV', csv],
	['GBT', csv],
	['SIMPLEJSON', json],
	['TADC', xml],
] as const) {
	test(`${filter}: numbers that all end in 0 and fail the check digit are told as rounded`, async (t) => {
		t.true(await isTold(t, filter, make(...ROUNDED)));
		t.true(await isTold(t, filter, make(...ROUNDED, '378282246310005')), 'beside a number of 15 digits');
		t.false(await isTold(t, filter, make(...ROUNDED, '4111111111111111')), 'beside a whole number');
		t.false(await isTold(t, filter, make(ROUNDED[0], '378282246310005')), 'one mistyped number');
		t.false(await isTold(t, filter, make('3530111333300000', '3530111333300000')), 'good numbers that end in 0');
	});
}
