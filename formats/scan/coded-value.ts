// Finds the number in a field that holds more of the card, as travel hosts write it: `VI4111111111111111`, with the card
// code, and `CCVI4111111111111111/1229`, with the expiry.

import { isDigit, isUpperLetter } from '../../src/card/ascii.ts';
import { brandOf } from '../../src/card/brand.ts';
import { EXPIRY_ABSENT, type Expiry, readExpiry } from '../../src/card/expiry.ts';
import { passesLuhn } from '../../src/card/luhn.ts';
import { CODE_LENGTH } from './lines/card-codes.ts';
import { CodedNumbers } from './lines/coded.ts';
import { endOfNumber, endOfToken } from './lines/number.ts';

const C = 0x43;
const HYPHEN = 0x2d;
const SLASH = 0x2f;
/** Matches the expiry behind a number: `/1229`, `*D1229`, `/12/29`, ` EXP 12/29`. */
const EXPIRY_BEHIND = /^(?:[/*#]D?|D| ?EXP ?)(?=\d\d(?:\d\d|\/(?:20)?\d\d)$)/;
const LONGEST_EXPIRY = 12;
/** Marks the characters of `EXPIRY_BEHIND` that may be directly before its last four digits or before `20` and a year. */
const BEFORE_LAST_FOUR = new Uint8Array(256);
for (const sign of Buffer.from('/*#DP ')) BEFORE_LAST_FOUR[sign] = 1;
/** A number without a code is looked at only if its value has at least this length: 14 digits, a sign and four digits. */
const SHORTEST_WITH_EXPIRY = 19;
const MAX_DIGITS = 19;

// This object is reused for every field. It is wiped after each reading.
const numbers = new CodedNumbers();

/** The positions of a number and of what is with it in a field. One instance is reused for all fields. */
export class CodedValue {
	/** The card code; both are equal if there is none. */
	codeStart = 0;
	codeEnd = 0;
	numberStart = 0;
	numberEnd = 0;
	/** The month and year behind the number; both are equal if there are none. */
	expiryStart = 0;
	expiryEnd = 0;

	/**
	 * Tells whether `bytes[start, end)`, a value without blanks around it, is a number or token with a known card code
	 * before it or an expiry behind it, and nothing else: `VI4111…`, `CCVI 4111 …`, `4111…/1229`. The check digit of the
	 * number must be right, and it must be one of the code's network.
	 */
	read(bytes: Buffer, start: number, end: number): boolean {
		if (start >= end) return false;
		// A token may begin with a capital letter too.
		const isCoded = isUpperLetter(bytes[start]) && this.#readCode(bytes, start, end);
		if (!isCoded && !this.#readPlain(bytes, start, end)) return false;
		this.expiryStart = this.expiryEnd = end;
		if (this.numberEnd === end) return this.codeEnd > this.codeStart;
		if (end - this.numberEnd > LONGEST_EXPIRY) return false;
		const sign = EXPIRY_BEHIND.exec(bytes.toString('latin1', this.numberEnd, end));
		if (sign === null) return false;
		this.expiryStart = this.numberEnd + sign[0].length;
		return true;
	}

	/** Reads the expiry behind the number that was read last. */
	expiry(bytes: Buffer): Expiry {
		return this.expiryStart === this.expiryEnd ? EXPIRY_ABSENT : readExpiry(bytes, this.expiryStart, this.expiryEnd);
	}

	#readCode(bytes: Buffer, start: number, end: number): boolean {
		const isBehindCc = bytes[start] === C && bytes[start + 1] === C;
		const isApart = isBehindCc && (bytes[start + 2] === HYPHEN || bytes[start + 2] === SLASH);
		this.codeStart = start + (isApart ? 3 : isBehindCc ? 2 : 0);
		this.codeEnd = this.codeStart + CODE_LENGTH;
		const isRead =
			numbers.read(bytes, this.codeStart, this.codeStart, end, true) ||
			(isBehindCc && numbers.readUnknown(bytes, this.codeStart, this.codeStart, end));
		this.numberStart = numbers.start;
		this.numberEnd = numbers.end;
		numbers.clear();
		return isRead;
	}

	#readPlain(bytes: Buffer, start: number, end: number): boolean {
		// Most values end with their number or token, and then nothing is with it.
		if (end - start < SHORTEST_WITH_EXPIRY || !mayEndWithExpiry(bytes, end)) return false;
		this.codeStart = this.codeEnd = this.numberStart = start;
		this.numberEnd = endOfNumber(bytes, start, end);
		if (this.numberEnd === -1) return false;
		if (endOfToken(bytes, start, end) === this.numberEnd) return true;
		const count = this.numberEnd - start;
		return count <= MAX_DIGITS && brandOf(bytes, start, count) !== 0 && passesLuhn(bytes, start, count);
	}
}

/**
 * Tells whether a value that ends at `end` may end with the expiry that `EXPIRY_BEHIND` matches. It looks at four bytes only,
 * because it is asked of every card, and nearly no token passes.
 */
function mayEndWithExpiry(bytes: Uint8Array, end: number): boolean {
	if (!isDigit(bytes[end - 1]) || !isDigit(bytes[end - 2])) return false;
	return bytes[end - 3] === SLASH || BEFORE_LAST_FOUR[bytes[end - 5]] === 1;
}
