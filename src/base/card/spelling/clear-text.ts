// The rule for texts that are stored or shown in clear: they hold no card number.

import { holdsCardNumber } from './spelled-number.ts';

/** Returns why a text may not be kept in clear; undefined if it may. */
export function cardNumberProblem(text: string): string | undefined {
	return holdsCardNumber(text) ? 'looks like a card number' : undefined;
}

/** Returns what is wrong with a URL that contains a card number, also one in escapes; undefined otherwise. */
export function urlCardNumberProblem(url: string): string | undefined {
	return cardNumberProblem(url.replaceAll('+', ' ').replace(/(?:%[0-9a-f]{2})+/gi, decoded));
}

function decoded(escaped: string): string {
	return Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('latin1');
}
