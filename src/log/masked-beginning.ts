// Masks a text before it is cut, because the beginning of a card number alone is not recognised as one.

import { SpelledDigits, TOO_FAR } from '../card/spelled-digits.ts';
import { maskCardNumbers } from './card-numbers.ts';

/** A number continues at most this many characters after the cut, unless somebody spreads its digits on purpose. */
const LOOK_AHEAD = 256;
/** No number has more digits, even with everything that may be written directly next to it. */
const MAX_DIGITS = 64;

const digits = new SpelledDigits();

/**
 * Returns the first `length` characters of a text, masked. A long text takes no longer: if a possible number continues
 * beyond the part that is read, its digits are hidden without a check.
 */
export function maskBeginning(text: string, length: number): string {
	if (text.length <= length) return maskCardNumbers(text);
	const seen = text.slice(0, length + LOOK_AHEAD);
	const masked = maskCardNumbers(seen).slice(0, length);
	return (seen === text ? masked : withoutOpenNumber(masked, seen)).toWellFormed();
}

/** Replaces with stars the digits at the end of `seen` that may belong to a number which continues after it. */
function withoutOpenNumber(masked: string, seen: string): string {
	// A digit is added to the end, because its distance from the last digit shows whether a number could continue there.
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
