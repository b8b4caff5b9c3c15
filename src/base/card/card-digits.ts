// Tells whether digits that nobody announced are those of a card.

import { twoDigitsAt } from './ascii.ts';
import { brandOf, CARD_TYPES, type CardTypeIndex } from './brand.ts';
import { passesLuhn } from './luhn.ts';

/** A card number has at least and at most this many digits. */
export const SHORTEST_CARD = 13;
export const LONGEST_CARD = 19;
/** The lengths of the card numbers that are issued. The other lengths of a brand are possible, but hardly in use. */
export const ISSUED_LENGTHS: ReadonlySet<number> = new Set([14, 15, 16, 19]);
export const MAESTRO = CARD_TYPES.indexOf('Maestro');
const UNIONPAY = CARD_TYPES.indexOf('UnionPay');
/**
 * Digits that begin like a number of Maestro or UnionPay are taken for a card number only if there are at least this
 * many. Hardly anybody issues shorter ones, and a tenth of the ticket numbers of some airlines would pass for one.
 */
const SHORTEST_OF_WIDE = 16;
/** An expiry behind a number is in the years from 2020 to 2059. */
const FIRST_YEAR = 20;
const LAST_YEAR = 59;

/** Returns the brand of `count` digits at `at` if they are a card number, or 0. */
export function cardBrandOf(digits: Uint8Array, at: number, count: number): CardTypeIndex {
	if (count < SHORTEST_CARD || count > LONGEST_CARD || !passesLuhn(digits, at, count)) return 0;
	return likelyBrandOf(digits, at, count);
}

/**
 * Returns the brand of 13 to 19 digits at `at` that nobody announced and that pass the check digit, or 0 if a number of this
 * length is too unlikely.
 */
export function likelyBrandOf(digits: Uint8Array, at: number, count: number): CardTypeIndex {
	const brand = brandOf(digits, at, count);
	return (brand === MAESTRO || brand === UNIONPAY) && count < SHORTEST_OF_WIDE ? 0 : brand;
}

/** Tells whether two digits at `month` and two at `year` are a month and the last digits of a year from 2020 to 2059. */
export function isExpiry(bytes: Uint8Array, month: number, year: number): boolean {
	const monthOfYear = twoDigitsAt(bytes, month);
	const lastDigits = twoDigitsAt(bytes, year);
	return monthOfYear >= 1 && monthOfYear <= 12 && lastDigits >= FIRST_YEAR && lastDigits <= LAST_YEAR;
}
