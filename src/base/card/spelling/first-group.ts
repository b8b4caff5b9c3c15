import { areAlike, areDigits, isAlphanumeric, isDigit } from '../ascii.ts';
import { cardBrandOf, LONGEST_CARD } from '../card-digits.ts';
import { isMask } from '../number.ts';
import {
	LEAST_OF_FIRST_GROUP,
	LEAST_OF_GROUP,
	MOST_PRINTED_GROUPS,
	PRINTED_GROUPS,
	SHORTEST_IN_ODD_GROUPS,
} from './printed-groups.ts';

/** A gap between two groups has at most this many bytes: a sign or blank that may be written as an escape. */
const LONGEST_GAP = 6;
/** A masked number has at least this many mask characters, and this many characters up to the last of them. */
const LEAST_MASKS = 4;
const SHORTEST_MASKED = 10;
const HASH = 0x23;
/** It is reused. The digits do not stay in it. */
const digits = Buffer.alloc(LONGEST_CARD);

/**
 * Tells whether the digits at `at` are the first group of a card number in groups in which numbers are found among other
 * digits, with the same sign between all of them. Four digits there are no security code, whether or not the number is
 * found as one: with further digits behind the same sign it is not (`4111:1111:1111:1111:1229:7`), nor is it once it is
 * masked.
 */
export function isFirstGroup(bytes: Uint8Array, at: number, end: number): boolean {
	const firstEnd = endOfGroup(bytes, at, end);
	// Stars may be those of a code, which detokenizing looks for.
	if (firstEnd - at !== LEAST_OF_FIRST_GROUP || !areDigits(bytes, at, firstEnd)) return false;
	const gap = gapAt(bytes, firstEnd, end);
	if (gap === 0) return false;
	let pattern = 0;
	let count = 0;
	let masks = 0;
	let isLong = true;
	let isNumber = false;
	for (let groups = 1, start = at; groups <= MOST_PRINTED_GROUPS && !isNumber; groups++) {
		const groupEnd = endOfGroup(bytes, start, end);
		if (groupEnd === start || count + groupEnd - start > LONGEST_CARD) break;
		for (let i = start; i < groupEnd; i++) {
			if (!isDigit(bytes[i])) masks++;
			digits[count++] = bytes[i];
		}
		pattern = pattern * 10 + groupEnd - start;
		const isGrouped = PRINTED_GROUPS.has(pattern) || (isLong && count >= SHORTEST_IN_ODD_GROUPS);
		isNumber =
			masks === 0 ? isGrouped && cardBrandOf(digits, 0, count) !== 0 : masks >= LEAST_MASKS && count >= SHORTEST_MASKED;
		isLong &&= groupEnd - start >= LEAST_OF_GROUP;
		if (groupEnd + gap > end || !areAlike(bytes, firstEnd, groupEnd, gap)) break;
		start = groupEnd + gap;
	}
	digits.fill(0);
	return isNumber;
}

/** Returns the end of the digits and mask characters at `at`. One mask character alone may be a sign, or an x behind digits. */
function endOfGroup(bytes: Uint8Array, at: number, end: number): number {
	for (;;) {
		while (at < end && isDigit(bytes[at])) at++;
		let after = at;
		while (after < end && bytes[after] !== HASH && isMask(bytes[after])) after++;
		if (after - at < 2) return at;
		at = after;
	}
}

/** Returns the length of what is between the group that ends at `at` and the next one; 0 if that is no gap of a number. */
function gapAt(bytes: Uint8Array, at: number, end: number): number {
	const limit = Math.min(end, at + LONGEST_GAP);
	let next = at;
	while (next < limit && !isAlphanumeric(bytes[next]) && endOfGroup(bytes, next, end) === next) next++;
	return next < end && endOfGroup(bytes, next, end) > next ? next - at : 0;
}
