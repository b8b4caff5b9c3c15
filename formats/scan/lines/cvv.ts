// Finds CVVs in text on the line of a card: `CVV 123`, `CID/1234`, `SECURITY CODE: 123`, `*CV123` (formats §3.4).

import type { Finding } from '../../../src/transfer/format.ts';
import type { LineFindings } from './findings.ts';
import { endOfDigits, endOfToken, isAlphanumeric, isDigit, isRightEdge } from './number.ts';
import { Words } from './words.ts';

const CVV_WORDS = new Words([
	...['CVV', 'CVV2', 'CVC', 'CVC2', 'CID', 'CSC', 'CVN', 'CVD', 'SEC CODE', 'SECURITY CODE'],
]);
/**
 * These words may mean something else (SC is an airline). So the CVV must come directly after the word, and the word
 * must come soon after a card.
 */
const SHORT_WORDS = new Words(['CV', 'SC']);
/** A word of `SHORT_WORDS` is at most this far behind the card number. This leaves room for an expiry between them. */
const MAX_DISTANCE = 24;
const MAX_GAP = 4;
/** The search for a card without a CVV skips at most this many cards that already have one. */
const MAX_CARDS_PASSED = 16;
const STAR = 0x2a;
const LONE_CVV_NOTICE = 'A line holds a CVV and no card that this format finds: it was left as it is';
const MORE_CVVS_NOTICE = 'A line holds more CVVs than cards: those beyond were left as they are';

/**
 * Sorts the cards of a line, then gives each CVV of the line to the card before it, or else to the one after it. A CVV
 * without a card is reported.
 */
export function markCvvs(bytes: Uint8Array, start: number, end: number, line: LineFindings): void {
	line.sort();
	for (let i = start; i < end; i++) {
		// The search stops only at c and s, because all the words for a CVV begin with one of these letters.
		const letter = bytes[i] | 0x20;
		if ((letter !== 0x63 && letter !== 0x73) || (i > start && isAlphanumeric(bytes[i - 1]))) continue;
		const cvvStart = findCvv(bytes, i, end, line);
		if (cvvStart === -1) continue;
		const cvvEnd = bytes[cvvStart] === STAR ? endOfStars(bytes, cvvStart, end) : endOfDigits(bytes, cvvStart, end);
		// The first group of `CVC 4111 1111 1111 1111` is not a CVV.
		if (line.findOverlap(cvvStart, cvvEnd) !== undefined) continue;
		const owner = findOwner(line, cvvStart);
		if (owner === undefined) {
			if (bytes[cvvStart] === STAR) continue;
			if (line.count > 0) line.notice(MORE_CVVS_NOTICE);
			else if (!isSearchedEverywhere(bytes, i)) line.notice(LONE_CVV_NOTICE);
			continue;
		}
		owner.cvvStart = cvvStart;
		owner.cvvEnd = cvvEnd;
	}
}

/** Tells whether a word that announces a CVV is at `at`. */
export function isCvvLabel(bytes: Uint8Array, at: number, end: number): boolean {
	return CVV_WORDS.findAt(bytes, at, end) !== -1;
}

/**
 * Tells whether the engine also searches for this word in lines without a card (docs/other-numbers.md), as it does for
 * all words that begin with CV.
 */
function isSearchedEverywhere(bytes: Uint8Array, at: number): boolean {
	return (bytes[at + 1] | 0x20) === 0x76;
}

/** Returns the start of the CVV after the word at `at`, or -1. */
function findCvv(bytes: Uint8Array, at: number, end: number, line: LineFindings): number {
	const index = CVV_WORDS.findAt(bytes, at, end);
	if (index !== -1) return findCode(bytes, at + CVV_WORDS.list[index].length, end, MAX_GAP);
	const short = SHORT_WORDS.findAt(bytes, at, end);
	if (short === -1) return -1;
	const before = line.countBefore(at) - 1;
	if (before < 0 || at - line.at(before).numberEnd > MAX_DISTANCE) return -1;
	return findCode(bytes, at + SHORT_WORDS.list[short].length, end, 0);
}

/**
 * Returns the start of the CVV that follows a word such as `CVV`, or -1 if no CVV begins at most `maxGap` bytes after
 * `wordEnd`, the end of that word. Three or four stars count as a CVV too, because detokenizing looks for the stars
 * that have replaced one.
 */
function findCode(bytes: Uint8Array, wordEnd: number, end: number, maxGap: number): number {
	const limit = Math.min(end - 1, wordEnd + maxGap);
	for (let at = wordEnd; at <= limit; at++) {
		const isStar = bytes[at] === STAR;
		if (!isStar && !isDigit(bytes[at])) continue;
		const cvvEnd = isStar ? endOfStars(bytes, at, end) : endOfDigits(bytes, at, end);
		const length = cvvEnd - at;
		// Characters such as `123D1229` may also be the beginning of a token. Then the digits are not a CVV.
		const isFree = isRightEdge(bytes, cvvEnd, end) && endOfToken(bytes, at, end) === -1;
		if ((length === 3 || length === 4) && isFree) return at;
		if (!isStar) return -1;
		// Stars that are too few or too many to stand for a CVV are skipped, as in `CVV *123`.
		at = cvvEnd - 1;
	}
	return -1;
}

function endOfStars(bytes: Uint8Array, start: number, end: number): number {
	let at = start;
	while (at < end && bytes[at] === STAR) at++;
	return at;
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
