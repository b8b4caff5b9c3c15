// Card numbers behind a card code, as travel hosts write them: `CCVI4111111111111111/1229`.

import { GDS_CARD_CODES } from '../../src/card/brand.ts';
import { EXPIRY_ABSENT, EXPIRY_UNREADABLE, type Expiry, expiryOf } from '../../src/card/expiry.ts';
import type { LineFindings } from './lines-findings.ts';
import { areFourDigits, endOfNumber, isDigit, isDigitAt, isExp, isUpperLetter } from './lines-number.ts';

export const CODE_LENGTH = 2;
const C = 0x43;
const SLASH = 0x2f;
const HYPHEN = 0x2d;

const KNOWN_CODES = new Uint8Array(26 * 26);
for (const code of GDS_CARD_CODES) KNOWN_CODES[(code.charCodeAt(0) - 65) * 26 + code.charCodeAt(1) - 65] = 1;

/** Whether any two capital letters stand at `at`: what a form of payment accepts as a card code. */
export function isCode(bytes: Uint8Array, at: number, end: number): boolean {
	return at + CODE_LENGTH <= end && isUpperLetter(bytes[at]) && isUpperLetter(bytes[at + 1]);
}

/** Whether a card code of the trade stands at `at`: what is asked for where any other text may stand too. */
export function isKnownCode(bytes: Uint8Array, at: number, end: number): boolean {
	return isCode(bytes, at, end) && KNOWN_CODES[(bytes[at] - 65) * 26 + bytes[at + 1] - 65] === 1;
}

/** Where the number behind a code begins: a slash may stand between (`CVI/4111111111111111`). */
export function numberStartBehind(bytes: Uint8Array, codeAt: number): number {
	const at = codeAt + CODE_LENGTH;
	return bytes[at] === SLASH ? at + 1 : at;
}

/** End of the number behind the code at `codeAt`, or -1 when none stands there. */
export function endOfCodedNumber(bytes: Uint8Array, codeAt: number, end: number): number {
	return isCode(bytes, codeAt, end) ? endOfNumber(bytes, numberStartBehind(bytes, codeAt), end) : -1;
}

/**
 * Adds every `CC<known code><number>` of a line (rule AIR-2, formats §3.4) with the expiry behind it. No letter or digit
 * may stand before the CC.
 */
export function scanCodes(bytes: Uint8Array, start: number, end: number, line: LineFindings): void {
	for (let i = start; i + 4 < end; i++) {
		if (bytes[i] !== C || bytes[i + 1] !== C) continue;
		if (i > start && (isUpperLetter(bytes[i - 1]) || isDigit(bytes[i - 1]))) continue;
		const codeAt = i + 2;
		if (!isKnownCode(bytes, codeAt, end)) continue;
		const numberEnd = endOfCodedNumber(bytes, codeAt, end);
		if (numberEnd === -1) continue;
		const expiry = readExpiryBehind(bytes, numberEnd, end, false);
		line.add(numberStartBehind(bytes, codeAt), numberEnd, expiry, codeAt, codeAt + CODE_LENGTH);
		i = numberEnd - 1;
	}
}

/** The month and year `MMYY` at `at`. */
export function readMonthYear(bytes: Uint8Array, at: number): Expiry {
	return expiryOf(twoDigits(bytes, at), twoDigits(bytes, at + 2));
}

/**
 * The expiry right behind a number: `/1229`, `D1229`, `EXP1229`, `-EXP-1229`, `/-EXP-1229`, `/EXP-1229`. In a form of
 * payment four digits behind a slash are the expiry, good or bad. Elsewhere (`isSlashCertain` false) they may be
 * anything, and only a real month makes them one.
 */
export function readExpiryBehind(bytes: Uint8Array, at: number, end: number, isSlashCertain: boolean): Expiry {
	// D
	if (at < end && bytes[at] === 0x44 && areFourDigits(bytes, at + 1, end)) return readMonthYear(bytes, at + 1);
	if (at < end && bytes[at] === SLASH && areFourDigits(bytes, at + 1, end) && !isDigitAt(bytes, at + 5, end)) {
		const expiry = readMonthYear(bytes, at + 1);
		return expiry === EXPIRY_UNREADABLE && !isSlashCertain ? EXPIRY_ABSENT : expiry;
	}
	let digits = at;
	if (digits < end && bytes[digits] === SLASH) digits++;
	if (digits < end && bytes[digits] === HYPHEN) digits++;
	if (!isExp(bytes, digits, end)) return EXPIRY_ABSENT;
	digits += 3;
	if (digits < end && bytes[digits] === HYPHEN) digits++;
	return areFourDigits(bytes, digits, end) ? readMonthYear(bytes, digits) : EXPIRY_ABSENT;
}

function twoDigits(bytes: Uint8Array, at: number): number {
	return (bytes[at] - 48) * 10 + bytes[at + 1] - 48;
}
