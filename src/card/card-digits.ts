// Tells whether digits that nobody announced are those of a card.

import { brandOf, CARD_TYPES } from './brand.ts';
import { passesLuhn } from './luhn.ts';

/** A card number has at least and at most this many digits. */
export const SHORTEST_CARD = 13;
export const LONGEST_CARD = 19;
export const MAESTRO = CARD_TYPES.indexOf('Maestro');
/**
 * Digits that begin like a Maestro number are taken for a card number only if there are at least this many. Nobody
 * issues shorter Maestro numbers, and a tenth of the ticket numbers of some airlines would pass for one.
 */
const SHORTEST_MAESTRO = 16;
/** An expiry behind a number is in the years from 2020 to 2059. */
const FIRST_YEAR = 20;
const LAST_YEAR = 59;
const ZERO = 0x30;

/** Returns the brand of `count` digits at `at` if they are a card number, or 0. */
export function cardBrandOf(digits: Uint8Array, at: number, count: number): number {
	if (count < SHORTEST_CARD || count > LONGEST_CARD || !passesLuhn(digits, at, count)) return 0;
	const brand = brandOf(digits, at, count);
	return brand === MAESTRO && count < SHORTEST_MAESTRO ? 0 : brand;
}

/** Tells whether two digits at `month` and two at `year` are a month and the last digits of a year from 2020 to 2059. */
export function isExpiry(bytes: Uint8Array, month: number, year: number): boolean {
	const monthOfYear = valueOfTwo(bytes, month);
	const lastDigits = valueOfTwo(bytes, year);
	return monthOfYear >= 1 && monthOfYear <= 12 && lastDigits >= FIRST_YEAR && lastDigits <= LAST_YEAR;
}

function valueOfTwo(bytes: Uint8Array, at: number): number {
	return (bytes[at] - ZERO) * 10 + bytes[at + 1] - ZERO;
}
