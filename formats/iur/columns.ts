// Rule IUR-3 covers cards in the fixed columns of M0, M1, M2, M3, M4 and MG, which are too narrow for a token. The
// columns are masked, as hosts do themselves, and the token is appended to the line as a tail (formats §4.3, option B).

import { endOfDigits } from '../../src/base/card/ascii.ts';
import { EXPIRY_ABSENT } from '../../src/base/card/expiry.ts';
import { TOKEN_LENGTH } from '../../src/base/card/number.ts';
import type { Finding } from '../../src/engine/format.ts';
import { CODE_LENGTH } from '../scan/lines/card-codes.ts';
import type { CodedNumbers } from '../scan/lines/coded.ts';
import { markCvvs } from '../scan/lines/cvv.ts';
import type { LineFindings } from '../scan/lines/findings.ts';
import { scanNetworks } from '../scan/lines/network.ts';
import { readColumnExpiry } from './expiry.ts';
import { countTails, findMasks, isReadBack, type Mask, tailAt, tailsStart } from './tails.ts';

// Columns of the MG line, counted from 0: the form of payment (IUGFOP), the card code (IUGCCC), the number (IUGCCN,
// with the spare columns IUGCNS after it) and the expiry (IUGCCD).
const FORM_OF_PAYMENT = 166;
const CODE = 168;
const NUMBER = 171;
const NUMBER_WIDTH = 18;
const WIDTH_WITH_SPARE = 22;
const EXPIRY = 193;
/** The fixed part of an MG line has this length; tails may follow it. */
const MG_LENGTH = 238;

const MIN_DIGITS = 12;
const BLANK = 0x20;
const C = 0x43;
const LEFT_NOTICE =
	'A card in fixed columns was left in clear: a masked number or an ambiguous code on its line would make the way back uncertain';

/**
 * Adds the cards of a line with fixed columns. A card has its number in the columns or, if the columns are masked, its
 * token in a tail at the end of the line.
 */
export function scanColumns(
	bytes: Buffer,
	start: number,
	end: number,
	line: LineFindings,
	numbers: CodedNumbers,
	isMg: boolean,
): void {
	const tails = tailsStart(bytes, start, end);
	addNumbers(bytes, start, tails, line, numbers, isMg);
	if (line.count === 0 && tails === end) return;
	const masks = findMasks(bytes, start, tails);
	const tailCount = countTails(tails, end);
	// If a line has more masks than tails, for example because a host has masked numbers itself, it is uncertain which
	// tail belongs to which mask. Then the masks and the numbers in clear on the line stay as they are.
	const isCertain = masks.length <= tailCount;
	const firstTail = tailAt(tails, tailCount - masks.length);
	let masksBefore = 0;
	line.sort();
	line.filter((finding) => {
		const { numberStart, numberEnd } = finding;
		// A person has written a token into the columns themselves. It needs no tail, so its finding stays as it is.
		if (numberEnd - numberStart === TOKEN_LENGTH) return true;
		if (!isCertain || !isReadBack(bytes, start, { start: numberStart, end: numberEnd })) {
			line.notice(LEFT_NOTICE);
			return false;
		}
		while (masksBefore < masks.length && masks[masksBefore].start < numberStart) masksBefore++;
		finding.shape = 'columns';
		finding.sideStart = tailAt(firstTail, masksBefore);
		finding.sideEnd = finding.sideStart;
		return true;
	});
	if (isCertain) for (const mask of masks) addMask(bytes, start, tails, mask, line, isMg);
	// A CVV is searched for beside the columns of its number. So it must be found now: the next step moves the findings
	// of masked numbers from their columns to their tokens at the end of the line.
	markCvvs(bytes, start, tails, line);
	if (isCertain && masks.length > 0) pointToTokens(line, masks, firstTail);
}

/** Adds the number of an MG, valid or not, and every number after the code of a network. */
function addNumbers(
	bytes: Buffer,
	start: number,
	end: number,
	line: LineFindings,
	numbers: CodedNumbers,
	isMg: boolean,
): void {
	if (isMg && paysByCard(bytes, start, end)) {
		const numberEnd = endOfColumnNumber(bytes, start + NUMBER, end);
		if (numberEnd !== -1) addMgCard(bytes, start, end, start + NUMBER, numberEnd, line);
	}
	scanNetworks(bytes, start, end, line, numbers);
}

/**
 * Adds a masked number at the position of its columns, because its CVV is found beside them. `pointToTokens` later
 * moves the finding to the token.
 */
function addMask(bytes: Buffer, start: number, end: number, mask: Mask, line: LineFindings, isMg: boolean): void {
	const isColumn = isMg && mask.start === start + NUMBER;
	const finding = isColumn
		? addMgCard(bytes, start, end, mask.start, mask.end, line)
		: line.add(mask.start, mask.end, EXPIRY_ABSENT, mask.start, mask.start);
	finding.shape = 'columns';
	finding.sideStart = mask.start;
	finding.sideEnd = mask.end;
}

function pointToTokens(line: LineFindings, masks: readonly Mask[], firstTail: number): void {
	for (let i = 0, index = 0; i < line.count && index < masks.length; i++) {
		const finding = line.at(i);
		if (finding.numberStart !== masks[index].start) continue;
		finding.numberEnd = tailAt(firstTail, ++index);
		finding.numberStart = finding.numberEnd - TOKEN_LENGTH;
	}
	line.sort();
}

function addMgCard(
	bytes: Uint8Array,
	start: number,
	end: number,
	numberStart: number,
	numberEnd: number,
	line: LineFindings,
): Finding {
	const expiry = readColumnExpiry(bytes, start + EXPIRY, end);
	return line.add(numberStart, numberEnd, expiry, start + CODE, start + CODE + CODE_LENGTH);
}

/**
 * Tells whether an MG line that ends the file without a line end is complete: it has its full length and no tail is cut
 * off.
 */
export function isWholeMg(bytes: Buffer, start: number, end: number): boolean {
	const tails = tailsStart(bytes, start, end);
	return tails < end || (end - start >= MG_LENGTH && bytes.subarray(start + MG_LENGTH, end).indexOf(BLANK) === -1);
}

/** Tells whether an MG line is paid by card and is long enough for a number. */
export function paysByCard(bytes: Uint8Array, start: number, end: number): boolean {
	const at = start + FORM_OF_PAYMENT;
	return start + NUMBER + MIN_DIGITS <= end && bytes[at] === C && bytes[at + 1] === C;
}

/**
 * Returns the end of a number of 12 digits or more, or -1. The number begins at the left edge of its columns and a long
 * one continues in the spare columns.
 */
function endOfColumnNumber(bytes: Uint8Array, at: number, fixedEnd: number): number {
	const numberEnd = endOfDigits(bytes, at, Math.min(fixedEnd, at + WIDTH_WITH_SPARE));
	if (numberEnd - at < MIN_DIGITS) return -1;
	const columnsEnd = Math.min(fixedEnd, at + NUMBER_WIDTH);
	for (let i = numberEnd; i < columnsEnd; i++) if (bytes[i] !== BLANK) return -1;
	return numberEnd;
}
