// Rule AIR-1 finds cards in forms of payment, `FPO/CASH+/CCVI4111111111111111/0119/USD538.02` (formats §3.3, §3.4), and
// in the stored form of payment `Z-FOP`, which contains the number twice.

import { areFourDigits, isDigitAt } from '../../src/base/card/ascii.ts';
import { brandOf } from '../../src/base/card/brand.ts';
import { EXPIRY_ABSENT, type Expiry } from '../../src/base/card/expiry.ts';
import { passesLuhn } from '../../src/base/card/luhn.ts';
import { readMonthYear } from '../../src/base/card/spelling/expiry-behind.ts';
import { isKnownCode } from '../scan/lines/card-codes.ts';
import type { CodedNumbers } from '../scan/lines/coded.ts';
import type { LineFindings } from '../scan/lines/findings.ts';
import { addCoded } from '../scan/lines/network.ts';
import { endOfNumber, endOfToken } from '../scan/lines/number.ts';

const BLANK = 0x20;
const STAR = 0x2a;
const PLUS = 0x2b;
const HYPHEN = 0x2d;
const SLASH = 0x2f;
const C = 0x43;
const M = 0x4d;
const ACCOUNT = Buffer.from(';AC');
const DATE = Buffer.from(';DA');
/**
 * The number of an airline ticket has this many digits. The two letters of its airline, which can be written before it,
 * may look like a card code. So an invalid number after a code alone is reported only if it is longer than this.
 */
const TICKET_DIGITS = 13;
/** The expiry is the next field after the number or the one after that, so it is looked for within this distance. */
const MAX_DATE_GAP = 64;

/** Adds the cards of a line that begins with `FP` or `MFP`. */
export function scanPayment(
	bytes: Uint8Array,
	start: number,
	end: number,
	line: LineFindings,
	numbers: CodedNumbers,
): void {
	let i = start + (bytes[start] === M ? 3 : 2);
	let next = addCard(bytes, start, i, end, line, numbers);
	if (next === -1 && i < end && bytes[i] === STAR) next = addCard(bytes, start, ++i, end, line, numbers);
	if (next !== -1) i = next;
	for (; i < end; i++) {
		const byte = bytes[i];
		if (byte !== SLASH && byte !== PLUS && byte !== BLANK) continue;
		next = addCard(bytes, start, i + 1, end, line, numbers);
		if (next !== -1) i = next - 1;
	}
}

/**
 * Adds the card whose `C`, `CC` or network code begins at `at`. Returns the end of its number, or -1 if there is none.
 */
function addCard(
	bytes: Uint8Array,
	lineStart: number,
	at: number,
	end: number,
	line: LineFindings,
	numbers: CodedNumbers,
): number {
	const codeAt = findCode(bytes, lineStart, at, end, numbers);
	if (codeAt === -1) return -1;
	addCoded(bytes, codeAt, end, line, numbers, true);
	return numbers.end;
}

function findCode(bytes: Uint8Array, lineStart: number, at: number, end: number, numbers: CodedNumbers): number {
	if (at >= end) return -1;
	// In FPCCCA5555 the code is CA after CC; in FPCCA5555 it is CA after C. So CC is read as the prefix only if a code
	// and a number follow it.
	if (bytes[at] === C) {
		if (at + 1 < end && bytes[at + 1] === C && numbers.readPlace(bytes, lineStart, at + 2, end)) return at + 2;
		if (numbers.readPlace(bytes, lineStart, at + 1, end)) return at + 1;
		const isApart = bytes[at + 1] === C && (bytes[at + 2] === HYPHEN || bytes[at + 2] === SLASH);
		const codeAt = at + 3;
		if (isApart && isKnownCode(bytes, codeAt, end) && numbers.readPlace(bytes, lineStart, codeAt, end)) return codeAt;
	}
	// Without a C, an invalid number after a network code is not reported if it may be a ticket: `FPCA 9991234567890` is
	// one of Air China.
	if (!isKnownCode(bytes, at, end)) return -1;
	if (numbers.read(bytes, lineStart, at, end, false)) return at;
	if (!numbers.readPlace(bytes, lineStart, at, end)) return -1;
	const isLong = numbers.end - numbers.start > TICKET_DIGITS;
	return isLong && numbers.fitsCode(bytes, at, end) ? at : -1;
}

/**
 * Adds the second copy of a stored payment's number, `;AC378282246310005;DA1229;`, which has no network code. Other
 * forms of payment may have any other text after `;AC`, so the number must be in a brand's range and pass its check
 * digit.
 */
export function scanStoredPayment(bytes: Buffer, start: number, end: number, line: LineFindings): void {
	for (let at = find(bytes, ACCOUNT, start, end); at !== -1; at = find(bytes, ACCOUNT, at, end)) {
		const numberEnd = endOfNumber(bytes, at, end);
		if (numberEnd === -1) continue;
		const count = numberEnd - at;
		const isCard =
			endOfToken(bytes, at, end) !== -1 || (passesLuhn(bytes, at, count) && brandOf(bytes, at, count) !== 0);
		if (isCard) line.add(at, numberEnd, readDate(bytes, numberEnd, end), at, at);
	}
	line.sort();
}

/**
 * Gives each copy of a stored payment's number the network code of the card before it, because the copy has none of its
 * own.
 */
export function giveCodes(line: LineFindings): void {
	for (let i = 1; i < line.count; i++) {
		const copy = line.at(i);
		if (copy.typeEnd > copy.typeStart) continue;
		copy.typeStart = line.at(i - 1).typeStart;
		copy.typeEnd = line.at(i - 1).typeEnd;
	}
}

function readDate(bytes: Buffer, from: number, end: number): Expiry {
	const at = find(bytes, DATE, from, Math.min(end, from + MAX_DATE_GAP));
	const isDate = at !== -1 && areFourDigits(bytes, at, end) && !isDigitAt(bytes, at + 4, end);
	return isDate ? readMonthYear(bytes, at) : EXPIRY_ABSENT;
}

/** Returns the position after the next `label`, or -1 if there is none. */
function find(bytes: Buffer, label: Buffer, from: number, end: number): number {
	const at = bytes.subarray(from, end).indexOf(label);
	return at === -1 ? -1 : from + at + label.length;
}
