// Recognises a card number whose digits are split over several values: `{"first6": "411111", "middle6": …, "last4": …}`.

import { areDigits } from '../../src/base/card/ascii.ts';
import { cardBrandOf, LONGEST_CARD } from '../../src/base/card/card-digits.ts';

/** A part of a number has at least and at most this many digits; shorter values are counters. */
const MIN_PART_DIGITS = 3;
const MAX_PART_DIGITS = 12;

/** Tells whether a value has only digits, and as many as a part of a card number may have. */
export function isNumberPart(bytes: Uint8Array, start: number, end: number): boolean {
	if (end - start < MIN_PART_DIGITS || end - start > MAX_PART_DIGITS) return false;
	return areDigits(bytes, start, end);
}

/**
 * Tells whether two or more values are the parts of one card number: their digits, joined in order, have the first
 * digits and the length of a brand and a correct check digit.
 * @param spans holds the start and end of each value, one behind the other
 */
export function isSplitNumber(bytes: Uint8Array, spans: readonly number[]): boolean {
	const digits = Buffer.alloc(LONGEST_CARD);
	let count = 0;
	for (let i = 0; i < spans.length; i += 2) {
		const [start, end] = [spans[i], spans[i + 1]];
		if (!isNumberPart(bytes, start, end) || count + end - start > LONGEST_CARD) return false;
		for (let at = start; at < end; at++) digits[count++] = bytes[at];
	}
	const isNumber = spans.length > 2 && cardBrandOf(digits, 0, count) !== 0;
	digits.fill(0);
	return isNumber;
}
