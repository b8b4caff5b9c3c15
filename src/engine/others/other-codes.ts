// Finds security codes in text outside the fields of a layout: `CVV 123`, `cvc2: 1234`, or right behind a number.

import { endOfDigits, isDigit } from '../../base/card/ascii.ts';
import { type NumberPlaces, PLACE } from '../../base/card/finder/number-places.ts';
import {
	codeBehindLabel,
	LABEL,
	LABEL_PAIRS,
	LONGEST_LABELLED,
	startOfLabel,
} from '../../base/card/names/cvv-label.ts';
import { isMask } from '../../base/card/number.ts';
import { codeBehind, isAmexRange, labelledCodeBehind, wordedCodeBehind } from '../../base/card/spelling/code-behind.ts';
import type { Findings } from '../format.ts';

/** A masked number has one of these between its first and its last digits. */
const MASKS = ['XXXX', 'xxxx', '****'].map((mask) => Buffer.from(mask));
/** Masks leave four digits at the end of a number, and at most six at its start. */
const SHOWN_AT_END = 4;
const MOST_AT_START = 6;
const STAR = 0x2a;

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
			const codeStart = codeBehindLabel(bytes, startOfLabel(bytes, at, start), start, end);
			if (codeStart !== -1 && LABEL.isTelling) places.add(codeStart, endOfDigits(bytes, codeStart, end));
		}
	}
}

/** Returns the start of the digits that are the code right behind the number `bytes[numberStart, numberEnd)`, or -1. */
function findCodeBehind(bytes: Buffer, numberStart: number, numberEnd: number, end: number): number {
	const isAmex = isAmexRange(bytes, numberStart);
	const bare = codeBehind(bytes, numberEnd, end, isAmex);
	const worded = bare === -1 ? wordedCodeBehind(bytes, numberEnd, end, isAmex) : bare;
	const at = worded === -1 ? labelledCodeBehind(bytes, numberEnd, end) : worded;
	return at === -1 || bytes[at] === STAR ? -1 : at;
}

/** Calls `take` with the start of every masked number in `bytes[start, end)` and of the code right behind it. */
export function findCodesBehindMasks(
	bytes: Buffer,
	start: number,
	end: number,
	take: (numberStart: number, code: number) => void,
): void {
	const stretch = bytes.subarray(0, end);
	for (const mask of MASKS) {
		for (let at = stretch.indexOf(mask, start); at !== -1; at = stretch.indexOf(mask, at)) {
			let first = at;
			while (first > start && isDigit(bytes[first - 1]) && at - first < MOST_AT_START) first--;
			while (at < end && isMask(bytes[at])) at++;
			const numberEnd = endOfDigits(bytes, at, end);
			const code = numberEnd - at === SHOWN_AT_END ? findCodeBehind(bytes, first, numberEnd, end) : -1;
			if (code !== -1) take(first, code);
		}
	}
}

/** Gives each number outside the card fields the code right behind it, if `isInOneField` says that they belong together. */
export function markCodesBehind(
	bytes: Buffer,
	{ items, length }: Findings,
	end: number,
	isInOneField: (number: number, code: number) => boolean,
): void {
	for (let i = 0; i < length; i++) {
		const finding = items[i];
		const { numberStart, numberEnd, isOther, isCode } = finding;
		const at = isOther && !isCode ? findCodeBehind(bytes, numberStart, numberEnd, end) : -1;
		if (at === -1 || !isInOneField(numberStart, at)) continue;
		finding.cvvStart = at;
		finding.cvvEnd = endOfDigits(bytes, at, end);
	}
}

/** Moves the codes that are only told, and those of numbers outside the card fields, from their findings to `places`. */
export function takeCodes({ items, length }: Findings, places: NumberPlaces): void {
	for (let i = 0; i < length; i++) {
		const finding = items[i];
		if (finding.cvvEnd === finding.cvvStart || !(finding.isOther || finding.isCvvDoubtful)) continue;
		places.add(finding.cvvStart, finding.cvvEnd, finding.isCvvDoubtful ? PLACE.TOLD : PLACE.REPLACED);
		finding.cvvEnd = finding.cvvStart;
	}
}
