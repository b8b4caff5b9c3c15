// Tells the engine where the text of a line begins, if a number or the label of a security code stands right there.
// Behind the name of the line and its item number (`M8014111…`, `RMCVV 123`) neither would be seen as one.

import { endOfDigits, isDigit } from '../../../src/base/card/ascii.ts';
import { cardBrandOf, LONGEST_CARD } from '../../../src/base/card/card-digits.ts';
import type { Findings } from '../../../src/engine/format.ts';

/** Digits of other scripts, in UTF-8, begin with bytes from here on. */
const FIRST_HIGH = 0x80;
const BLANK = 0x20;

/**
 * Adds `textStart` to the starts of text in `found`, if digits, perhaps behind a blank, or the letters CV are there, with which every label of a
 * security code begins that the engine looks for. `lineStart` is where the name of the line begins. If all digits behind
 * its first letter are one card number, they are no item number, and the number is found without this.
 */
export function addTextStart(
	bytes: Uint8Array,
	lineStart: number,
	textStart: number,
	end: number,
	found: Findings,
): void {
	if (textStart === lineStart || textStart >= end) return;
	const byte = bytes[textStart];
	const isLabel = (byte | 0x20) === 0x63 && textStart + 1 < end && (bytes[textStart + 1] | 0x20) === 0x76;
	const isDigitNext = isDigit(byte) || (byte === BLANK && textStart + 1 < end && isDigit(bytes[textStart + 1]));
	if (!isLabel && !isDigitNext && byte < FIRST_HIGH) return;
	if (isDigit(byte) && isNumberBehindLetter(bytes, lineStart, end)) return;
	found.textStarts.push(textStart);
}

function isNumberBehindLetter(bytes: Uint8Array, lineStart: number, end: number): boolean {
	const first = lineStart + 1;
	const digitsEnd = endOfDigits(bytes, first, Math.min(end, first + LONGEST_CARD + 1));
	return cardBrandOf(bytes, first, digitsEnd - first) !== 0;
}
