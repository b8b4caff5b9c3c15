import { endOfDigits, isAlphanumeric, isDigitAt } from '../ascii.ts';
import { cardBrandOf, LONGEST_CARD } from '../card-digits.ts';
import { LEAST_OF_FIRST_GROUP, MOST_PRINTED_GROUPS, PRINTED_GROUPS } from './printed-groups.ts';

/** A gap between two groups has at most this many bytes: a sign or blank that may be written as an escape. */
const LONGEST_GAP = 6;
/** It is reused. The digits do not stay in it. */
const digits = Buffer.alloc(LONGEST_CARD);

/**
 * Tells whether the digits at `at` are the first group of a card number in the groups that cards are printed in, with the
 * same sign between all of them. Four digits there are no security code, whether or not the number is found as one: with
 * further digits behind the same sign it is not (`4111:1111:1111:1111:1229:7`).
 */
export function isFirstGroup(bytes: Uint8Array, at: number, end: number): boolean {
	const firstEnd = endOfDigits(bytes, at, end);
	if (firstEnd - at !== LEAST_OF_FIRST_GROUP) return false;
	const gap = gapAt(bytes, firstEnd, end);
	if (gap === 0) return false;
	let pattern = 0;
	let count = 0;
	let isCard = false;
	for (let groups = 1, start = at; groups <= MOST_PRINTED_GROUPS && !isCard; groups++) {
		const groupEnd = endOfDigits(bytes, start, end);
		if (groupEnd === start || count + groupEnd - start > LONGEST_CARD) break;
		for (let i = start; i < groupEnd; i++) digits[count++] = bytes[i];
		pattern = pattern * 10 + groupEnd - start;
		isCard = PRINTED_GROUPS.has(pattern) && cardBrandOf(digits, 0, count) !== 0;
		if (!isLike(bytes, firstEnd, groupEnd, gap, end)) break;
		start = groupEnd + gap;
	}
	digits.fill(0);
	return isCard;
}

/** Returns the length of what is between the digits that end at `at` and the next ones; 0 if that is no gap of a number. */
function gapAt(bytes: Uint8Array, at: number, end: number): number {
	const limit = Math.min(end, at + LONGEST_GAP);
	let next = at;
	while (next < limit && !isAlphanumeric(bytes[next])) next++;
	return isDigitAt(bytes, next, end) ? next - at : 0;
}

/** Tells whether the gap of `gap` bytes at `one` is at `other` too. */
function isLike(bytes: Uint8Array, one: number, other: number, gap: number, end: number): boolean {
	if (other + gap > end) return false;
	for (let i = 0; i < gap; i++) if (bytes[one + i] !== bytes[other + i]) return false;
	return true;
}
