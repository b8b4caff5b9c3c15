// Masks a text before it is cut, because the beginning of a card number alone is not recognised as one.

import { SpelledDigits, TOO_FAR } from '../card/spelling/spelled-digits.ts';
import { maskCardNumbers } from './card-numbers.ts';

/**
 * This many characters after the cut are read too, because a card number that crosses the cut ends within them, unless
 * somebody has deliberately spread its digits.
 */
const LOOK_AHEAD = 256;
/**
 * A card number has at most this many digits, including everything that may be written directly next to it, such as an
 * expiry.
 */
const MAX_DIGITS = 64;

const digits = new SpelledDigits();

/**
 * Returns the first `length` characters of a text, with card numbers masked. Of a long text only a little more than
 * that is read. If a possible card number continues beyond the part that is read, its digits are hidden without
 * checking whether it is one.
 */
export function maskBeginning(text: string, length: number): string {
	if (text.length <= length) return maskCardNumbers(text);
	const seen = text.slice(0, length + LOOK_AHEAD);
	const masked = maskCardNumbers(seen).slice(0, length);
	return (seen === text ? masked : withoutOpenNumber(masked, seen)).toWellFormed();
}

/** Replaces with stars the digits at the end of `seen` that may belong to a number which continues after it. */
function withoutOpenNumber(masked: string, seen: string): string {
	// A digit is appended to the text that was read, in place of the unknown text after it. If this digit stands too far
	// from the last digit of the text, no card number can continue beyond the text that was read.
	digits.read(`${seen}0`);
	try {
		let first = digits.count - 1;
		const least = Math.max(0, first - MAX_DIGITS);
		while (first > least && digits.gaps[first] < TOO_FAR) first--;
		const characters = masked.split('');
		for (let i = first; i < digits.count - 1; i++) {
			const at = digits.at[i];
			if (at >= masked.length) break;
			characters[at] = '*';
			if (seen.codePointAt(at)! > 0xffff && at + 1 < masked.length) characters[at + 1] = '*';
		}
		return characters.join('');
	} finally {
		digits.wipe();
	}
}
