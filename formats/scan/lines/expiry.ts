// Reads the expiry after a card number on a line, as travel hosts and agents write it.

import { isDigit } from '../../../src/card/ascii.ts';
import { EXPIRY_ABSENT, EXPIRY_UNREADABLE, type Expiry, expiryOf } from '../../../src/card/expiry.ts';
import { areFourDigits, isDigitAt, isExp, isGluedExpiry } from './number.ts';
import { Words } from './words.ts';

const BLANK = 0x20;
const STAR = 0x2a;
const PLUS = 0x2b;
const HYPHEN = 0x2d;
const POINT = 0x2e;
const SLASH = 0x2f;
const COLON = 0x3a;
/** At most this many blanks may fill the columns of a number before `/12/29/` or `/1229/`. */
const MAX_FILL = 24;
const THIS_CENTURY = 20;
/** At most this many separators may be before a label, and behind a word. */
const MAX_LABEL_SEPARATORS = 3;
/** People write these words before an expiry. */
const EXPIRY_WORDS = new Words([
	...['EXPIRY', 'EXPIRY DATE', 'EXPIRES', 'EXPIRATION', 'EXPIRATION DATE', 'EXP DATE', 'EXPDATE', 'EXP. DATE'],
	...['VALID', 'VALID THRU', 'VALID THROUGH', 'VALID TO', 'VALID TILL', 'VALID UNTIL', 'GOOD THRU'],
]);

/** Reads the month and year `MMYY` at `at`. */
export function readMonthYear(bytes: Uint8Array, at: number): Expiry {
	return expiryOf(twoDigits(bytes, at), twoDigits(bytes, at + 2));
}

/**
 * Reads the expiry directly after a number: `/1229`, `+1229`, `-1229`, `1229`, `D1229`, `/D1229`, `N1229`,
 * `EXP 12 29`, `-EXP-1229` and `/12/29`. `#`, `@` and the cross of Lorraine (0xA5, or 0xC2 0xA5 after a conversion to
 * UTF-8) can replace the slash. In a field of the layout (`isCertain`), four digits after a slash are always the expiry, valid or
 * not. After EXP or a cross this is true everywhere. In other cases they may be anything, so the month must be real.
 */
export function readExpiryBehind(bytes: Uint8Array, at: number, end: number, isCertain: boolean): Expiry {
	if (at >= end) return EXPIRY_ABSENT;
	const byte = bytes[at];
	// 0x44 is D, 0x4e is N. The four digits after N may also be an approval code, so without a real month they are no
	// expiry.
	if (byte === 0x44 && areFourDigits(bytes, at + 1, end)) return readMonthYear(bytes, at + 1);
	if (byte === 0x4e && areFourDigits(bytes, at + 1, end)) return Math.max(readMonthYear(bytes, at + 1), EXPIRY_ABSENT);
	if (isDigit(byte)) return isGluedExpiry(bytes, at, end) ? readMonthYear(bytes, at) : EXPIRY_ABSENT;
	// Galileo writes `/D1229` and `*D1229`. Other digits there may be a deposit, so the month must be real.
	const isSigned = (byte === SLASH || byte === STAR) && bytes[at + 1] === 0x44;
	if (isSigned && isGluedExpiry(bytes, at + 2, end)) return readMonthYear(bytes, at + 2);
	const labelled = behindLabel(bytes, at, end);
	if (labelled !== -1) return readMonthAndYear(bytes, labelled, end, true);
	const worded = behindWord(bytes, at, end);
	if (worded !== -1) return Math.max(readMonthAndYear(bytes, worded, end, true), EXPIRY_ABSENT);
	if (byte === BLANK) return readBehindFill(bytes, at, end);
	const cross = crossLength(bytes, at, end);
	if (cross === 0 && byte !== SLASH && byte !== PLUS && byte !== HYPHEN) return EXPIRY_ABSENT;
	const expiry = readMonthAndYear(bytes, at + (cross || 1), end, false);
	const isSure = cross > 0 || (byte === SLASH && isCertain);
	return expiry === EXPIRY_UNREADABLE && !isSure ? EXPIRY_ABSENT : expiry;
}

/** Returns where the digits after `EXP`, ` EXP`, `/EXP-` or `/-EXP-` begin, or -1 if none are there. */
function behindLabel(bytes: Uint8Array, at: number, end: number): number {
	let label = at;
	while (label < end && label < at + MAX_LABEL_SEPARATORS && isLabelSeparator(bytes[label])) label++;
	if (!isExp(bytes, label, end)) return -1;
	let digits = label + 3;
	for (let skipped = 0; skipped < 2 && digits < end && isLabelSeparator(bytes[digits]); skipped++) digits++;
	return isDigitAt(bytes, digits, end) ? digits : -1;
}

/**
 * Returns where the digits after a whole word such as ` EXPIRES ` or ` VALID THRU: ` begin, or -1 if none are there. They
 * may be something else than an expiry.
 */
function behindWord(bytes: Uint8Array, at: number, end: number): number {
	let word = at;
	while (word < end && word < at + MAX_LABEL_SEPARATORS && isLabelSeparator(bytes[word])) word++;
	if (word >= end) return -1;
	const index = EXPIRY_WORDS.findAt(bytes, word, end);
	if (index === -1) return -1;
	let digits = word + EXPIRY_WORDS.list[index].length;
	const limit = Math.min(end, digits + MAX_LABEL_SEPARATORS);
	while (digits < limit && isLabelSeparator(bytes[digits])) digits++;
	// `VALID 12-15 MAR` is a range of days, so only digits without a separator and those with a slash are an expiry.
	const isClear = areFourDigits(bytes, digits, end) || (digits + 2 < end && bytes[digits + 2] === SLASH);
	return isClear && isDigitAt(bytes, digits, end) ? digits : -1;
}

function isLabelSeparator(byte: number): boolean {
	return byte === BLANK || byte === SLASH || byte === HYPHEN || byte === STAR || byte === COLON || byte === POINT;
}

/**
 * Reads an expiry after blanks: in ` /12/29/` and ` /1229/` blanks fill the columns that the number leaves empty.
 */
function readBehindFill(bytes: Uint8Array, at: number, end: number): Expiry {
	const limit = Math.min(end, at + MAX_FILL);
	let slash = at;
	while (slash < limit && bytes[slash] === BLANK) slash++;
	if (slash === limit || bytes[slash] !== SLASH) return EXPIRY_ABSENT;
	const isClosed = areFourDigits(bytes, slash + 1, end) && slash + 5 < end && bytes[slash + 5] === SLASH;
	if (bytes[slash + 3] !== SLASH && !isClosed) return EXPIRY_ABSENT;
	const expiry = readMonthAndYear(bytes, slash + 1, end, false);
	return expiry === EXPIRY_UNREADABLE ? EXPIRY_ABSENT : expiry;
}

/**
 * Reads MMYY or MM/YY, or either with a four-digit year of this century; after a label also `12 29`, `12-29` and
 * `12.29`. The expiry is absent if the text has another form or more digits follow.
 */
function readMonthAndYear(bytes: Uint8Array, at: number, end: number, isLabelled: boolean): Expiry {
	if (!isDigitAt(bytes, at, end) || !isDigitAt(bytes, at + 1, end)) return EXPIRY_ABSENT;
	let yearAt = at + 2;
	const byte = yearAt < end ? bytes[yearAt] : 0;
	if (byte === SLASH || (isLabelled && (byte === BLANK || byte === HYPHEN || byte === POINT))) yearAt++;
	if (!isDigitAt(bytes, yearAt, end) || !isDigitAt(bytes, yearAt + 1, end)) return EXPIRY_ABSENT;
	let year = twoDigits(bytes, yearAt);
	let after = yearAt + 2;
	if (year === THIS_CENTURY && isDigitAt(bytes, after, end) && isDigitAt(bytes, after + 1, end)) {
		year = 2000 + twoDigits(bytes, after);
		after += 2;
	}
	return isDigitAt(bytes, after, end) ? EXPIRY_ABSENT : expiryOf(twoDigits(bytes, at), year);
}

/**
 * Returns the length of the sign at `at` if it is a cross of Lorraine, in any encoding that files use, or a `#` or `@`
 * in its place; otherwise 0.
 */
function crossLength(bytes: Uint8Array, at: number, end: number): number {
	const byte = bytes[at];
	if (byte === 0x23 || byte === 0x40 || byte === 0xa5) return 1;
	return byte === 0xc2 && at + 1 < end && bytes[at + 1] === 0xa5 ? 2 : 0;
}

function twoDigits(bytes: Uint8Array, at: number): number {
	return (bytes[at] - 48) * 10 + bytes[at + 1] - 48;
}
