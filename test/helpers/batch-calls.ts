// Batches of cards as bodies, and their answers.

import { VISA } from './card-calls.ts';

export const BATCH = '/api/payments/paycard/batch';
export const NDJSON = { 'content-type': 'application/x-ndjson' };

/** A line of an answer. */
export interface Line {
	readonly index: number;
	readonly token: string | null;
	readonly uri: string | null;
	readonly error: string | null;
	readonly warning: string | null;
}

/** Card data (shapes §2); members given win. */
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
