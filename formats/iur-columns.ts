// Rule IUR-3: the card of an MG (EMD) sub-record stands in fixed columns that no token fits into. The columns are masked,
// as hosts do themselves, and the token is a tail behind the line (formats §4.3, option B).

import { COLUMNS_TAIL_PREFIX, type Finding } from '../src/transfer/format.ts';
import { readColumnExpiry } from './iur-expiry.ts';
import type { LineFindings } from './scan/lines-findings.ts';
import { endOfDigits, endOfToken, isDigit, TOKEN_LENGTH } from './scan/lines-number.ts';

// Columns from 0: IUGFOP, IUGCCC, IUGCCN with the spare IUGCNS behind it, IUGCCD.
const FORM_OF_PAYMENT = 166;
const CODE = 168;
const NUMBER = 171;
const NUMBER_WIDTH = 18;
const WIDTH_WITH_SPARE = 22;
const EXPIRY = 193;
/** Whole length of the fixed line. */
const MG_LENGTH = 238;

const TAIL_PREFIX = Buffer.from(COLUMNS_TAIL_PREFIX);
const MIN_DIGITS = 12;
const VISIBLE_DIGITS = 4;
const BLANK = 0x20;
const C = 0x43;
const X = 0x58;

/** Adds the card of an MG line, whether its number stands in the columns or its token in the tail. */
export function scanMg(bytes: Buffer, start: number, end: number, line: LineFindings): void {
	const tail = tailStart(bytes, start, end);
	const fixedEnd = tail === -1 ? end : tail;
	if (!paysByCard(bytes, start, fixedEnd)) return;
	const numberStart = start + NUMBER;
	const numberEnd = endOfColumnNumber(bytes, numberStart, fixedEnd);
	if (numberEnd !== -1) {
		const finding = addCard(bytes, start, fixedEnd, numberStart, numberEnd, line);
		finding.sideStart = end;
		finding.sideEnd = end;
		return;
	}
	const maskEnd = endOfMask(bytes, numberStart, Math.min(fixedEnd, numberStart + WIDTH_WITH_SPARE));
	if (tail === -1 || maskEnd === -1) return;
	const finding = addCard(bytes, start, fixedEnd, tail + TAIL_PREFIX.length, end, line);
	finding.sideStart = numberStart;
	finding.sideEnd = maskEnd;
}

/** Start of ` TKN-<token>` at the very end of a line, or -1. */
function tailStart(bytes: Buffer, start: number, end: number): number {
	const at = end - TOKEN_LENGTH - TAIL_PREFIX.length;
	const isTail = at >= start && bytes.compare(TAIL_PREFIX, 0, TAIL_PREFIX.length, at, at + TAIL_PREFIX.length) === 0;
	return isTail && endOfToken(bytes, at + TAIL_PREFIX.length, end) === end ? at : -1;
}

/** Whether an MG line that ends the file without a line end is whole: it has its full length, and no tail is cut. */
export function isWholeMg(bytes: Buffer, start: number, end: number): boolean {
	if (tailStart(bytes, start, end) !== -1) return true;
	return end - start >= MG_LENGTH && bytes.subarray(start + MG_LENGTH, end).indexOf(TAIL_PREFIX[0]) === -1;
}

/** Whether an MG line is paid by card and long enough for a number. */
export function paysByCard(bytes: Uint8Array, start: number, end: number): boolean {
	const at = start + FORM_OF_PAYMENT;
	return start + NUMBER + MIN_DIGITS <= end && bytes[at] === C && bytes[at + 1] === C;
}

function addCard(
	bytes: Uint8Array,
	start: number,
	fixedEnd: number,
	numberStart: number,
	numberEnd: number,
	line: LineFindings,
): Finding {
	const expiry = readColumnExpiry(bytes, start + EXPIRY, fixedEnd);
	const finding = line.add(numberStart, numberEnd, expiry, start + CODE, start + CODE + 2);
	finding.shape = 'columns';
	return finding;
}

/** End of 12 digits or more, left-aligned in their columns and running into the spare where they are long; or -1. */
function endOfColumnNumber(bytes: Uint8Array, at: number, fixedEnd: number): number {
	const numberEnd = endOfDigits(bytes, at, Math.min(fixedEnd, at + WIDTH_WITH_SPARE));
	if (numberEnd - at < MIN_DIGITS) return -1;
	const columnsEnd = Math.min(fixedEnd, at + NUMBER_WIDTH);
	for (let i = numberEnd; i < columnsEnd; i++) if (bytes[i] !== BLANK) return -1;
	return numberEnd;
}

/** End of a run of X with four digits behind it, as long as a number can be; or -1. */
function endOfMask(bytes: Uint8Array, at: number, end: number): number {
	let i = at;
	while (i < end && bytes[i] === X) i++;
	const maskEnd = i + VISIBLE_DIGITS;
	if (maskEnd > end || maskEnd - at < MIN_DIGITS) return -1;
	for (; i < maskEnd; i++) if (!isDigit(bytes[i])) return -1;
	return maskEnd === end || !isDigit(bytes[maskEnd]) ? maskEnd : -1;
}
