// These rules find forms of payment in M2 and M5 (IUR-1 and IUR-2, formats §4.2, §4.4).

import { isDigit } from '../../src/base/card/ascii.ts';
import { EXPIRY_ABSENT, type Expiry } from '../../src/base/card/expiry.ts';
import { CODE_LENGTH, isCode, isKnownCode } from '../scan/lines/card-codes.ts';
import type { CodedNumbers } from '../scan/lines/coded.ts';
import type { LineFindings } from '../scan/lines/findings.ts';
import { addCoded } from '../scan/lines/network.ts';
import { type IurExpiries, joinPair, readColumnExpiry } from './expiry.ts';

const BLANK = 0x20;
const STAR = 0x2a;
const SLASH = 0x2f;
const C = 0x43;
const X = 0x58;

/** The column of an M2 line where the expiry (IU2EXP) begins, counted from 0. */
const M2_EXPIRY = 221;
/**
 * The position of the passenger item in the line, in columns counted from 0. In an M2 it is the first item; in an M5
 * another item precedes it.
 */
const M2_PASSENGER = 2;
const M5_PASSENGER = 4;

/** Holds the facts that the first line of an M2 gives about the card in its form of payment, three lines below. */
export interface M2Facts {
	readonly passenger: number;
	readonly expiry: Expiry;
}

/** Reads the passenger and the expiry, IU2EXP, of an M2 line. */
export function readM2(bytes: Uint8Array, start: number, end: number): M2Facts {
	const expiry = readColumnExpiry(bytes, start + M2_EXPIRY, end);
	return { passenger: joinPair(bytes, start + M2_PASSENGER), expiry };
}

/**
 * Adds the cards of the line that holds the form of payment of an M2. There may be several forms of payment in it:
 * `CK TF…/VI4111111111111111 TF…`. The expiry that the first line of the M2 gives belongs to the first card, unless the
 * card has an expiry of its own.
 */
export function scanM2Payment(
	bytes: Uint8Array,
	start: number,
	end: number,
	expiry: Expiry,
	line: LineFindings,
	numbers: CodedNumbers,
): void {
	let at = start;
	for (let isFirst = true; at < end; at++) {
		if (at > start && bytes[at - 1] !== SLASH) continue;
		const codeAt = findLeadingCode(bytes, start, at, end, numbers);
		if (codeAt === -1) continue;
		const finding = addCoded(bytes, codeAt, end, line, numbers, true);
		if (isFirst && finding.expiry === EXPIRY_ABSENT) finding.expiry = expiry;
		isFirst = false;
		at = numbers.end - 1;
	}
}

/** Remembers the cards of an M2 for the M5 lines after it. */
export function rememberCards(bytes: Uint8Array, m2: M2Facts, expiries: IurExpiries, line: LineFindings): void {
	for (let i = 0; i < line.count; i++) {
		const { numberStart, numberEnd, typeStart, typeEnd, expiry } = line.at(i);
		const code = typeEnd > typeStart ? joinPair(bytes, typeStart) : 0;
		expiries.remember(bytes, numberStart, numberEnd, { code, passenger: m2.passenger, expiry });
	}
}

/**
 * Returns the position of the card code that begins at `from`, or -1 if there is none with a number after it. A star,
 * `CC` or both may stand before the code.
 */
export function findLeadingCode(
	bytes: Uint8Array,
	lineStart: number,
	from: number,
	end: number,
	numbers: CodedNumbers,
): number {
	const at = from < end && bytes[from] === STAR ? from + 1 : from;
	if (!isCode(bytes, at, end)) return -1;
	const isBehindCc = bytes[at] === C && bytes[at + 1] === C;
	if (isBehindCc && numbers.readPlace(bytes, lineStart, at + CODE_LENGTH, end)) return at + CODE_LENGTH;
	return numbers.readPlace(bytes, lineStart, at, end) ? at : -1;
}

/** Adds the cards of an M5 line: `/CCVI4111111111111111 1.1NAME`. */
export function scanM5(bytes: Uint8Array, start: number, end: number, line: LineFindings, numbers: CodedNumbers): void {
	for (let i = start + M5_PASSENGER + 2; i + 4 < end; i++) {
		if (bytes[i] !== SLASH || bytes[i + 1] !== C || (bytes[i + 2] !== C && bytes[i + 2] !== X)) continue;
		const codeAt = i + 3;
		if (!numbers.readPlace(bytes, start, codeAt, end)) continue;
		const { end: numberEnd } = numbers;
		const isClosed = numberEnd === end || bytes[numberEnd] === BLANK || bytes[numberEnd] === SLASH;
		// A valid card number is accepted no matter what follows it.
		if (!isClosed && !(isKnownCode(bytes, codeAt, end) && numbers.read(bytes, start, codeAt, end, true))) continue;
		addCoded(bytes, codeAt, end, line, numbers, false);
		i = numberEnd - 1;
	}
}

/** Gives each card of an M5 line that has no expiry the expiry of the matching M2 card. */
export function giveExpiries(bytes: Uint8Array, start: number, expiries: IurExpiries, line: LineFindings): void {
	const passenger = m5Passenger(bytes, start);
	for (let i = 0; i < line.count; i++) {
		const finding = line.at(i);
		if (finding.expiry !== EXPIRY_ABSENT) continue;
		const code = finding.typeEnd > finding.typeStart ? joinPair(bytes, finding.typeStart) : 0;
		finding.expiry = expiries.find(bytes, finding.numberStart, finding.numberEnd, code, passenger);
	}
}

/** Returns the passenger of an M5, or 0 if it is for all passengers (AA, PP or blank). */
function m5Passenger(bytes: Uint8Array, start: number): number {
	const at = start + M5_PASSENGER;
	return isDigit(bytes[at]) && isDigit(bytes[at + 1]) ? joinPair(bytes, at) : 0;
}
