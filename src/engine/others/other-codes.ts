// Finds security codes in text outside the fields of a layout: `CVV 123`, `cvc2: 1234`, or right behind a number.

import { endOfDigits, isDigit } from '../../base/card/ascii.ts';
import { readAscii } from '../../base/card/ascii-digits.ts';
import { EXPIRY_ABSENT } from '../../base/card/expiry.ts';
import { type NumberPlaces, PLACE } from '../../base/card/finder/number-places.ts';
import {
	codeBehindLabel,
	eachLabelPair,
	LABEL,
	LONGEST_LABELLED,
	startOfLabel,
} from '../../base/card/names/cvv-label.ts';
import { LONGEST_PHRASE } from '../../base/card/names/phrase.ts';
import { isMask } from '../../base/card/number.ts';
import { findCodesBefore } from '../../base/card/spelling/code-before.ts';
import {
	codeBehind,
	doubtfulCodeBehind,
	isAmexRange,
	labelledCodeBehind,
	wordedCodeBehind,
} from '../../base/card/spelling/code-behind.ts';
import type { Findings } from '../format.ts';

/** A masked number has one of these between its first and its last digits. */
const MASKS = ['XXXX', 'xxxx', '****'].map((mask) => Buffer.from(mask));
/** Masks leave four digits at the end of a number, and at most six at its start. */
const SHOWN_AT_END = 4;
const MOST_AT_START = 6;
const STAR = 0x2a;
/** Matches what divides a number from the next value of its array: `["4111…", "12/29", "123"]`. */
const BEFORE_VALUE = /^"?,\s*"?\d/;
const LONGEST_BEFORE_VALUE = 40;

/**
 * Returns the start of the first label of a security code in `bytes[start, end)` that is so near to `end` that its code
 * may continue after `end`; -1 if there is none.
 */
export function indexOfCutLabel(bytes: Buffer, start: number, end: number): number {
	let first = end;
	eachLabelPair(bytes, Math.max(start, end - LONGEST_LABELLED), end, (at) => {
		first = Math.min(first, at);
	});
	return first === end ? -1 : startOfLabel(bytes, first, start);
}

/** Adds to `places` the position of the security code after every label in `bytes[start, end)`. */
export function findOtherCodes(bytes: Buffer, start: number, end: number, places: NumberPlaces): void {
	eachLabelPair(bytes, start, end, (at) => {
		const label = startOfLabel(bytes, at, start);
		const codeStart = codeBehindLabel(bytes, label, start, end);
		if (codeStart !== -1 && LABEL.isTelling) places.add(codeStart, endOfDigits(bytes, codeStart, end));
		// In another script the code is only told.
		const ascii = codeStart === -1 ? readAscii(bytes, label, Math.min(end, label + LONGEST_PHRASE)) : undefined;
		const wide = ascii ? codeBehindLabel(ascii.bytes, 0, 0, ascii.bytes.length) : -1;
		if (wide !== -1 && LABEL.isTelling) places.add(ascii!.offsets[wide], ascii!.offsets[wide] + 1, PLACE.TOLD);
	});
}

/** Takes the start of a code, and whether it is only told. */
type TakeCode = (code: number, isDoubtful: boolean) => void;

/** Calls `take` with the codes that words announce behind the number `bytes[numberStart, numberEnd)`. */
export function findAnnouncedCodes(
	bytes: Buffer,
	numberStart: number,
	numberEnd: number,
	end: number,
	take: TakeCode,
): void {
	const isAmex = isAmexRange(bytes, numberStart);
	const worded = wordedCodeBehind(bytes, numberEnd, end, isAmex);
	const doubtful = worded === -1 ? doubtfulCodeBehind(bytes, numberEnd, end, isAmex) : -1;
	let isTaken = doubtful === -1;
	if (worded !== -1 && bytes[worded] !== STAR) take(worded, false);
	// A text may name several codes. All are taken at once: once one is stars, the others must not be found anew.
	for (let from = numberEnd; ; ) {
		const labelled = labelledCodeBehind(bytes, numberEnd, end, from, isAmex);
		if (labelled === -1) break;
		if (labelled !== worded) take(labelled, false);
		isTaken ||= labelled === doubtful;
		from = endOfDigits(bytes, labelled, end);
	}
	if (!isTaken) take(doubtful, true);
}

/** Calls `take` with the codes behind the number `bytes[numberStart, numberEnd)`. */
function findCodesBehind(bytes: Buffer, numberStart: number, numberEnd: number, end: number, take: TakeCode): void {
	const bare = codeBehind(bytes, numberEnd, end, isAmexRange(bytes, numberStart));
	if (bare !== -1 && bytes[bare] !== STAR) take(bare, false);
	findAnnouncedCodes(bytes, numberStart, numberEnd, end, take);
}

/** Calls `take` with the codes beside every masked number in `bytes[start, end)`, and with the start of that number. */
export function findCodesBesideMasks(
	bytes: Buffer,
	start: number,
	end: number,
	take: (numberStart: number, code: number, isDoubtful: boolean) => void,
): void {
	const stretch = bytes.subarray(0, end);
	for (const mask of MASKS) {
		for (let at = stretch.indexOf(mask, start); at !== -1; at = stretch.indexOf(mask, at)) {
			let first = at;
			while (first > start && isDigit(bytes[first - 1]) && at - first < MOST_AT_START) first--;
			while (at < end && isMask(bytes[at])) at++;
			const numberEnd = endOfDigits(bytes, at, end);
			if (numberEnd - at !== SHOWN_AT_END) continue;
			findCodesBehind(bytes, first, numberEnd, end, (code, isDoubtful) => take(first, code, isDoubtful));
			findCodesBefore(bytes, start, first, take);
		}
	}
}

/**
 * Calls `take` with the codes beside each number, and with the start of that number: those behind it if it is outside the card
 * fields or stands without an expiry in an array, and the file has no lines, and those before it if the number is not all that its field has.
 */
export function findCodesBeside(
	bytes: Buffer,
	{ items, length }: Findings,
	end: number,
	hasLines: boolean,
	startOf: (at: number) => number,
	take: (numberStart: number, code: number, isDoubtful: boolean) => void,
): void {
	for (let i = 0; i < length; i++) {
		const { numberStart, numberEnd, isOther, isCode, shape, expiry, cvvStart, cvvEnd } = items[i];
		if (isCode || numberStart === numberEnd) continue;
		const isInArray = () => BEFORE_VALUE.test(bytes.toString('latin1', numberEnd, numberEnd + LONGEST_BEFORE_VALUE));
		if (!hasLines && (isOther || (expiry === EXPIRY_ABSENT && cvvStart === cvvEnd && isInArray())))
			findCodesBehind(bytes, numberStart, numberEnd, end, (code, isDoubtful) => take(numberStart, code, isDoubtful));
		if (isOther || hasLines || shape === 'other') findCodesBefore(bytes, startOf(numberStart), numberStart, take);
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
