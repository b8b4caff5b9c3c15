// What stands in a fixed line of an IUR once its cards are tokenized: masked columns, and behind the line one tail
// ` TKN-<token>` for each of them, in the same order (formats §4.3, option B).

import { COLUMNS_TAIL_PREFIX } from '../../src/transfer/format.ts';
import { areFourDigits, endOfToken, TOKEN_LENGTH } from '../scan/lines/number.ts';

const TAIL_PREFIX = Buffer.from(COLUMNS_TAIL_PREFIX);
const TAIL_LENGTH = TAIL_PREFIX.length + TOKEN_LENGTH;
const VISIBLE_DIGITS = 4;
/** The shortest number has 12 digits, of which four stay. */
const MIN_MASK = 8;
/** As many letters before a mask as tell what its code is. */
const LONGEST_CODE = 8;
const A = 0x41;
const C = 0x43;
const X = 0x58;

/** Where the tails at the very end of a line begin; `end` when there are none. */
export function tailsStart(bytes: Buffer, start: number, end: number): number {
	let at = end;
	while (isTail(bytes, at - TAIL_LENGTH, start, at)) at -= TAIL_LENGTH;
	return at;
}

function isTail(bytes: Buffer, at: number, start: number, end: number): boolean {
	if (
		at < start ||
		bytes[at + 1] !== TAIL_PREFIX[1] ||
		bytes.compare(TAIL_PREFIX, 0, TAIL_PREFIX.length, at, at + TAIL_PREFIX.length) !== 0
	)
		return false;
	return endOfToken(bytes, at + TAIL_PREFIX.length, end) === end;
}

/** How many tails stand in `[from, end)`. */
export function countTails(from: number, end: number): number {
	return (end - from) / TAIL_LENGTH;
}

/** Where the tail `index` of those that begin at `from` begins. */
export function tailAt(from: number, index: number): number {
	return from + index * TAIL_LENGTH;
}

/** Where the token of the tail at `at` begins. */
export function tokenOfTail(at: number): number {
	return at + TAIL_PREFIX.length;
}

/** Whether a line that ends the file without a line end holds the beginning of a tail. */
export function endsInTail(bytes: Buffer, start: number, end: number): boolean {
	const from = tailsStart(bytes, start, end);
	const at = bytes.subarray(from === end ? start : end, end).lastIndexOf(TAIL_PREFIX);
	return at !== -1 && end - (start + at) < TAIL_LENGTH;
}

/** A masked number: eight X or more, and four digits. */
export interface Mask {
	readonly start: number;
	readonly end: number;
}

/** The masked numbers of `bytes[start, end)`. */
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
 * Whether the X at `at` belongs to a code AX and not to the mask behind it. `CCAXXX…` is CC and AX, as `AXXX…` is; `CAXXX…` and
 * `CCCAXXX…` are CA. The other readings (C and AX, C and CA) are not told from these, and such cards stay (`isReadBack`).
 */
function isCodeAx(bytes: Uint8Array, start: number, at: number): boolean {
	if (at === start || bytes[at - 1] !== A) return false;
	let letters = 0;
	while (at - 2 - letters >= start && bytes[at - 2 - letters] === C) letters++;
	return letters === 0 || letters === 2;
}

/** Whether a number would be found again, to the byte, once it is masked. `start` is where its line begins. */
export function isReadBack(bytes: Buffer, start: number, number: Mask): boolean {
	const from = Math.max(start, number.start - LONGEST_CODE);
	const masked = Buffer.from(bytes.subarray(from, number.end));
	masked.fill(X, number.start - from, masked.length - VISIBLE_DIGITS);
	const masks = findMasks(masked, 0, masked.length);
	masked.fill(0);
	return masks.length > 0 && masks[masks.length - 1].start === number.start - from;
}
