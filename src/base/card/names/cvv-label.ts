// Recognises the label of a security code in text: `CVV 123`, `cvc2: 1234`, `CVV2 NR 123`, `SEC.CODE 123`. A number of
// three or four digits may be anything, so it is taken for a code only behind a label.

import { endOfDigits, isAlphanumeric, isDigit, isLetter, isTextAt, isUpperLetter, latin1 } from '../ascii.ts';
import { isFirstGroup } from '../spelling/first-group.ts';
import { bitOf, LONGEST_PHRASE, Phrase } from './phrase.ts';

const [CVV, SECURITY, VERIFICATION, CODE, NUMBER, CARD] = (
	['cvv', 'security', 'verification', 'code', 'number', 'card'] as const
).map(bitOf);

/**
 * Reads the words of a label. Those that `isSure` tells apart mean a security code on the line of a card. Others, such as
 * `CODE`, `SEC` and `CARD CODE`, do so only right behind a card and its expiry.
 */
export const LABEL = new Phrase(
	['cvv', 'security', 'verification', 'code', 'number', 'card', 'joint'],
	(kinds) => (kinds & (CVV | SECURITY | VERIFICATION | CODE)) !== 0,
	['cv', 'sc', 'id'],
);

/**
 * Reads the label at `at` into `LABEL`, and tells whether there is one. None begins with `CVX`: in a form of payment it
 * says that there is no code, and what is behind it is another field, as in `*CVX/N123` (formats §3.3.7).
 */
export function readLabel(bytes: Uint8Array, at: number, end: number): boolean {
	return LABEL.read(bytes, at, end) && !SAYS_NONE.every((letter, i) => (bytes[at + i] & 0xdf) === letter);
}

/** Tells whether words of these kinds mean a security code: `CVV`, or security or verification with code or number. */
export function isSure(kinds: number): boolean {
	const isSecurity = (kinds & (SECURITY | VERIFICATION)) !== 0 && (kinds & (CODE | NUMBER | CARD)) !== 0;
	return isSecurity || (kinds & CVV) !== 0;
}

/** Tells whether words of these kinds mean a security code beside a card: those of `isSure`, and `CARD CODE`. */
export const mayMeanCode = (kinds: number) => isSure(kinds) || ((kinds & CARD) !== 0 && (kinds & CODE) !== 0);

/** Tells whether a social security number, `123-45-6789`, may follow words of these kinds. */
export const maySaySocial = (kinds: number) => (kinds & SECURITY) !== 0 && (kinds & NUMBER) !== 0;

/**
 * Labels with one of these pairs of letters, which a search finds quickly, are looked for everywhere: CVV, CVC, CVN, CVD,
 * CCV and the like. In `CCV` one letter is before the pair.
 */
export const LABEL_PAIRS = ['CV', 'cv', 'Cv'].map((label) => Buffer.from(label));
/** These words, and those of `VOCABULARY` for code and number, may stand between a label and its code. */
const BE = new Set(['IS', 'ARE', 'WAS', 'IST', 'WAR', 'LAUTET', 'EST', 'ES', 'ER']);
/** An expiry may be glued to a code: `CVV123EXP1229`. */
const EXP = Buffer.from('EXP');
const SAYS_NONE = Buffer.from('CVX');
const NEXT_WORD = new Phrase(['code', 'number'], () => true);
const LONGEST_WORD = 12;
/**
 * At most this many signs and blanks may be between a label, such a word, and the code. Backslashes are not counted,
 * because they only escape the quotes of JSON inside a string: `\"cvv\": \"123\"`.
 */
const MOST_SIGNS = 5;
/** XML in the text of XML has these in place of its signs: `&lt;CVV&gt;123`. Each counts as one sign, and so do `=>` and `""`. */
const ESCAPED_SIGNS = ['&gt;', '&lt;', '&amp;', '&quot;', '&apos;'].map((sign) => Buffer.from(sign));
const LONGEST_SIGN = 6;
const MOST_BACKSLASHES = 8;
/**
 * Matches what is between a label and its code if both are texts of elements, as in `<Name>CVV</Name><Value>123</Value>`
 * and `<td>CVV</td><td>123</td>`. It counts as one sign.
 */
const BETWEEN_ELEMENTS =
	/^<\/[^<>]{1,40}>\s{0,64}<(?:[\w.-]{1,20}:)?(?:value|val|text|plaintext|data|content|td|string)(?:\s[^<>]{0,60})?>\s{0,16}/i;
const LONGEST_BETWEEN = 224;
/** Digits directly before a label belong to something else if there are this many: the expiry of `EXP1229CVV123`. */
const LEAST_BEFORE = 2;
const LONGEST_CODE = 4;
/**
 * The length of the longest text that has to be examined for one security code: a pair and the rest of a label, two gaps
 * with a word between, a code and the byte after it.
 */
export const LONGEST_LABELLED =
	LONGEST_PHRASE +
	2 * (MOST_SIGNS * LONGEST_SIGN + MOST_BACKSLASHES + LONGEST_BETWEEN) +
	LONGEST_WORD +
	LONGEST_CODE +
	1;
const ONE = 0x31;
const TWO = 0x32;
const LF = 0x0a;
const CR = 0x0d;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
const QUOTE = 0x22;
const EQUALS = 0x3d;
const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const SLASH = 0x2f;
const STAR = 0x2a;
const HYPHEN = 0x2d;
const BLANK = 0x20;
const POINT = 0x2e;

/**
 * Returns the start of the three or four digits behind the label that begins at `at` in the text `bytes[start, end)`.
 * Returns -1 if there is no label or no code behind it. `isSure` and `LABEL` then tell what label it is.
 */
export function codeBehindLabel(bytes: Uint8Array, at: number, start: number, end: number): number {
	// A field may be named `CVX`, so that is a label here.
	if (!isFreeBefore(bytes, at, start) || !LABEL.read(bytes, at, end) || LABEL.end >= end) return -1;
	// The 2 of `CVV2123` is a digit of the code.
	const isGlued = bytes[LABEL.end - 1] === TWO && isDigit(bytes[LABEL.end]);
	const labelEnd = isGlued ? LABEL.end - 1 : endOfSecond(bytes, LABEL.end, end);
	let codeStart = gapEnd(bytes, labelEnd, end);
	const isTag = codeStart !== -1 && bytes[codeStart - 1] === LESS_THAN;
	// The name of a tag is such a word only in the element of the label: `<CVV><Value>123`.
	const isInElement = bytes[at - 1] === LESS_THAN && at > start && bytes[labelEnd] === GREATER_THAN;
	const isWord = codeStart !== -1 && (!isTag || isInElement);
	let wordEnd = isWord ? endOfWord(bytes, codeStart, end) : -1;
	if (wordEnd === -1 && isWord && isTag) wordEnd = endOfTagName(bytes, codeStart, end);
	if (wordEnd !== -1) codeStart = gapEnd(bytes, wordEnd, end);
	if (codeStart === -1) return -1;
	const length = endOfDigits(bytes, codeStart, end) - codeStart;
	const after = codeStart + length;
	const isFree = after === end || !isAlphanumeric(bytes[after]) || isTextAt(bytes, after, EXP);
	const isCode = length >= 3 && length <= LONGEST_CODE && isFree;
	return isCode && !isFirstGroup(bytes, codeStart, end) ? codeStart : -1;
}

/** Returns the end of `-2`, ` 2` or `1` at `at`, as in `CVV-2 123`, `CVV 2: 123` and `CVV1 123`, which say no more than the label. */
export function endOfSecond(bytes: Uint8Array, at: number, end: number): number {
	const isSign = bytes[at] === HYPHEN || bytes[at] === BLANK || bytes[at] === POINT;
	const after = isSign && bytes[at + 1] === TWO ? at + 2 : bytes[at] === ONE ? at + 1 : at;
	return after < end && !isAlphanumeric(bytes[after]) ? after : at;
}

/** Tells whether a label that ends shortly before `codeStart` announces the digits there as a security code. */
export function isLabelledCode(bytes: Uint8Array, codeStart: number, start: number, end: number): boolean {
	const least = Math.max(start, codeStart - LONGEST_PHRASE);
	let first = codeStart;
	while (first > least && !isDigit(bytes[first - 1])) first--;
	// The longest of several labels that end there says most: `SECURITY CODE`.
	for (let at = first; at < codeStart; at++) {
		if (isLetter(bytes[at]) && codeBehindLabel(bytes, at, start, end) === codeStart) return true;
	}
	return false;
}

/**
 * Calls `take` with the start of each of `LABEL_PAIRS` in `bytes[start, end)`. The search goes backwards, so that it stops at the
 * second letters, which are rarer in most text.
 */
export function eachLabelPair(bytes: Buffer, start: number, end: number, take: (at: number) => void): void {
	const text = bytes.subarray(start, end);
	for (const pair of LABEL_PAIRS) {
		for (let at = text.lastIndexOf(pair); at !== -1; at = at < 2 ? -1 : text.lastIndexOf(pair, at - 2))
			take(start + at);
	}
}

/** Returns where the letters with the pair of `LABEL_PAIRS` at `at` begin, for labels such as `CCV` and `cardCvv`. */
export function startOfLabel(bytes: Uint8Array, at: number, start: number): number {
	const least = Math.max(start, at - LONGEST_PHRASE);
	while (at > least && isLetter(bytes[at - 1]) && !isCapitalInside(bytes, at)) at--;
	return at;
}

/** Tells whether a capital behind a small letter begins a word at `at`: the C of `guestCvv`. */
function isCapitalInside(bytes: Uint8Array, at: number): boolean {
	return isUpperLetter(bytes[at]) && isLetter(bytes[at - 1]) && !isUpperLetter(bytes[at - 1]);
}

/**
 * Tells whether a label may begin at `at`: no letter may be directly before it, but two digits or more may, which belong to
 * something else such as an expiry.
 */
function isFreeBefore(bytes: Uint8Array, at: number, start: number): boolean {
	if (at === start || !isAlphanumeric(bytes[at - 1]) || isCapitalInside(bytes, at)) return true;
	for (let i = 1; i <= LEAST_BEFORE; i++) if (at - i < start || !isDigit(bytes[at - i])) return false;
	return true;
}

/** Returns the end of the signs and blanks at `at`, or -1 if they are too many, a line ends or nothing follows. */
function gapEnd(bytes: Uint8Array, at: number, end: number): number {
	let signs = 0;
	let backslashes = 0;
	// A label behind which a tag ends is a name in that tag, and not the text of an element.
	let isText = true;
	for (; at < end && !isAlphanumeric(bytes[at]); at += signLength(bytes, at, end)) {
		if (bytes[at] === LF || bytes[at] === CR) return -1;
		// Stars have replaced the code of this label, and other digits behind them are none.
		if (bytes[at] === STAR && bytes[at + 1] === STAR && bytes[at + 2] === STAR) return -1;
		if (bytes[at] === BACKSLASH ? ++backslashes > MOST_BACKSLASHES : ++signs > MOST_SIGNS) return -1;
		if (bytes[at] === GREATER_THAN) isText = false;
		if (isText && bytes[at] === LESS_THAN && bytes[at + 1] === SLASH) at += betweenElements(bytes, at, end);
	}
	return at === end ? -1 : at;
}

/** Returns the length, less one, of the tags from `at` to the text of the next element; 0 if it may not hold a code. */
function betweenElements(bytes: Uint8Array, at: number, end: number): number {
	const tags = BETWEEN_ELEMENTS.exec(latin1(bytes, at, Math.min(end, at + LONGEST_BETWEEN)));
	return tags === null ? 0 : tags[0].length - 1;
}

/** Returns the length in bytes of the sign at `at`. */
function signLength(bytes: Uint8Array, at: number, end: number): number {
	const next = bytes[at + 1];
	if (bytes[at] !== AMPERSAND)
		return (bytes[at] === EQUALS && next === GREATER_THAN) || (bytes[at] === QUOTE && next === QUOTE) ? 2 : 1;
	const sign = ESCAPED_SIGNS.find((each) => at + each.length <= end && isTextAt(bytes, at, each));
	return sign?.length ?? 1;
}

/** Returns the end of the word at `at` that may stand before a code, or -1 if there is none. */
function endOfWord(bytes: Uint8Array, at: number, end: number): number {
	return NEXT_WORD.read(bytes, at, end) ? NEXT_WORD.end : endOfBe(bytes, at, end);
}

/** Returns the end of the name of a tag without attributes at `at`, or -1: `<CVV><PlainText>123`. */
function endOfTagName(bytes: Uint8Array, at: number, end: number): number {
	const limit = Math.min(end, at + LONGEST_WORD);
	while (at < limit && isLetter(bytes[at])) at++;
	return at < limit && bytes[at] === GREATER_THAN ? at : -1;
}

/** Returns the end of the word at `at` if it is IS or the like in another language, or -1. */
export function endOfBe(bytes: Uint8Array, at: number, end: number): number {
	let wordEnd = at;
	while (wordEnd < end && isLetter(bytes[wordEnd]) && wordEnd - at < LONGEST_WORD) wordEnd++;
	return BE.has(latin1(bytes, at, wordEnd).toUpperCase()) ? wordEnd : -1;
}
