// Finds CVVs on the line of a card, behind a word (`CVV 123`, `CID/1234`, `*CV123`, formats §3.4) or right behind the
// card and its expiry.

import { endOfDigits, isContinuation, isDigit, isDigitAt, isLetter } from '../../../src/base/card/ascii.ts';
import { NumberPlaces } from '../../../src/base/card/finder/number-places.ts';
import { OtherNumbers } from '../../../src/base/card/finder/other-numbers.ts';
import {
	codeBehindLabel,
	endOfBe,
	endOfSecond,
	isSure,
	LABEL,
	LABEL_PAIRS,
	maySaySocial,
	readLabel,
	startOfLabel,
} from '../../../src/base/card/names/cvv-label.ts';
import {
	COUNTS,
	codeBehind,
	doubtfulCodeBehind,
	endOfStars,
	isAmexRange,
	wordedCodeBehind,
} from '../../../src/base/card/spelling/code-behind.ts';
import { endOfExpiryBehind } from '../../../src/base/card/spelling/expiry-behind.ts';
import { isFirstGroup } from '../../../src/base/card/spelling/first-group.ts';
import type { Finding } from '../../../src/engine/format.ts';
import { findCodeBefore } from './coded.ts';
import type { LineFindings } from './findings.ts';
import { endOfToken, isRightEdge } from './number.ts';

const WORD_LENGTH = 2;
/**
 * `CV` and `SC` may mean something else (both are airlines), and so may `ID`. So they must come soon after a card, and what
 * is before and behind them must show that they announce a CVV.
 */
const [CV, SC, ID] = ['CV', 'SC', 'ID'].map((word) => wordAt(Buffer.from(word), 0, WORD_LENGTH));
/** `CV` and `SC` are at most this far behind the card number. This leaves room for an expiry between them. */
const MAX_DISTANCE = 24;
/** `*CV` is a field of its own in a form of payment, and an amount and an approval may be before it. */
const MAX_STAR_DISTANCE = 64;
const MAX_GAP = 4;
/** The search for a card without a CVV skips at most this many cards that already have one. */
const MAX_CARDS_PASSED = 16;
const BLANK = 0x20;
const STAR = 0x2a;
const HYPHEN = 0x2d;
const SLASH = 0x2f;
const COLON = 0x3a;
const EQUALS = 0x3d;
const ONE = 0x31;
const TWO = 0x32;
const OTHER = 0;
const DIGIT = 1;
const LETTER = 2;
/** Maps a byte to what it is: a letter, a digit, or another sign. */
const KINDS = Uint8Array.from({ length: 256 }, (_, byte) => (isLetter(byte) ? LETTER : isDigit(byte) ? DIGIT : OTHER));
const LONE_CVV_NOTICE = 'A line holds a CVV and no card that this format finds: it was left as it is';
const MORE_CVVS_NOTICE = 'A line holds more CVVs than cards: those beyond were left as they are';

/** Both are used again and again, for one line at a time. */
const numbers = new OtherNumbers(true);
const places = new NumberPlaces();

/**
 * Says what digits right behind a card and its expiry are: a CVV in text that people type, and probably one on a line of
 * the layout, where they are only told; in fixed columns they are something else.
 */
export type LinePlace = 'text' | 'layout' | 'columns';

/**
 * Sorts the cards of a line, then gives each CVV behind a word to the card before it, or else to the one after it. A CVV
 * without a card is reported. A card that has none then gets the one that is right behind it and its expiry.
 */
export function markCvvs(
	bytes: Buffer,
	start: number,
	end: number,
	line: LineFindings,
	place: LinePlace = 'columns',
): void {
	line.sort();
	// The byte before this one is the last of a code, and not part of a word with a label.
	let first = start;
	for (let i = start; i < end; i++) {
		// Where a label may begin there may also be `CV`, `ID` or `SC`.
		if (KINDS[bytes[i]] !== LETTER || !LABEL.mayBegin(bytes, i)) continue;
		const previous = i === first ? OTHER : KINDS[bytes[i - 1]];
		// The last character of a token may be a letter.
		if (previous === LETTER && !endsNumber(i, line)) continue;
		if (previous === DIGIT && !isCounted(bytes, i, start) && !isBehindExpiry(bytes, i, end, line)) continue;
		const cvvStart = findCvv(bytes, i, end, line);
		if (cvvStart === -1) continue;
		const cvvEnd = endOfCode(bytes, cvvStart, end);
		const labelStart = i;
		// A label may begin within another, as CVV does in `CC-CVV 123`; both announce the same code.
		i = cvvEnd - 1;
		first = cvvEnd;
		// The first group of `CVC 4111 1111 1111 1111` is not a CVV.
		if (line.findOverlap(cvvStart, cvvEnd) !== undefined) continue;
		const owner = findOwner(line, cvvStart);
		if (owner === undefined) {
			if (bytes[cvvStart] === STAR || holdsOtherNumber(bytes, start, end, line)) continue;
			if (line.count > 0) line.notice(MORE_CVVS_NOTICE);
			else if (!isSearchedEverywhere(bytes, labelStart, start, end, cvvStart)) line.notice(LONE_CVV_NOTICE);
			continue;
		}
		const holder = line.hasOthers ? findHolder(line, cvvStart) : undefined;
		if (holder !== undefined) {
			if (owner.isOther) holder.isCvvShared = true;
			continue;
		}
		owner.cvvStart = cvvStart;
		owner.cvvEnd = cvvEnd;
	}
	if (place !== 'columns') giveCodesBehind(bytes, end, line, place === 'text');
}

/** Returns the card near the CVV at `cvvStart` that has this CVV already. */
function findHolder(line: LineFindings, cvvStart: number): Finding | undefined {
	const behind = line.countBefore(cvvStart);
	const last = Math.min(line.count, behind + MAX_CARDS_PASSED);
	for (let i = Math.max(0, behind - MAX_CARDS_PASSED); i < last; i++) {
		if (line.at(i).cvvEnd > 0 && line.at(i).cvvStart === cvvStart) return line.at(i);
	}
	return undefined;
}

/** Gives each card without a CVV the digits right behind it and its expiry. */
function giveCodesBehind(bytes: Buffer, end: number, line: LineFindings, isText: boolean): void {
	for (let i = 0; i < line.count; i++) {
		const card = line.at(i);
		if (card.cvvEnd > 0) continue;
		const bare = codeBehind(bytes, card.numberEnd, end, true);
		const cvvStart = bare === -1 ? doubtfulCodeBehind(bytes, card.numberEnd, end, isAmex(bytes, card)) : bare;
		if (cvvStart === -1 || (bytes[cvvStart] === STAR && !isText)) continue;
		const cvvEnd = Math.max(cvvStart + 1, endOfCode(bytes, cvvStart, end));
		if (bare !== -1 && bytes[cvvStart] !== STAR && cvvEnd - cvvStart > 3 && !isAmex(bytes, card)) continue;
		if (line.findOverlap(cvvStart, cvvEnd) !== undefined) continue;
		card.cvvStart = cvvStart;
		card.cvvEnd = cvvEnd;
		card.isCvvDoubtful = !isText || bare === -1;
	}
}

/** Tells whether the number or token of a card ends at `at`. */
function endsNumber(at: number, line: LineFindings): boolean {
	const before = line.countBefore(at) - 1;
	return before >= 0 && line.at(before).numberEnd === at;
}

/** Tells whether a label at `at` says how many digits it announces: `3CSC 123`, `4DBC 1234`. */
function isCounted(bytes: Uint8Array, at: number, start: number): boolean {
	return COUNTS[bytes[at - 1]] === 1 && (at - 2 < start || KINDS[bytes[at - 2]] === OTHER);
}

/** Tells whether the card before `at` or its expiry ends there: `EXP1229CVV123`, `4111111111111111CVV123`. */
function isBehindExpiry(bytes: Uint8Array, at: number, end: number, line: LineFindings): boolean {
	const before = line.countBefore(at) - 1;
	return endsNumber(at, line) || (before >= 0 && endOfExpiryBehind(bytes, line.at(before).numberEnd, end) === at);
}

/** Tells whether a line has a number that no rule of the layout finds. The engine finds it, and gives it the CVV. */
function holdsOtherNumber(bytes: Buffer, start: number, end: number, line: LineFindings): boolean {
	places.clear();
	numbers.find(bytes, start, end, places);
	numbers.wipe();
	for (let i = 0; i < places.count; i++) {
		if (line.findOverlap(places.starts[i], places.ends[i]) === undefined) return true;
	}
	return false;
}

/** Tells whether a word that announces a CVV is at `at`. */
export function isCvvLabel(bytes: Uint8Array, at: number, end: number): boolean {
	return readLabel(bytes, at, end) && isSure(LABEL.kinds);
}

/** Tells whether the engine also finds this code in lines without a card (docs/other-numbers.md). */
function isSearchedEverywhere(bytes: Uint8Array, at: number, start: number, end: number, cvvStart: number): boolean {
	for (let pair = at; pair < LABEL.end; pair++) {
		if (!LABEL_PAIRS.some((each) => bytes[pair] === each[0] && bytes[pair + 1] === each[1])) continue;
		return codeBehindLabel(bytes, startOfLabel(bytes, pair, start), start, end) === cvvStart && LABEL.isTelling;
	}
	return false;
}

/** Returns the start of the CVV after the word at `at`, or -1. */
function findCvv(bytes: Buffer, at: number, end: number, line: LineFindings): number {
	const isLabel = readLabel(bytes, at, end);
	if (isLabel && isSure(LABEL.kinds) && !isGluedCv2(bytes, at, end)) {
		const found = findCode(bytes, behindBe(bytes, endOfSecond(bytes, LABEL.end, end), end), end, MAX_GAP);
		const after = found === -1 ? end : endOfDigits(bytes, found, end);
		// The digits of a social security number have a hyphen and another group behind them.
		return maySaySocial(LABEL.kinds) && bytes[after] === HYPHEN && isDigitAt(bytes, after + 1, end) ? -1 : found;
	}
	const word = wordAt(bytes, at, end);
	if (!isLabel && word !== CV && word !== SC && word !== ID) return -1;
	const before = line.countBefore(at) - 1;
	if (before < 0) return -1;
	const card = line.at(before);
	const sign = bytes[at - 1];
	const isSigned = sign === STAR || sign === SLASH;
	const isNear = at - card.numberEnd <= (word === CV && sign === STAR ? MAX_STAR_DISTANCE : MAX_DISTANCE);
	if (word === CV) return isNear ? findCodeOfCv(bytes, at + WORD_LENGTH, end, isSigned, card) : -1;
	const worded = wordedCodeBehind(bytes, card.numberEnd, end, isAmex(bytes, card));
	if (worded > at) return worded;
	const found = word === SC && isSigned && isNear ? findCode(bytes, at + WORD_LENGTH, end, 0) : -1;
	const isFlight = found !== -1 && endOfDigits(bytes, found, end) === found + 4 && !isAmex(bytes, card);
	return isFlight ? -1 : found;
}

/** Returns the end of IS or the like between a label that ends at `labelEnd` and its code, or `labelEnd` if there is none. */
function behindBe(bytes: Uint8Array, labelEnd: number, end: number): number {
	let at = labelEnd;
	while (at < end && at - labelEnd < MAX_GAP && isSeparator(bytes[at])) at++;
	const wordEnd = at > labelEnd ? endOfBe(bytes, at, end) : -1;
	return wordEnd === -1 ? labelEnd : wordEnd;
}

/** Tells whether the label at `at` is `CV2` with digits glued to it, which may be CV and a code that begins with 2. */
function isGluedCv2(bytes: Uint8Array, at: number, end: number): boolean {
	const isCv2 = LABEL.end === at + 3 && wordAt(bytes, at, end) === CV;
	return isCv2 && isDigit(bytes[at + 2]) && isDigitOrStar(bytes, at + 3, end);
}

/**
 * Returns the start of the CVV behind the letters CV, which end at `at`, or -1. The digits are glued to the letters
 * (`*CV123`); behind a star or a slash one separator may be between (`/CV-123`). A digit 1 or 2 belongs to the letters
 * if as many digits follow it as the CVV of the card has: `CV2123` is CV2 and 123.
 */
function findCodeOfCv(bytes: Uint8Array, at: number, end: number, isBehindSign: boolean, card: Finding): number {
	if (at >= end) return -1;
	if (isBehindSign && isSeparator(bytes[at])) return findCode(bytes, at + 1, end, 0);
	if (bytes[at] !== ONE && bytes[at] !== TWO) return findCode(bytes, at, end, 0);
	const digits = endOfDigits(bytes, at, end) - at;
	// Stars have replaced a CVV of any length.
	const isNumbered = digits === 1 ? isDigitOrStar(bytes, at + 1, end) : digits === (isAmex(bytes, card) ? 5 : 4);
	return findCode(bytes, isNumbered ? at + 1 : at, end, 0);
}

/**
 * Tells whether a card is one of American Express, by its code or the first digits of its number. When detokenizing, the
 * number is a token, and only the code tells.
 */
function isAmex(bytes: Uint8Array, { numberStart: at, numberEnd, typeStart, typeEnd, isOther }: Finding): boolean {
	// A number that no rule of the layout has found may have a code nevertheless, which disagrees with it.
	const codeAt = isOther ? findCodeBefore(bytes, 0, at) : typeEnd - typeStart === 2 ? typeStart : -1;
	// 0x41 is A, 0x58 is X.
	if (codeAt !== -1 && bytes[codeAt] === 0x41 && bytes[codeAt + 1] === 0x58) return true;
	return isAmexRange(bytes, at) && endOfToken(bytes, at, numberEnd) === -1;
}

/** Returns the two letters at `at` as capitals, joined into one number. */
function wordAt(bytes: Uint8Array, at: number, end: number): number {
	return at + WORD_LENGTH <= end ? ((bytes[at] & 0xdf) << 8) | (bytes[at + 1] & 0xdf) : 0;
}

function isDigitOrStar(bytes: Uint8Array, at: number, end: number): boolean {
	return isDigitAt(bytes, at, end) || (at < end && bytes[at] === STAR);
}

function isSeparator(byte: number): boolean {
	return byte === BLANK || byte === HYPHEN || byte === COLON || byte === EQUALS;
}

/**
 * Returns the start of the CVV that follows a word such as `CVV`, or -1 if no CVV begins at most `maxGap` characters after
 * `wordEnd`, the end of that word. Three or four stars count as a CVV too, because detokenizing looks for the stars
 * that have replaced one.
 */
function findCode(bytes: Uint8Array, wordEnd: number, end: number, maxGap: number): number {
	let limit = wordEnd + maxGap;
	for (let at = wordEnd; at < end && at <= limit; at++) {
		// A dash and other signs have several bytes in UTF-8.
		if (isContinuation(bytes[at])) limit++;
		const isStar = bytes[at] === STAR;
		// Digits behind a currency are an amount: `CVV EUR550.00`.
		if (isLetter(bytes[at])) return -1;
		if (!isStar && !isDigit(bytes[at])) continue;
		const cvvEnd = endOfCode(bytes, at, end);
		const length = cvvEnd - at;
		// Characters such as `123D1229` may also be the beginning of a token. Then the digits are not a CVV.
		const isFree =
			isRightEdge(bytes, cvvEnd, end) && endOfToken(bytes, at, end) === -1 && !isFirstGroup(bytes, at, end);
		if ((length === 3 || length === 4) && isFree) return at;
		if (!isStar) return -1;
		// Stars that are too few or too many to stand for a CVV are skipped, as in `CVV *123`.
		at = cvvEnd - 1;
	}
	return -1;
}

/** Returns the end of the digits or stars at `at`. A star that touches a word is the sign before it: `CV****CV123`. */
function endOfCode(bytes: Uint8Array, at: number, end: number): number {
	if (bytes[at] !== STAR) return endOfDigits(bytes, at, end);
	const starsEnd = endOfStars(bytes, at, end);
	return starsEnd - at > 3 && !isRightEdge(bytes, starsEnd, end) ? starsEnd - 1 : starsEnd;
}

/** Returns the nearest card before the CVV that has no CVV yet, or else the nearest such card after it. */
function findOwner(line: LineFindings, cvvStart: number): Finding | undefined {
	const behind = line.countBefore(cvvStart);
	for (let i = behind - 1; i >= Math.max(0, behind - MAX_CARDS_PASSED); i--) {
		if (line.at(i).cvvEnd === 0) return line.at(i);
	}
	for (let i = behind; i < Math.min(line.count, behind + MAX_CARDS_PASSED); i++) {
		if (line.at(i).cvvEnd === 0) return line.at(i);
	}
	return undefined;
}
