// Finds the card numbers in a value that stands where a card number is expected, with whatever people write beside them:
// `VISA 4111…`, `#4111…`, `4111… exp 12/29`, two numbers in one cell.

import { isAlphanumeric, isDigit, isHexDigit } from '../ascii.ts';
import { passesLuhn } from '../luhn.ts';
import { endOfWhole, NumberReading, TOKEN_LENGTH } from '../number.ts';
import { valueEnd, valueStart } from '../spelling/blanks.ts';
import { MAX_CARD_DIGITS } from '../verdict.ts';
import { NumberPlaces } from './number-places.ts';
import { OtherNumbers } from './other-numbers.ts';
import { findInValue } from './unescaped.ts';

const MIN_CARD_DIGITS = 12;
const BLANK = 0x20;

/** Searches one value at a time. It keeps digits in clear, so call `wipe` when done. */
export class ValueNumbers {
	/** True if nothing but blanks, invisible characters and a fraction of zeros is beside the one number that was found last. */
	isWhole = false;
	readonly #numbers: OtherNumbers;
	readonly #reading = new NumberReading();
	readonly #places = new NumberPlaces();

	/** `hasLists` has the meaning that it has for `OtherNumbers`. */
	constructor(hasLists = false) {
		this.#numbers = new OtherNumbers(hasLists, true);
	}

	/**
	 * Adds to `places` the numbers in the value `bytes[start, end)`: those that are found in any text, or, if there are
	 * none, the number from the first digit to the last, of the value or of each word in it, whose brand need not be known.
	 */
	find(bytes: Buffer, start: number, end: number, places: NumberPlaces): void {
		const from = valueStart(bytes, start, end);
		const to = endOfWhole(bytes, from, valueEnd(bytes, from, end));
		this.isWhole = this.#isNumber(bytes, from, to);
		if (this.isWhole) places.add(from, to);
		else {
			const known = places.count;
			this.#numbers.find(bytes, from, to, places);
			if (places.count > known || this.#addLone(bytes, from, to, places)) return;
			for (let at = from, word = from; at <= to; at++) {
				if (at < to && bytes[at] !== BLANK) continue;
				this.#addLone(bytes, word, at, places);
				word = at + 1;
			}
		}
	}

	/** Tells whether the value `bytes[start, end)` holds a number, or text like a token. */
	holdsCard(bytes: Buffer, start: number, end: number): boolean {
		if (end - start < MIN_CARD_DIGITS) return false;
		this.#places.clear();
		findInValue(this, bytes, start, end, this.#places);
		this.wipe();
		return this.#places.count > 0 || indexOfToken(bytes, start, end) !== -1;
	}

	wipe(): void {
		this.#numbers.wipe();
		this.#reading.clear();
	}

	#isNumber(bytes: Buffer, start: number, end: number): boolean {
		const { kind, count, digits, hasOtherCharacters } = this.#reading.read(bytes, start, end);
		if (kind !== 'digits' || hasOtherCharacters) return false;
		return count >= MIN_CARD_DIGITS && count <= MAX_CARD_DIGITS && passesLuhn(digits, 0, count);
	}

	/** Adds the number from the first digit of a text to the last, and returns whether there is one. */
	#addLone(bytes: Buffer, start: number, end: number, places: NumberPlaces): boolean {
		let first = start;
		let after = end;
		while (first < end && !isDigit(bytes[first])) first++;
		while (after > first && !isDigit(bytes[after - 1])) after--;
		// Letters directly beside the digits belong to another number, such as an IBAN.
		if ((first > start && isAlphanumeric(bytes[first - 1])) || (after < end && isAlphanumeric(bytes[after])))
			return false;
		const isNumber = this.#isNumber(bytes, first, after);
		if (isNumber) places.add(first, after);
		return isNumber;
	}
}

/**
 * Returns the offset of the first hexadecimal digits in `bytes[start, end)` that are as many as a token has, or -1. They
 * always contain one of the bytes 31, 63, 95 and so on, counted from 0, so only these are examined first.
 */
export function indexOfToken(bytes: Uint8Array, start: number, end: number): number {
	for (let i = start + TOKEN_LENGTH - 1; i < end; i += TOKEN_LENGTH) {
		if (!isHexDigit(bytes[i])) continue;
		let first = i;
		while (first > start && isHexDigit(bytes[first - 1])) first--;
		while (i + 1 < end && isHexDigit(bytes[i + 1])) i++;
		if (i + 1 - first >= TOKEN_LENGTH) return first;
	}
	return -1;
}
