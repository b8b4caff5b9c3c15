// Makes the bodies of batches, and reads their answers.

import { VISA } from './card-calls.ts';

export const BATCH = '/api/payments/paycard/batch';
export const NDJSON = { 'content-type': 'application/x-ndjson' };

/** One line of an answer. */
export interface Line {
	readonly index: number;
	readonly token: string | null;
	readonly uri: string | null;
	readonly error: string | null;
	readonly warning: string | null;
}

/** Returns card data (shapes §2); the given members replace the usual ones. */
export function card(more: object = {}): object {
	return { BankCard: { Type: 'Visa', Number: VISA, ExpirationDate: { Month: '04', Year: '2030' }, ...more } };
}

export function ndjson(cards: readonly object[]): string {
	return cards.map((each) => `${JSON.stringify(each)}\n`).join('');
}

export function linesOf(text: string): Line[] {
	return text
		.split('\n')
		.filter((line) => line !== '')
		.map((line) => JSON.parse(line));
}
