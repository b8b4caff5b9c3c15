// Finds security codes in text outside the fields of a layout: `CVV 123`, `cvc2: 1234`.

import { endOfDigits } from '../card/ascii.ts';
import { codeBehindLabel, LABEL_PAIRS, LONGEST_LABELLED, startOfLabel } from '../card/cvv-label.ts';
import type { NumberPlaces } from './number-places.ts';

/**
 * Returns the start of the first label of a security code in `bytes[start, end)` that is so near to `end` that its code
 * may continue after `end`; -1 if there is none.
 */
export function indexOfCutLabel(bytes: Buffer, start: number, end: number): number {
	const tail = bytes.subarray(Math.max(start, end - LONGEST_LABELLED), end);
	const found = LABEL_PAIRS.map((label) => tail.indexOf(label)).filter((each) => each !== -1);
	return found.length === 0 ? -1 : startOfLabel(bytes, end - tail.length + Math.min(...found), start);
}

/** Adds to `places` the position of the security code after every label in `bytes[start, end)`. */
export function findOtherCodes(bytes: Buffer, start: number, end: number, places: NumberPlaces): void {
	const stretch = bytes.subarray(0, end);
	for (const label of LABEL_PAIRS) {
		for (let at = stretch.indexOf(label, start); at !== -1; at = stretch.indexOf(label, at + 2)) {
			const codeStart = codeBehindLabel(bytes, at, start, end);
			if (codeStart !== -1) places.add(codeStart, endOfDigits(bytes, codeStart, end));
		}
	}
}
