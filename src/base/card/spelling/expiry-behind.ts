// Reads the expiry behind a card number, as travel hosts and agents write it, or as rows of values have it.

import {
	areFourDigits,
	isAlphanumericAt,
	isDigit,
	isDigitAt,
	isLetter,
	latin1,
	tableOf,
	twoDigitsAt,
} from '../ascii.ts';
import { EXPIRY_ABSENT, EXPIRY_UNREADABLE, type Expiry, expiryOf, readExpiry, readMonthAndYear } from '../expiry.ts';
import { EXPIRY_WORDS } from '../names/expiry-words.ts';
import { monthOfName, plainName } from '../names/month-names.ts';
import { blankWidth, dashWidth } from './blanks.ts';
import { pastedBlankWidth } from './pasted-blanks.ts';

const BLANK = 0x20;
const APOSTROPHE = 0x27;
const STAR = 0x2a;
const PLUS = 0x2b;
const HYPHEN = 0x2d;
const POINT = 0x2e;
const PERCENT = 0x25;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
/** At most this many blanks may fill the columns of a number before `/12/29/` or `/1229/`. */
const MAX_FILL = 24;
const THIS_CENTURY = 20;
/** The name of a month has at most this many letters. */
const LONGEST_MONTH = 10;
/** Where nobody says that digits are an expiry, they are one only in these years. */
const FIRST_LIKELY = 202_001;
const LAST_LIKELY = 205_912;
/** Each table holds 1 for every ASCII sign that may divide month and year, or the values of a row. */
const SLASH_ONLY = tableOf('/');
const LABELLED = tableOf('/ -.');
const LABEL_SIGNS = tableOf(' /-*:.');
const SIGNS = tableOf('/ -.|#,;*+@:=_~()[]\t\r\n');
/** Holds 1 for the letters and signs that stand behind a backslash of JSON for a slash, a tab or a line end. */
const ESCAPED = tableOf('/tnr');
/** At most this many signs and blanks divide a number, its expiry and its security code. */
const MOST_SIGNS = 3;
/** At most this many separators may be before a label, and behind a word. */
const MAX_LABEL_SEPARATORS = 3;
/**
 * Matches an expiry that people typed with blanks, an apostrophe or one digit for the month: `12 / 29`, `1/29`, `12 - 29`,
 * `12/'29`, `12'29`, `12.2029`; or the year first: `202912`, `2029-12`. Behind it there is no day and no further digit.
 */
const TYPED =
	/^(?:(?:(0?[1-9]|1[0-2]) ?\/ ?'?|(0[1-9]|1[0-2])(?: - |\.(?=20\d\d)|'))((?:20)?[2-5]\d)|20([2-5]\d)[/-]?(0[1-9]|1[0-2]))(?!\d|[/.-](?:\d\d|20\d\d)(?!\d))/;
const LONGEST_TYPED = 16;

/** The end of the expiry that was read last. It saves an object for each of a million numbers. */
let lastEnd = 0;

/** Reads the month and year `MMYY` at `at`. */
export function readMonthYear(bytes: Uint8Array, at: number): Expiry {
	lastEnd = at + 4;
	return readExpiry(bytes, at, at + 4, 'MMYY');
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
	if (labelled !== -1) return readParts(bytes, labelled, end, LABELLED);
	const worded = behindWord(bytes, at, end);
	if (worded !== -1) return Math.max(readParts(bytes, worded, end, LABELLED), EXPIRY_ABSENT);
	if (byte === BLANK) return readBehindFill(bytes, at, end);
	const cross = crossLength(bytes, at, end);
	if (cross === 0 && byte !== SLASH && byte !== PLUS && byte !== HYPHEN) return EXPIRY_ABSENT;
	const expiry = readParts(bytes, at + (cross || 1), end, SLASH_ONLY);
	const isSure = cross > 0 || (byte === SLASH && isCertain);
	return expiry === EXPIRY_UNREADABLE && !isSure ? EXPIRY_ABSENT : expiry;
}

/** Returns the end of the expiry that `readLikelyExpiryBehind` reads, or -1 if there is none. */
export function endOfExpiryBehind(bytes: Uint8Array, at: number, end: number): number {
	return readLikelyExpiryBehind(bytes, at, end) === EXPIRY_ABSENT ? -1 : lastEnd;
}

/**
 * Reads the expiry of the years 2020 to 2059 behind a number that ends at `at`. Beside the spellings that
 * `readExpiryBehind` reads, one to three signs and blanks may divide it from the number, with EXP in any case behind
 * them. A slash, a hyphen or the sign before the month may divide it from the year: ` 12/29`, `|12|29`, ` exp: 12.29`.
 * With other signs the digits may be an amount or a time. The month may also be a name: ` DEC 2029`, ` Dez-29`, and it may
 * stand behind a year of four digits: ` 2029-12`, `|2029/12`. `TYPED` has what else people type.
 */
export function readLikelyExpiryBehind(bytes: Uint8Array, at: number, end: number): Expiry {
	const expiry = readExpiryBehind(bytes, at, end, false);
	if (isLikely(expiry)) return expiry;
	let digits = endOfSigns(bytes, at, end);
	if (digits === at) return EXPIRY_ABSENT;
	const isLabelled = isExp(bytes, digits, end, 0xdf);
	if (isLabelled) digits = endOfSigns(bytes, digits + 3, end);
	if (digits < end && isLetter(bytes[digits])) return readNamedMonth(bytes, digits, end);
	const sign = digits + 2 < end ? bytes[digits + 2] : 0;
	const isClear = isDigit(sign) || sign === SLASH || sign === HYPHEN || sign === BACKSLASH || sign === PERCENT;
	if (isClear || isLabelled || sign === bytes[digits - 1]) {
		const spelled = readParts(bytes, digits, end, SIGNS);
		if (isLikely(spelled)) return spelled;
	}
	return digits < end && isDigit(bytes[digits]) ? readTyped(bytes, digits, end) : EXPIRY_ABSENT;
}

/** Reads what `TYPED` matches at `at`. */
function readTyped(bytes: Uint8Array, at: number, end: number): Expiry {
	if (!mayBeTyped(bytes, at, end)) return EXPIRY_ABSENT;
	const match = TYPED.exec(latin1(bytes, at, Math.min(end, at + LONGEST_TYPED)));
	if (match === null) return EXPIRY_ABSENT;
	const [whole, beforeSlash, beforeSign, yearLast, yearFirst, monthLast] = match;
	const expiry = expiryOf(Number(beforeSlash ?? beforeSign ?? monthLast), Number(yearLast ?? yearFirst));
	lastEnd = at + whole.length;
	return isLikely(expiry) ? expiry : EXPIRY_ABSENT;
}

/** Tells at a glance whether `TYPED` may match at `at`. Behind most numbers it does not: ` 1.1DUPONT`. */
function mayBeTyped(bytes: Uint8Array, at: number, end: number): boolean {
	if (at + 3 >= end) return false;
	const [second, third] = [bytes[at + 1], bytes[at + 2]];
	if (!isDigit(second)) return second === SLASH || (second === BLANK && third === SLASH);
	return isDigit(third) || third === BLANK || third === SLASH || third === POINT || third === APOSTROPHE;
}

/** Reads the name of a month at `at` and a year behind it, with at most one sign between. */
function readNamedMonth(bytes: Uint8Array, at: number, end: number): Expiry {
	let nameEnd = at;
	while (nameEnd < end && isLetter(bytes[nameEnd]) && nameEnd - at <= LONGEST_MONTH) nameEnd++;
	const month = monthOfName(plainName(bytes, at, nameEnd));
	if (month === 0) return EXPIRY_ABSENT;
	let year = nameEnd + (nameEnd < end && (bytes[nameEnd] === APOSTROPHE || SIGNS[bytes[nameEnd]] === 1) ? 1 : 0);
	if (areFourDigits(bytes, year, end) && twoDigitsAt(bytes, year) === THIS_CENTURY) year += 2;
	if (!isDigitAt(bytes, year, end) || !isDigitAt(bytes, year + 1, end) || isAlphanumericAt(bytes, year + 2, end))
		return EXPIRY_ABSENT;
	lastEnd = year + 2;
	const expiry = expiryOf(month, THIS_CENTURY * 100 + twoDigitsAt(bytes, year));
	return isLikely(expiry) ? expiry : EXPIRY_ABSENT;
}

/** Returns the end of at most three signs and blanks at `at`. */
export function endOfSigns(bytes: Uint8Array, at: number, end: number): number {
	for (let signs = 0; signs < MOST_SIGNS && at < end; signs++) {
		const width = SIGNS[bytes[at]] || signWidth(bytes, at, end);
		if (width === 0) break;
		at += width;
	}
	return at;
}

/**
 * Returns the width in bytes of the sign, blank or line break at `at`, or 0 if there is none. JSON may escape a slash, a tab or
 * a line end, and texts from web pages have the line breaks of HTML.
 */
export function signWidth(bytes: Uint8Array, at: number, end: number): number {
	const byte = bytes[at];
	if (byte === BACKSLASH && at + 1 < end && ESCAPED[bytes[at + 1]] === 1) return 2;
	return byte < 0x80
		? SIGNS[byte] || pastedBlankWidth(bytes, at, end)
		: crossLength(bytes, at, end) || blankWidth(bytes, at, end) || dashWidth(bytes, at, end);
}

function isLikely(expiry: Expiry): boolean {
	return expiry >= FIRST_LIKELY && expiry <= LAST_LIKELY;
}

/** Returns where the digits after `EXP`, ` EXP`, `/EXP-` or `/-EXP-` begin, or -1 if none are there. */
function behindLabel(bytes: Uint8Array, at: number, end: number): number {
	let label = at;
	while (label < end && label < at + MAX_LABEL_SEPARATORS && LABEL_SIGNS[bytes[label]] === 1) label++;
	if (!isExp(bytes, label, end)) return -1;
	let digits = label + 3;
	for (let skipped = 0; skipped < 2 && digits < end && LABEL_SIGNS[bytes[digits]] === 1; skipped++) digits++;
	return isDigitAt(bytes, digits, end) ? digits : -1;
}

/**
 * Returns where the digits after a whole word such as ` EXPIRES ` or ` VALID THRU: ` begin, or -1 if none are there. They
 * may be something else than an expiry.
 */
function behindWord(bytes: Uint8Array, at: number, end: number): number {
	let word = at;
	while (word < end && word < at + MAX_LABEL_SEPARATORS && LABEL_SIGNS[bytes[word]] === 1) word++;
	if (word >= end) return -1;
	if (!EXPIRY_WORDS.read(bytes, word, end)) return -1;
	let digits = EXPIRY_WORDS.end;
	const limit = Math.min(end, digits + MAX_LABEL_SEPARATORS);
	while (digits < limit && LABEL_SIGNS[bytes[digits]] === 1) digits++;
	// `VALID 12-15 MAR` is a range of days, so only digits without a separator and those with a slash are an expiry.
	const isClear = areFourDigits(bytes, digits, end) || (digits + 2 < end && bytes[digits + 2] === SLASH);
	return isClear && isDigitAt(bytes, digits, end) ? digits : -1;
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
	const expiry = readParts(bytes, slash + 1, end, SLASH_ONLY);
	return expiry === EXPIRY_UNREADABLE ? EXPIRY_ABSENT : expiry;
}

/**
 * Reads MMYY, or month and year with one of `signs` between, either with a four-digit year of this century too. The
 * expiry is absent if the text has another form or more digits follow.
 */
function readParts(bytes: Uint8Array, at: number, end: number, signs: Uint8Array): Expiry {
	if (!isDigitAt(bytes, at, end) || !isDigitAt(bytes, at + 1, end)) return EXPIRY_ABSENT;
	let yearAt = at + 2;
	if (yearAt < end) yearAt += signs === SIGNS ? signWidth(bytes, yearAt, end) : signs[bytes[yearAt]];
	if (!isDigitAt(bytes, yearAt, end) || !isDigitAt(bytes, yearAt + 1, end)) return EXPIRY_ABSENT;
	let after = yearAt + 2;
	const isCentury = twoDigitsAt(bytes, yearAt) === THIS_CENTURY;
	if (isCentury && isDigitAt(bytes, after, end) && isDigitAt(bytes, after + 1, end)) after += 2;
	lastEnd = after;
	return isDigitAt(bytes, after, end) ? EXPIRY_ABSENT : readMonthAndYear(bytes, at, at + 2, yearAt, after);
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

/** Tells whether MMYY with a real month is at `at`, with no letter or digit after it. */
export function isGluedExpiry(bytes: Uint8Array, at: number, end: number): boolean {
	if (!areFourDigits(bytes, at, end) || isAlphanumericAt(bytes, at + 4, end)) return false;
	const month = twoDigitsAt(bytes, at);
	return month >= 1 && month <= 12;
}

/** Tells whether the letters EXP are at `at`. With the mask 0xdf, small letters count too. */
export function isExp(bytes: Uint8Array, at: number, end: number, mask = 0xff): boolean {
	return (
		at + 3 <= end && (bytes[at] & mask) === 0x45 && (bytes[at + 1] & mask) === 0x58 && (bytes[at + 2] & mask) === 0x50
	);
}
