// These rules find cards by a code before the number, on lines of any kind.

import { endOfDigits, isAlphanumeric, isHexDigit, isTextAt, isUpperLetter } from '../../../src/base/card/ascii.ts';
import { indexOfToken } from '../../../src/base/card/finder/value-numbers.ts';
import { TOKEN_LENGTH } from '../../../src/base/card/number.ts';
import { readExpiryBehind } from '../../../src/base/card/spelling/expiry-behind.ts';
import type { Finding } from '../../../src/engine/format.ts';
import { CODE_LENGTH, isKnownCode } from './card-codes.ts';
import { type CodedNumbers, findCodeBefore, isBehindCc } from './coded.ts';
import type { LineFindings } from './findings.ts';
import { endOfToken, findNumber } from './number.ts';

const HYPHEN = 0x2d;
const SLASH = 0x2f;
const C = 0x43;
const G = 0x47;
const X = 0x58;
/** A card code together with its number has at least this length. */
const MIN_LENGTH = CODE_LENGTH + 12;
/** Other text may directly follow the tag of a line, as in `RIUCCVI…`. Such a tag has at most this many letters. */
const MAX_TAG = 3;

/** A code may be written directly after these words, which announce a form of payment. */
const PAYMENT_WORDS = ['CC', 'FP', 'FOP'].map((word) => Buffer.from(word, 'latin1'));

/**
 * Adds to the findings every card number anywhere in the line that follows a known network code, lies in a range of that
 * network and has a correct check digit (rule NET). Numbers of tickets, frequent flyers and phones have no such code
 * before them. A code at the end of a word is accepted only if an expiry follows the number, or if the rest of the word
 * is the line's tag or a word for payment: `REF YMC5246…` is a reference. `isPlaceLine` is true if the layout has a card
 * field on the line, in which other codes are accepted too.
 */
export function scanNetworks(
	bytes: Uint8Array,
	start: number,
	end: number,
	line: LineFindings,
	numbers: CodedNumbers,
	isPlaceLine = false,
): void {
	line.sort();
	if (indexOfToken(bytes, start, end) === -1) {
		// A line that can hold no token is searched faster: it is enough to find numbers, between those that were found before,
		// and then to look for a code before each.
		const known = line.count;
		for (let i = 0, from = start; i <= known; i++) {
			const to = i < known ? line.at(i).numberStart : end;
			for (let at = findNumber(bytes, from, to); at !== -1; at = findNumber(bytes, at, to)) {
				const codeAt = findCodeBefore(bytes, start, at);
				const isAdded = codeAt !== -1 && addNetwork(bytes, start, codeAt, end, line, numbers, isPlaceLine);
				at = isAdded ? numbers.end : endOfDigits(bytes, at, to);
			}
			if (i < known) from = line.at(i).numberEnd;
		}
		return;
	}
	for (let codeAt = start; codeAt + MIN_LENGTH <= end; codeAt++) {
		if (!isKnownCode(bytes, codeAt, end)) continue;
		if (addNetwork(bytes, start, codeAt, end, line, numbers, isPlaceLine)) codeAt = numbers.end - 1;
	}
}

function addNetwork(
	bytes: Uint8Array,
	start: number,
	codeAt: number,
	end: number,
	line: LineFindings,
	numbers: CodedNumbers,
	isPlaceLine: boolean,
): boolean {
	if (!numbers.read(bytes, start, codeAt, end, isBehindCc(bytes, start, codeAt))) return false;
	if (numbers.hasRival(bytes, start, codeAt, end, isPlaceLine)) return false;
	if (line.findOverlap(codeAt, numbers.end) !== undefined) return false;
	if (endsToken(bytes, start, codeAt, end)) return false;
	if (endsWord(bytes, start, codeAt) && readExpiryBehind(bytes, numbers.end, end, false) <= 0) return false;
	addCoded(bytes, codeAt, end, line, numbers, false);
	return true;
}

/**
 * Tells whether the code at `codeAt` is the end of a token or of a hash whose last letters are CA, CB or DC by chance.
 */
function endsToken(bytes: Uint8Array, start: number, codeAt: number, end: number): boolean {
	const codeEnd = codeAt + CODE_LENGTH;
	const tokenAt = codeEnd - TOKEN_LENGTH;
	return tokenAt >= start && endOfToken(bytes, tokenAt, end) === codeEnd;
}

/**
 * Tells whether the code at `codeAt` is the end of a word that has nothing to do with cards. Hexadecimal letters alone
 * are not regarded as a word, because they may be the end of a token.
 */
function endsWord(bytes: Uint8Array, start: number, codeAt: number): boolean {
	let at = codeAt;
	let isWord = false;
	while (at > start && isUpperLetter(bytes[at - 1])) {
		at--;
		if (!isHexDigit(bytes[at])) isWord = true;
	}
	if (!isWord || (at === start && codeAt - at <= MAX_TAG)) return false;
	// A single G after a slash means guarantee: `/GVI4111…`.
	if (codeAt - at === 1 && bytes[at] === G && at > start && bytes[at - 1] === SLASH) return false;
	return !PAYMENT_WORDS.some((word) => codeAt - word.length >= at && isTextAt(bytes, codeAt - word.length, word));
}

/**
 * Adds every `CC<known code><number>` of a line (rule AIR-2, formats §3.4), valid or not; also `CC-`, `CC/` and
 * `CX/AX/`, and unknown codes before a valid number of a brand that has no code. No letter or digit may come directly
 * before it, except the tag of the line.
 */
export function scanCodes(
	bytes: Uint8Array,
	start: number,
	end: number,
	line: LineFindings,
	numbers: CodedNumbers,
): void {
	line.sort();
	for (let i = start; i + MIN_LENGTH < end; i++) {
		if (bytes[i] !== C) continue;
		const codeAt = codeBehindCc(bytes, i);
		if (codeAt === -1) continue;
		if (i > start && isAlphanumeric(bytes[i - 1]) && !isBehindTag(bytes, start, i, end)) continue;
		const isKnown = isKnownCode(bytes, codeAt, end);
		if (isKnown && !numbers.readPlace(bytes, start, codeAt, end)) continue;
		if (!isKnown && !numbers.readUnknown(bytes, start, codeAt, end)) continue;
		if (line.findOverlap(codeAt, numbers.end) !== undefined) continue;
		addCoded(bytes, codeAt, end, line, numbers, false);
		i = numbers.end - 1;
	}
}

/**
 * Tells whether the text before the `CC` at `at` may be the tag of the line. If it is a card code, `CC` may be the
 * beginning of that card's token.
 */
function isBehindTag(bytes: Uint8Array, start: number, at: number, end: number): boolean {
	const length = at - start;
	return (length === MAX_TAG || length === MAX_TAG - 1) && !isKnownCode(bytes, at - CODE_LENGTH, end);
}

/**
 * Returns the position of the code after the `CC` or `CX/` whose C is at `at`, or -1 if neither is there. After `CX/` a
 * slash must follow the code too, because CX may be an airline.
 */
function codeBehindCc(bytes: Uint8Array, at: number): number {
	const separator = bytes[at + 2];
	if (bytes[at + 1] === X) return separator === SLASH && bytes[at + 5] === SLASH ? at + 3 : -1;
	if (bytes[at + 1] !== C) return -1;
	return separator === SLASH || separator === HYPHEN ? at + 3 : at + 2;
}

/** Adds the number that `numbers` has read after the code at `codeAt`. */
export function addCoded(
	bytes: Uint8Array,
	codeAt: number,
	end: number,
	line: LineFindings,
	numbers: CodedNumbers,
	isCertain: boolean,
): Finding {
	const expiry = readExpiryBehind(bytes, numbers.end, end, isCertain);
	const finding = line.add(numbers.start, numbers.end, expiry, codeAt, codeAt + CODE_LENGTH);
	finding.isMasked = numbers.isMasked;
	return finding;
}
