// When the cards of a fixed line of an IUR are tokenized, their columns are masked and one tail ` TKN-<token>` for each
// of them is appended to the line, in the same order (formats §4.3, option B).

import { areFourDigits, isTextAt } from '../../src/base/card/ascii.ts';
import { TOKEN_LENGTH } from '../../src/base/card/number.ts';
import { COLUMNS_TAIL_PREFIX } from '../../src/engine/format.ts';
import { endOfToken } from '../scan/lines/number.ts';

const TAIL_PREFIX = Buffer.from(COLUMNS_TAIL_PREFIX);
const TAIL_LENGTH = TAIL_PREFIX.length + TOKEN_LENGTH;
const VISIBLE_DIGITS = 4;
/** A mask has at least this many X: the shortest number has 12 digits, of which the last four are not masked. */
const MIN_MASK = 8;
/** This many letters before a mask are enough to recognise its network code. */
const LONGEST_CODE = 8;
const A = 0x41;
const C = 0x43;
const X = 0x58;

/** Returns where the tails at the very end of a line begin, or `end` if there are none. */
export function tailsStart(bytes: Buffer, start: number, end: number): number {
	let at = end;
	while (isTail(bytes, at - TAIL_LENGTH, start, at)) at -= TAIL_LENGTH;
	return at;
}

function isTail(bytes: Buffer, at: number, start: number, end: number): boolean {
	return at >= start && isTextAt(bytes, at, TAIL_PREFIX) && endOfToken(bytes, at + TAIL_PREFIX.length, end) === end;
}

export function countTails(from: number, end: number): number {
	return (end - from) / TAIL_LENGTH;
}

/** Returns the start of tail number `index` among those that begin at `from`; its token is the last `TOKEN_LENGTH` bytes. */
export function tailAt(from: number, index: number): number {
	return from + index * TAIL_LENGTH;
}

/** Tells whether a line that ends the file without a line end contains an incomplete tail. */
export function endsInTail(bytes: Buffer, start: number, end: number): boolean {
	const from = tailsStart(bytes, start, end);
	const at = bytes.subarray(from === end ? start : end, end).lastIndexOf(TAIL_PREFIX);
	return at !== -1 && end - (start + at) < TAIL_LENGTH;
}

/** Describes a masked number, which consists of eight or more X and four digits. */
export interface Mask {
	readonly start: number;
	readonly end: number;
}

/** Finds the masked numbers of `bytes[start, end)`. */
export function findMasks(bytes: Uint8Array, start: number, end: number): Mask[] {
	const masks: Mask[] = [];
	for (let i = start; i < end; i++) {
		if (bytes[i] !== X) continue;
		let runEnd = i;
		while (runEnd < end && bytes[runEnd] === X) runEnd++;
		const maskStart = isCodeAx(bytes, start, i) ? i + 1 : i;
		if (runEnd - maskStart >= MIN_MASK && areFourDigits(bytes, runEnd, end)) {
			masks.push({ start: maskStart, end: runEnd + VISIBLE_DIGITS });
		}
		i = runEnd;
	}
	return masks;
}

/**
 * Tells whether the X at `at` belongs to the code AX, and not to the mask after it. It does if no C precedes the A
 * (`AXXX…`), or exactly two do (`CCAXXX…` is CC and AX). If one C or three precede it (`CAXXX…`, `CCCAXXX…`), the code
 * is CA. So a card written with C and AX, or with C and CA, would be misread once it is masked. Such a card is not
 * masked (`isReadBack`).
 */
function isCodeAx(bytes: Uint8Array, start: number, at: number): boolean {
	if (at === start || bytes[at - 1] !== A) return false;
	let letters = 0;
	while (at - 2 - letters >= start && bytes[at - 2 - letters] === C) letters++;
	return letters === 0 || letters === 2;
}

/**
 * Tells whether detokenizing would find exactly this number again once it is masked. `start` is the start of its line.
 */
export function isReadBack(bytes: Buffer, start: number, number: Mask): boolean {
	const from = Math.max(start, number.start - LONGEST_CODE);
	const masked = Buffer.from(bytes.subarray(from, number.end));
	masked.fill(X, number.start - from, masked.length - VISIBLE_DIGITS);
	const masks = findMasks(masked, 0, masked.length);
	masked.fill(0);
	return masks.length > 0 && masks[masks.length - 1].start === number.start - from;
}
