// Finds security codes in text outside the fields of a layout: `CVV 123`, `cvc2: 1234`. A number of three or four
// digits may be anything, so it is taken for a code only after a label.

import { isAlphanumeric, isDigit } from '../card/ascii.ts';
import type { NumberPlaces } from './number-places.ts';

/** Every label of a security code begins with one of these pairs of letters, for which a search is quick. */
const LABELS = ['CV', 'cv', 'Cv'].map((label) => Buffer.from(label));
/**
 * Marks the letters that may follow `CV` in a label: CVV, CVC, CVN and CVD. `CV` without such a letter is no label,
 * because it may mean an airline or a curriculum vitae.
 */
const THIRD_LETTERS = new Uint8Array(256);
for (const letter of Buffer.from('VCNDvcnd')) THIRD_LETTERS[letter] = 1;
/** At most this many bytes may be between a label and its code, none of them a letter or a digit. */
const MAX_GAP = 5;
/**
 * The length of the longest text that has to be examined for one security code: a label, a gap, a code and the byte
 * after it.
 */
const LONGEST_LABELLED = 4 + MAX_GAP + 4 + 1;

/**
 * Returns the start of the last label of a security code in `bytes[start, end)` if it is so near to `end` that its code
 * may continue after `end`; otherwise -1.
 */
export function indexOfCutLabel(bytes: Buffer, start: number, end: number): number {
	const tail = bytes.subarray(Math.max(start, end - LONGEST_LABELLED), end);
	let last = -1;
	for (const label of LABELS) last = Math.max(last, tail.lastIndexOf(label));
	return last === -1 ? -1 : end - tail.length + last;
}

/** Adds to `places` the position of the security code after every label in `bytes[start, end)`. */
export function findOtherCodes(bytes: Buffer, start: number, end: number, places: NumberPlaces): void {
	const stretch = bytes.subarray(0, end);
	for (const label of LABELS) {
		for (let at = stretch.indexOf(label, start); at !== -1; at = stretch.indexOf(label, at + 2)) {
			if (at + 3 >= end || THIRD_LETTERS[bytes[at + 2]] !== 1 || (at > start && isAlphanumeric(bytes[at - 1])))
				continue;
			const codeStart = startOfCode(bytes, at + 3, end);
			if (codeStart !== -1) places.add(codeStart, endOfDigits(bytes, codeStart, end));
		}
	}
}

/**
 * Returns the start of the three or four digits that follow a label, or -1 if there are none. `at` is the offset after
 * the letters of the label, where a 2 may still belong to it (`CVV2`).
 */
function startOfCode(bytes: Uint8Array, at: number, end: number): number {
	const labelEnd = bytes[at] === 0x32 && !isDigit(bytes[at + 1]) ? at + 1 : at;
	for (let i = labelEnd; i < end && i <= labelEnd + MAX_GAP; i++) {
		if (isDigit(bytes[i])) {
			const after = endOfDigits(bytes, i, end);
			const isCode = after - i >= 3 && after - i <= 4 && (after === end || !isAlphanumeric(bytes[after]));
			return isCode ? i : -1;
		}
		if (isAlphanumeric(bytes[i]) || bytes[i] === 0x0a || bytes[i] === 0x0d) return -1;
	}
	return -1;
}

function endOfDigits(bytes: Uint8Array, at: number, end: number): number {
	while (at < end && isDigit(bytes[at])) at++;
	return at;
}
