// Forms of payment in M2 and M5 (rules IUR-1 and IUR-2, formats §4.2, §4.4).

import { EXPIRY_ABSENT, type Expiry, readExpiry } from '../src/card/expiry.ts';
import { type IurExpiries, joinPair, readColumnExpiry } from './iur-expiry.ts';
import { CODE_LENGTH, isCode, readExpiryBehind, readMonthYear } from './scan/lines-coded.ts';
import type { LineFindings } from './scan/lines-findings.ts';
import { areFourDigits, endOfNumber, isDigit, isDigitAt } from './scan/lines-number.ts';

const BLANK = 0x20;
const STAR = 0x2a;
const SLASH = 0x2f;
const C = 0x43;
const X = 0x58;

/** Columns of IU2EXP in the M2 line, from 0. */
const M2_EXPIRY = 221;
/** Columns of the passenger item, from 0: an M2 is the item's own, an M5 has its own item before it. */
const M2_PASSENGER = 2;
const M5_PASSENGER = 4;

/** IU2EXP of an M2 line. */
export function readM2Expiry(bytes: Uint8Array, start: number, end: number): Expiry {
	return readColumnExpiry(bytes, start + M2_EXPIRY, end);
}

/** The passenger item of an M2 line. */
export function m2Passenger(bytes: Uint8Array, start: number): number {
	return joinPair(bytes, start + M2_PASSENGER);
}

/** What the M2 line said about the card in the third line behind it. */
export interface M2Facts {
	readonly passenger: number;
	readonly expiry: Expiry;
}

/** Adds the card of an M2's form of payment line and remembers it for M5; false when the line holds none. */
export function scanM2Payment(
	bytes: Uint8Array,
	start: number,
	end: number,
	m2: M2Facts,
	expiries: IurExpiries,
	line: LineFindings,
): boolean {
	const codeAt = findLeadingCode(bytes, start < end && bytes[start] === STAR ? start + 1 : start, end);
	if (codeAt === -1) return false;
	const numberStart = codeAt + CODE_LENGTH;
	const numberEnd = endOfNumber(bytes, numberStart, end);
	const own = readCrossExpiry(bytes, numberEnd, end);
	const expiry = own === EXPIRY_ABSENT ? m2.expiry : own;
	line.add(numberStart, numberEnd, expiry, codeAt, numberStart);
	expiries.remember(bytes, numberStart, numberEnd, {
		code: joinPair(bytes, codeAt),
		passenger: m2.passenger,
		expiry,
	});
	return true;
}

/** The card code at `at`, or behind a CC there, that a number follows at once; -1 when there is none. */
export function findLeadingCode(bytes: Uint8Array, at: number, end: number): number {
	if (!isCode(bytes, at, end)) return -1;
	const isBehindCc = bytes[at] === C && bytes[at + 1] === C && isCode(bytes, at + 2, end);
	if (isBehindCc && endOfNumber(bytes, at + 4, end) !== -1) return at + 2;
	return endOfNumber(bytes, at + 2, end) === -1 ? -1 : at;
}

/**
 * An expiry behind a number: one of the usual tails, or MMYY or MM/YY behind `#`, `/`, `@` or the cross of Lorraine,
 * which files hold as 0xA5, or as 0xC2 0xA5 once somebody made UTF-8 of it.
 */
export function readCrossExpiry(bytes: Uint8Array, at: number, end: number): Expiry {
	const digits = at + crossLength(bytes, at, end);
	if (digits > at && areFourDigits(bytes, digits, end) && !isDigitAt(bytes, digits + 4, end)) {
		return readMonthYear(bytes, digits);
	}
	const isSplit = digits > at && digits + 5 <= end && bytes[digits + 2] === SLASH && !isDigitAt(bytes, digits + 5, end);
	if (isSplit && isDigit(bytes[digits]) && isDigit(bytes[digits + 4])) return readExpiry(bytes, digits, digits + 5);
	return readExpiryBehind(bytes, at, end, true);
}

function crossLength(bytes: Uint8Array, at: number, end: number): number {
	if (at >= end) return 0;
	const byte = bytes[at];
	if (byte === 0x23 || byte === SLASH || byte === 0x40 || byte === 0xa5) return 1;
	return byte === 0xc2 && at + 1 < end && bytes[at + 1] === 0xa5 ? 2 : 0;
}

/** Adds the cards of an M5 line: `/CCVI4111111111111111 1.1NAME`. */
export function scanM5(bytes: Uint8Array, start: number, end: number, expiries: IurExpiries, line: LineFindings): void {
	for (let i = start + M5_PASSENGER + 2; i + 4 < end; i++) {
		if (bytes[i] !== SLASH || bytes[i + 1] !== C || (bytes[i + 2] !== C && bytes[i + 2] !== X)) continue;
		const codeAt = i + 3;
		if (!isCode(bytes, codeAt, end)) continue;
		const numberStart = codeAt + CODE_LENGTH;
		const numberEnd = endOfNumber(bytes, numberStart, end);
		if (numberEnd === -1 || (numberEnd < end && bytes[numberEnd] !== BLANK && bytes[numberEnd] !== SLASH)) continue;
		const code = joinPair(bytes, codeAt);
		const expiry = expiries.find(bytes, numberStart, numberEnd, code, m5Passenger(bytes, start));
		line.add(numberStart, numberEnd, expiry, codeAt, numberStart);
		i = numberEnd - 1;
	}
}

/** 0 where the M5 is for all passengers (AA, PP, blank). */
function m5Passenger(bytes: Uint8Array, start: number): number {
	const at = start + M5_PASSENGER;
	return isDigit(bytes[at]) && isDigit(bytes[at + 1]) ? joinPair(bytes, at) : 0;
}
