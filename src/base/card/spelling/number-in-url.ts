import { holdsCardNumber } from './spelled-number.ts';

/** Tells whether a URL contains a card number. Escapes are resolved first. */
export function urlHoldsCardNumber(url: string): boolean {
	const text = url.replaceAll('+', ' ').replace(/(?:%[0-9a-f]{2})+/gi, decoded);
	return holdsCardNumber(text);
}

function decoded(escaped: string): string {
	return Buffer.from(escaped.replaceAll('%', ''), 'hex').toString('latin1');
}
