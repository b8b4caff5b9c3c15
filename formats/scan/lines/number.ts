// Reads a card number, or a token in its place, at a known position of a line, and tells quickly whether a line can
// hold either at all.

import {
	areFourDigits,
	areHexDigits,
	endOfDigits,
	isAlphanumeric,
	isAlphanumericAt,
} from '../../../src/base/card/ascii.ts';
import { indexOfToken } from '../../../src/base/card/finder/value-numbers.ts';
import { TOKEN_LENGTH } from '../../../src/base/card/number.ts';
import { isExp, isGluedExpiry } from '../../../src/base/card/spelling/expiry-behind.ts';

const MIN_DIGITS = 12;

/**
 * A card number consists of two kinds of bytes. The sum of the values of three neighbours tells whether all of them are of
 * these kinds, and at least one is a digit.
 */
const GROUPING = 3;
const DIGIT = 4;
const CLASSES = new Uint8Array(256);
CLASSES.fill(DIGIT, 0x30, 0x3a);
for (const sign of ' -.') CLASSES[sign.charCodeAt(0)] = GROUPING;

/**
 * Returns the end of the number or token that begins exactly at `at`, or -1. A token has priority, because some texts
 * can be read as both and a second pass must find what the first one wrote. Numbers longer than any card are found too:
 * they stay and the report says so.
 */
export function endOfNumber(bytes: Uint8Array, at: number, end: number): number {
	const tokenEnd = endOfToken(bytes, at, end);
	if (tokenEnd !== -1) return tokenEnd;
	const digitsEnd = endOfDigits(bytes, at, end);
	return digitsEnd - at >= MIN_DIGITS && isRightEdge(bytes, digitsEnd, end) ? digitsEnd : -1;
}

/** Returns the end of a 32-digit hexadecimal value that begins exactly at `at`, or -1. */
export function endOfToken(bytes: Uint8Array, at: number, end: number): number {
	const tokenEnd = endOfHex(bytes, at, end);
	return tokenEnd !== -1 && isRightEdge(bytes, tokenEnd, end) ? tokenEnd : -1;
}

/**
 * Returns the end of the token that begins exactly at `at` and has an expiry glued to its end (`<token>1229`), or -1.
 */
export function endOfTokenBeforeExpiry(bytes: Uint8Array, at: number, end: number): number {
	const tokenEnd = endOfHex(bytes, at, end);
	return tokenEnd !== -1 && isGluedExpiry(bytes, tokenEnd, end) ? tokenEnd : -1;
}

function endOfHex(bytes: Uint8Array, at: number, end: number): number {
	const tokenEnd = at + TOKEN_LENGTH;
	return tokenEnd <= end && areHexDigits(bytes, at, tokenEnd) ? tokenEnd : -1;
}

/**
 * Tells whether a number, a token or a CVV may end at `at`: either no letter or digit follows, or a CVV does (`CVV123`), or an
 * expiry such as `D1229`, `N1229` or `EXP…`, perhaps with a CVV behind it. Any other letter is refused, even one that is no hexadecimal digit. Otherwise
 * `CCA<token>EXP1229` could be read in two ways if the token begins with B: as CA and the token, or as AB and a token
 * that consists of the other 31 characters and the E of `EXP`.
 */
export function isRightEdge(bytes: Uint8Array, at: number, end: number): boolean {
	if (at >= end) return true;
	const byte = bytes[at];
	if (!isAlphanumeric(byte)) return true;
	// 0x44 is D, 0x4e is N. No letter or digit may follow the four digits. Otherwise characters such as D1537B, in the
	// middle of a token, would look like an expiry, and another token would seem to end before them.
	// A CVV may follow, because its word begins with two letters that no token has beside each other: `D1229CVC123`.
	if (byte === 0x44 || byte === 0x4e)
		return (
			areFourDigits(bytes, at + 1, end) && (!isAlphanumericAt(bytes, at + 5, end) || isCvvWord(bytes, at + 5, end))
		);
	return isExp(bytes, at, end) || isCvvWord(bytes, at, end);
}

/** Tells whether CV or SC is at `at`. */
function isCvvWord(bytes: Uint8Array, at: number, end: number): boolean {
	const [byte, next] = [bytes[at], at + 1 < end ? bytes[at + 1] : 0];
	return (byte === 0x43 && next === 0x56) || (byte === 0x53 && next === 0x43);
}

/** Tells whether a byte may separate the groups of a number: a blank, a hyphen or a point. */
export function isGrouping(byte: number): boolean {
	return CLASSES[byte] === GROUPING;
}

/**
 * Tells which lines of a window hold a number of 12 digits or more, or a token. It is asked line by line, but searches the
 * window as a whole, because most lines hold neither.
 */
export class NumberSearch {
	/** Where the next number and the next token begin. */
	#number = -1;
	#token = -1;

	begin(): void {
		this.#number = this.#token = -1;
	}

	/** Tells whether the line `bytes[start, end)` of a window whose text ends at `to` holds a number or a token. */
	isIn(bytes: Uint8Array, start: number, end: number, to: number): boolean {
		if (this.#number < start) this.#number = orEnd(findNumber(bytes, start, to), to);
		if (this.#token < start) this.#token = orEnd(indexOfToken(bytes, start, to), to);
		return this.#number < end || this.#token < end;
	}
}

function orEnd(at: number, end: number): number {
	return at === -1 ? end : at;
}

/**
 * Returns where the next 12 digits or more begin, or -1. They may be grouped by single blanks, hyphens or points in
 * groups of two and more (the last may be shorter). Such a number is at least 12 bytes long and at least one of any
 * three neighbours in it is a digit, so only three bytes of ten are examined.
 */
export function findNumber(bytes: Uint8Array, start: number, end: number): number {
	for (let i = start + MIN_DIGITS - 1; i < end; i += MIN_DIGITS - 2) {
		const middle = CLASSES[bytes[i - 1]];
		if (middle === 0 || CLASSES[bytes[i]] + middle + CLASSES[bytes[i - 2]] < GROUPING + DIGIT + GROUPING) continue;
		let at = CLASSES[bytes[i]] === DIGIT ? i : i - 1;
		// Two separators beside each other are in no number.
		if (CLASSES[bytes[at]] !== DIGIT) continue;
		let left = at;
		let digits = 1;
		for (; left > start; left--) {
			const kind = CLASSES[bytes[left - 1]];
			if (kind === DIGIT) digits++;
			else if (kind !== GROUPING || left - 1 === start || CLASSES[bytes[left - 2]] !== DIGIT) break;
			else if (CLASSES[bytes[left]] !== DIGIT) break;
		}
		for (; at + 1 < end; at++) {
			const kind = CLASSES[bytes[at + 1]];
			if (kind === DIGIT) digits++;
			else if (kind !== GROUPING || at + 2 === end || CLASSES[bytes[at + 2]] !== DIGIT) break;
		}
		if (digits >= MIN_DIGITS) return left;
		// The digits up to `at` are too few for a card number, so the next possible one begins after `at`.
		if (at > i) i = at;
	}
	return -1;
}
