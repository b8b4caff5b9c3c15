// Decides whether a text that is stored or shown in clear (names of files, references, ids, descriptions) contains a
// card number. docs/numbers-in-names.md defines which digits are taken for one.

import { brandOf, CARD_TYPES, possibleLengths } from '../brand.ts';
import { LONGEST_CARD, likelyBrandOf, SHORTEST_CARD } from '../card-digits.ts';
import { findIbans } from '../iban.ts';
import {
	codeOfGroups,
	LEAST_OF_FIRST_GROUP,
	LEAST_OF_GROUP,
	MOST_PRINTED_GROUPS,
	PRINTED_GROUPS,
	SHORTEST_IN_ODD_GROUPS,
} from './printed-groups.ts';
import { SpelledDigits, TOO_FAR } from './spelled-digits.ts';

/**
 * Groups that all have the same number of digits belong to one number no matter what separates them, if they have at
 * most this many.
 */
const MAX_SMALL_GROUP = 2;
const MAX_EVEN_GROUP = 9;
/** The groups of a number with thousands separators have at most this many digits; the first may be shorter. */
const MAX_PARTED_GROUP = 4;

const DATE = '(?:19|20)\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])';
const DAY_FIRST = '(?:0[1-9]|[12]\\d|3[01])(?:0[1-9]|1[0-2])(?:19|20)\\d\\d';
const MONTH_FIRST = '(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])(?:19|20)\\d\\d';
const SHORT_DATE = '\\d\\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\\d|3[01])|(?:0[1-9]|[12]\\d|3[01])(?:0[1-9]|1[0-2])\\d\\d';
const LONG_EXPIRY = '(?:0[1-9]|1[0-2])20\\d\\d|20\\d\\d(?:0[1-9]|1[0-2])';
const EXPIRY = '(?:0[1-9]|1[0-2])\\d\\d|\\d\\d(?:0[1-9]|1[0-2])';
const TIME = '(?:[01]\\d|2[0-3])[0-5]\\d(?:[0-5]\\d)?';
const FACT = `(?:${[DATE, DAY_FIRST, MONTH_FIRST, LONG_EXPIRY, SHORT_DATE, EXPIRY, TIME].join('|')})`;
/**
 * Matches what may be written directly next to a card number: a CVV, an expiry, a date, a time, or two or three of
 * these.
 */
const GLUED = new RegExp(`^(?:\\d{3,4}|${FACT}{1,2}(?:\\d{3,4})?|\\d{3,4}${FACT}{1,2})$`);
const MAX_GLUED = 18;
/** Matches a timestamp with milliseconds, microseconds or nanoseconds, which contains no card number. */
const MOMENT = new RegExp(`^${DATE}(?:[01]\\d|2[0-3])[0-5]\\d[0-5]\\d(?:\\d{3}){1,3}$`);
/** No IBAN is longer than this, even with a blank after every character. */
const MAX_IBAN_CHARACTERS = 70;
/**
 * Matches ids that programs make: a token of the vault, which has 32 hexadecimal characters (spec §2.3) and never 12 decimal
 * digits in a row, and a UUID with a letter (RFC 9562).
 */
const ID =
	/(?<![\da-z])(?:(?![\da-f]*\d{12})[\da-f]{32}|(?=[\d-]{0,35}[a-f])[\da-f]{8}-[\da-f]{4}-[1-8][\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12})(?![\da-z])/gi;
const MAX_ID_CHARACTERS = 36;
/**
 * Matches a date of the years 2000 to 2035. Other years are left out, because many numbers contain eight digits that
 * form a date of some year.
 */
const WHOLE_DATE = /^20(?:[0-2]\d|3[0-5])(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/;

/**
 * Holds the digits of the text that is being examined. One object serves all calls, because an examination is never
 * interrupted by another call.
 */
const digits = new SpelledDigits();

/** Tells whether a text that is stored or shown in clear contains a card number in any spelling. */
export function holdsCardNumber(text: string): boolean {
	const found = digits.read(text).count >= SHORTEST_CARD && eachCardNumber(digits, () => true);
	digits.wipe();
	return found;
}

/**
 * Calls `see` with every card number that the digits of a text spell, as digits `[from, to)`. It stops when `see`
 * returns true, and returns whether it did. The time is proportional to the length of the text.
 */
export function eachCardNumber(digits: SpelledDigits, see: (from: number, to: number) => boolean): boolean {
	for (let first = 0; first < digits.count; ) {
		let end = first + 1;
		while (end < digits.count && digits.gaps[end] < TOO_FAR) end++;
		if (end - first >= SHORTEST_CARD && eachInRun(digits, first, end, see)) return true;
		first = end;
	}
	return false;
}

/** Examines a run of digits that are close enough together to be one number. */
function eachInRun(
	digits: SpelledDigits,
	first: number,
	end: number,
	see: (from: number, to: number) => boolean,
): boolean {
	const { values, gaps } = digits;
	let group = first;
	for (let from = first; from + SHORTEST_CARD <= end; from++) {
		if (gaps[from] > 0) group = from;
		if (from - group > MAX_GLUED) continue;
		const lengths = possibleLengths(values, from);
		if (lengths === 0) continue;
		for (let count = SHORTEST_CARD; count <= LONGEST_CARD && from + count <= end; count++) {
			if ((lengths & (1 << count)) === 0 || !digits.passesLuhn(from, from + count)) continue;
			if (likelyBrandOf(values, from, count) === 0) continue;
			if (!isOneNumber(digits, from, from + count, group, end)) continue;
			if (isInIban(digits, from) || isInId(digits, from, from + count)) continue;
			if (see(from, from + count)) return true;
		}
	}
	return false;
}

/**
 * Tells whether a digit is part of an IBAN. Only the characters near the digit are examined, so that a long text with
 * many numbers does not take longer than necessary.
 */
function isInIban({ text, at }: SpelledDigits, digit: number): boolean {
	const from = Math.max(0, at[digit] - MAX_IBAN_CHARACTERS);
	const around = text.slice(from, at[digit] + MAX_IBAN_CHARACTERS);
	return findIbans(around).some(([start, end]) => at[digit] - from >= start && at[digit] - from < end);
}

/** Tells whether digits `[from, to)` are all part of one id. One token in 4,000 and one UUID in 170 spell a number by chance. */
export function isInId({ text, at }: SpelledDigits, from: number, to: number): boolean {
	const start = Math.max(0, at[from] - MAX_ID_CHARACTERS);
	const [first, last] = [at[from] - start, at[to - 1] - start];
	if (last - first > MAX_ID_CHARACTERS) return false;
	// The character before an id and the one after it are read too, because they may belong to the same word.
	for (const { index, 0: id } of text.slice(start, start + last + MAX_ID_CHARACTERS + 1).matchAll(ID))
		if (index <= first && index + id.length > last) return true;
	return false;
}

/**
 * Tells whether digits `[from, to)` are written as one number, with nothing but a CVV, date or time directly next to
 * it.
 */
function isOneNumber(digits: SpelledDigits, from: number, to: number, group: number, end: number): boolean {
	let after = to;
	while (after < end && digits.gaps[after] === 0 && after - to <= MAX_GLUED) after++;
	if (!isGlue(digits, group, from) || !isGlue(digits, to, after)) return false;
	const isGlued = group < from || after > to;
	const pieces = piecesOf(digits, from, to);
	if (isGlued && pieces.length === 1 && MOMENT.test(digits.slice(group, after))) return false;
	if (pieces.length === 1 && !isGlued) return true;
	if (!isUsualLength(digits, from, to - from)) return false;
	if (pieces.length === 1 || pieces.length === to - from || PRINTED_GROUPS.has(codeOfGroups(pieces))) return true;
	return !isGlued && (isEven(digits, from, pieces) || isOdd(digits, from, pieces));
}

function isGlue(digits: SpelledDigits, from: number, to: number): boolean {
	return from === to || (to - from <= MAX_GLUED && GLUED.test(digits.slice(from, to)));
}

/** Returns the lengths of the groups of digits in which a number is written. */
function piecesOf({ gaps }: SpelledDigits, from: number, to: number): number[] {
	const pieces: number[] = [];
	let start = from;
	for (let i = from + 1; i < to; i++) {
		if (gaps[i] === 0) continue;
		pieces.push(i - start);
		start = i;
	}
	pieces.push(to - start);
	return pieces;
}

/**
 * Tells whether cards of a brand have this length today. Numbers of other lengths are recognised only if they are
 * undivided and have no digits next to them, because they could be a coincidence.
 */
function isUsualLength({ values }: SpelledDigits, from: number, count: number): boolean {
	const name = CARD_TYPES[brandOf(values, from, count)];
	// A UATP number begins with 1, and so does a time in nanoseconds. So UATP numbers are recognised only if they are
	// undivided and have no digits next to them.
	if (name === 'UATP') return false;
	if (name === 'AMEX' || name === 'enRoute') return count === 15;
	if (name === 'DinersClub') return count === 14 || count === 16;
	if (name === 'Visa') return count === 13 || count === 16 || count === 19;
	return count === 16 || count === 18 || count === 19 || (name === 'JCB' && count === 15);
}

/**
 * Tells whether all groups of a number have the same length, such as one, two or three digits, and no group after the
 * first is a date. The first or last group may be shorter.
 */
function isEven(digits: SpelledDigits, from: number, pieces: readonly number[]): boolean {
	const size = pieces.length > 2 ? pieces[1] : Math.max(...pieces);
	if (size > MAX_EVEN_GROUP || pieces[0] > size || pieces.at(-1)! > size) return false;
	if ((pieces.length === 2 || size > MAX_PARTED_GROUP) && pieces[0] !== size) return false;
	if (pieces.length === 2 && pieces[1] !== size) return false;
	let at = from + pieces[0];
	const width = digits.gaps[at];
	for (let i = 1; i < pieces.length; at += pieces[i++]) {
		if (i < pieces.length - 1 && pieces[i] !== size) return false;
		if (size > MAX_SMALL_GROUP && digits.gaps[at] !== width) return false;
		if (WHOLE_DATE.test(digits.slice(at, at + pieces[i]))) return false;
	}
	return true;
}

/**
 * Tells whether a number consists of a few groups, which may differ in length, with the same separator between all of
 * them. Groups before the last must not be very short, the separator must not contain a letter, and no group after the
 * first may be a date.
 */
function isOdd(digits: SpelledDigits, from: number, pieces: readonly number[]): boolean {
	const count = pieces.reduce((sum, piece) => sum + piece, 0);
	if (count < SHORTEST_IN_ODD_GROUPS || pieces.length > MOST_PRINTED_GROUPS || pieces[0] < LEAST_OF_FIRST_GROUP)
		return false;
	let at = from + pieces[0];
	const between = digits.between(at);
	for (let i = 1; i < pieces.length; at += pieces[i++]) {
		if (i < pieces.length - 1 && pieces[i] < LEAST_OF_GROUP) return false;
		if (digits.letters[at] === 1 || digits.between(at) !== between) return false;
		if (WHOLE_DATE.test(digits.slice(at, at + pieces[i]))) return false;
	}
	return true;
}
