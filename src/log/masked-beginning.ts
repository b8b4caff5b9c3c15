// Texts that are cut: masked before they are, since the beginning of a number alone is none.

import { SpelledDigits, TOO_FAR } from '../card/spelled-digits.ts';
import { maskCardNumbers } from './card-numbers.ts';

/** So far a number goes on behind the cut, unless somebody spells it to be cut. */
const LOOK_AHEAD = 256;
/** No number has more digits, whatever is glued to it. */
const MAX_DIGITS = 64;

const digits = new SpelledDigits();

/**
 * The first `length` characters of a text, masked. Takes no longer for a long text: where what may be one number goes on
 * beyond what is looked at, its digits are hidden unseen.
 */
export function maskBeginning(text: string, length: number): string {
	if (text.length <= length) return maskCardNumbers(text);
	const seen = text.slice(0, length + LOOK_AHEAD);
	const masked = maskCardNumbers(seen).slice(0, length);
	return (seen === text ? masked : withoutOpenNumber(masked, seen)).toWellFormed();
}

/** The masked beginning with stars for the digits that belong to those at the end of `seen`. */
function withoutOpenNumber(masked: string, seen: string): string {
	// One digit more tells whether the last one is near enough to the end to go on.
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
