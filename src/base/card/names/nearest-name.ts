// Finds the usual name of a card number column that is most similar to a given column name. The error for a file in
// which no column has card numbers suggests it.

import { foldFieldName } from './field-names.ts';

/** Lists names for a card number as people spell them. A test checks that the vocabulary knows each. */
export const NUMBER_NAMES = [
	...'Card Number, Card No, CC Number, CC No, Credit Card Number, Credit Card No, Card Account Number, PAN'.split(', '),
	...'Guest Card Number, Payment Card Number, FOP Number, Virtual Card Number, VCC Number'.split(', '),
	...'Kartennummer, Karten-Nr, Kreditkartennummer, Kreditkarten-Nr, Kreditkarte'.split(', '),
	...'Numéro de carte, N° de carte, Numéro de carte bancaire, Carte bancaire, Carte de crédit'.split(', '),
	...'Número de tarjeta, Nº tarjeta, Tarjeta, Tarjeta de crédito'.split(', '),
	...'Numero carta, Numero di carta, Carta di credito, Número do cartão, Cartão de crédito, Cartão'.split(', '),
];

/** A name may have one letter that is wrong, missing or extra for every four letters. */
const LETTERS_A_SLIP = 4;
const MAX_SLIPS = 3;

/** Returns the known name of a card number that is similar to a name, if any. */
export function nearestNumberName(name: string): string | undefined {
	const folded = foldFieldName(name);
	let nearest: string | undefined;
	let fewest = Math.min(MAX_SLIPS, Math.floor(folded.length / LETTERS_A_SLIP)) + 1;
	for (const known of NUMBER_NAMES) {
		const slips = distance(folded, foldFieldName(known), fewest);
		if (slips >= fewest) continue;
		fewest = slips;
		nearest = known;
	}
	return nearest;
}

/**
 * Counts the letters of one text that must be inserted, removed, changed or swapped with their neighbour to get the
 * other; returns `limit` for that many or more.
 */
function distance(one: string, other: string, limit: number): number {
	if (Math.abs(one.length - other.length) >= limit) return limit;
	let beforeLast: number[] = [];
	let last = Array.from({ length: other.length + 1 }, (_, i) => i);
	for (let i = 1; i <= one.length; i++) {
		const current = [i];
		for (let j = 1; j <= other.length; j++) {
			const change = one[i - 1] === other[j - 1] ? 0 : 1;
			current[j] = Math.min(last[j] + 1, current[j - 1] + 1, last[j - 1] + change);
			const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
			if (isSwap) current[j] = Math.min(current[j], beforeLast[j - 2] + 1);
		}
		beforeLast = last;
		last = current;
	}
	return Math.min(limit, last[other.length]);
}
