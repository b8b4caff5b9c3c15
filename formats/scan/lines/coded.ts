// Card numbers behind a card code, as travel hosts write them: `CCVI4111111111111111/1229`, `VI 4111 1111 1111 1111`.

import { brandOf, findCardType, GDS_CARD_CODES, isTypePlausible } from '../../../src/card/brand.ts';
import { passesLuhn } from '../../../src/card/luhn.ts';
import { isHexDigit } from '../../../src/card/number.ts';
import { readExpiryBehind } from './expiry.ts';
import {
	endOfDigits,
	endOfNumber,
	endOfToken,
	endOfTokenBeforeExpiry,
	isAlphanumeric,
	isDigit,
	isGluedExpiry,
	isGrouping,
	isRightEdge,
	isUpperLetter,
} from './number.ts';

export const CODE_LENGTH = 2;
const TAB = 0x09;
const HYPHEN = 0x2d;
const SLASH = 0x2f;
const C = 0x43;
const X = 0x58;
const ZERO = 0x30;

/** Card types by code; -1 where two letters are none, 0 where a code says nothing about the number. */
const TYPES = new Int8Array(26 * 26).fill(-1);
for (const code of GDS_CARD_CODES) {
	TYPES[(code.charCodeAt(0) - 65) * 26 + code.charCodeAt(1) - 65] = findCardType(code) ?? 0;
}

/** Most separators between a code and its number: `VI - 4111`. */
const MAX_SEPARATORS = 3;
const MAX_DIGITS = 19;
/** Tickets have as many digits, airlines have codes like those of cards, and no card of so few is printed any more. */
const TICKET_DIGITS = 13;
const EXPIRY_DIGITS = 4;
/** What a host that masks with zeros leaves of a number. */
const VISIBLE_AT_END = 4;
const MAX_VISIBLE_AT_START = 6;
const MIN_ZEROS = 2;
const MAX_GROUPS = 6;
/** Usual lengths first: the digits behind a grouped number may be an expiry or a CVV. */
const LENGTHS = [19, 16, 15, 14, 13, 18, 17];

/** Whether any two capital letters stand at `at`: what a form of payment accepts as a card code. */
export function isCode(bytes: Uint8Array, at: number, end: number): boolean {
	return at + CODE_LENGTH <= end && isUpperLetter(bytes[at]) && isUpperLetter(bytes[at + 1]);
}

/** Whether a card code of the trade stands at `at`: what is asked for where any other text may stand too. */
export function isKnownCode(bytes: Uint8Array, at: number, end: number): boolean {
	return typeAt(bytes, at, end) !== -1;
}

function typeAt(bytes: Uint8Array, at: number, end: number): number {
	return isCode(bytes, at, end) ? TYPES[(bytes[at] - 65) * 26 + bytes[at + 1] - 65] : -1;
}

/** Whether the code at `codeAt` stands behind `CC`, `CC-` or `CC/`, or in `CX/VI/`: CX is an airline too. */
export function isBehindCc(bytes: Uint8Array, start: number, codeAt: number): boolean {
	let at = codeAt - 2;
	if (at >= start && (bytes[at + 1] === HYPHEN || bytes[at + 1] === SLASH)) at--;
	const isCx = at >= start && bytes[at + 1] === X && bytes[at + 2] === SLASH && bytes[codeAt + 2] === SLASH;
	return at >= start && bytes[at] === C && (bytes[at + 1] === C || isCx);
}

/** The known code that a number at `numberStart` may stand behind, with at most three separators between; -1 when there is none. */
export function findCodeBefore(bytes: Uint8Array, start: number, numberStart: number): number {
	let at = numberStart;
	const limit = Math.max(start + CODE_LENGTH, numberStart - MAX_SEPARATORS);
	while (at > limit && isSeparator(bytes[at - 1])) at--;
	at -= CODE_LENGTH;
	return at >= start && isKnownCode(bytes, at, numberStart) ? at : -1;
}

/**
 * Reads numbers behind codes, one at a time; `start` and `end` then say where the last one stands. It keeps digits in clear:
 * `clear` them at the end of a file.
 */
export class CodedNumbers {
	start = 0;
	end = 0;
	/** Whether no separator stands between the code and its number. */
	isGlued = false;
	#mayHaveGluedExpiry = false;
	readonly #digits = new Uint8Array(MAX_DIGITS + 1);
	readonly #ends = new Int32Array(MAX_GROUPS);
	readonly #counts = new Uint8Array(MAX_GROUPS);

	/**
	 * Whether a card stands behind the code at `codeAt`, for certain: a number whose range agrees with the code and whose
	 * check digit holds, or a token in its place. At most three separators stand between. Where no CC stands before the code
	 * (`isStrong`) 13 digits must be grouped, or have an expiry, to be no ticket. An expiry may be glued to the number when its
	 * code is, but not where the code's first letter and the one before it are a code too: the token behind that one
	 * could end in the D of `D1229`.
	 */
	read(bytes: Uint8Array, lineStart: number, codeAt: number, end: number, isStrong: boolean): boolean {
		const type = typeAt(bytes, codeAt, end);
		if (type <= 0) return false;
		let at = codeAt + CODE_LENGTH;
		const limit = Math.min(end, at + MAX_SEPARATORS);
		while (at < limit && isSeparator(bytes[at])) at++;
		if (at >= end || !isHexDigit(bytes[at])) return false;
		this.start = at;
		this.isGlued = at === codeAt + CODE_LENGTH;
		this.#mayHaveGluedExpiry = this.isGlued && (codeAt === lineStart || !isKnownCode(bytes, codeAt - 1, end));
		this.end = endOfToken(bytes, at, end);
		if (this.end === -1 && this.#mayHaveGluedExpiry) this.end = endOfTokenBeforeExpiry(bytes, at, end);
		if (this.end === -1) this.end = this.#endOfCard(bytes, end, type, isStrong);
		return this.end !== -1;
	}

	/**
	 * As `read`, at a place where the layout has a card's number: any two letters are a code there, and any 12 digits or more
	 * behind it are a number, good or bad. What a host has masked with zeros is none.
	 */
	readPlace(bytes: Uint8Array, lineStart: number, codeAt: number, end: number): boolean {
		// CC is what stands before a code: `CCC<token>D1229` could be CC, CA and a token that begins behind its A.
		if (!isCode(bytes, codeAt, end) || (bytes[codeAt] === C && bytes[codeAt + 1] === C)) return false;
		if (this.read(bytes, lineStart, codeAt, end, true)) return true;
		const at = codeAt + CODE_LENGTH;
		if (at >= end) return false;
		const isBlankGood = isKnownCode(bytes, codeAt, end) && isGrouping(bytes[at]);
		this.isGlued = bytes[at] !== SLASH && !isBlankGood;
		this.start = this.isGlued ? at : at + 1;
		this.end = endOfNumber(bytes, this.start, end);
		if (this.end === -1) this.end = this.#endOfPrintedGroups(bytes, end);
		return this.end !== -1 && !this.#isZeroMasked(bytes);
	}

	/** Whether the number last read has the range and the length of its code's brand, or is a token, or stands in groups; its check digit may fail. */
	fitsCode(bytes: Uint8Array, codeAt: number, end: number): boolean {
		const count = this.end - this.start;
		const isGrouped = endOfDigits(bytes, this.start, this.end) < this.end;
		if (isGrouped || endOfToken(bytes, this.start, end) !== -1) return true;
		return count <= MAX_DIGITS && agrees(typeAt(bytes, codeAt, end), brandOf(bytes, this.start, count));
	}

	/** Whether some other rule could take the first characters of a token behind the glued code at `codeAt` for its own. */
	hasRival(bytes: Uint8Array, lineStart: number, codeAt: number, end: number, isPlaceLine: boolean): boolean {
		// Only letters that are hexadecimal digits too run on into a token.
		if (!this.isGlued || !isHexDigit(bytes[codeAt + 1])) return false;
		const isAnyCode = (at: number) =>
			at >= lineStart && (isPlaceLine ? isCode(bytes, at, end) : isKnownCode(bytes, at, end));
		// The last character of the token may be a D, which makes D1229 of an expiry glued behind it. At places any code counts.
		if (this.end < end && isDigit(bytes[this.end]) && isAnyCode(codeAt - 1)) return true;
		if (!isHexDigit(bytes[codeAt])) return false;
		// The last four may be digits and read as an expiry glued behind a number.
		if (!isHexBehind(bytes, lineStart, codeAt - 2, codeAt)) return false;
		if (codeAt - 4 >= lineStart && isKnownCode(bytes, codeAt - 4, end)) return true;
		// The last five may read D1229.
		if (!isHexBehind(bytes, lineStart, codeAt - 3, codeAt - 2)) return false;
		const before = codeAt - 4;
		return before >= lineStart && (!isAlphanumeric(bytes[before]) || isAnyCode(before - 1));
	}

	/** Wipes the digits. */
	clear(): void {
		this.#digits.fill(0);
	}

	#endOfCard(bytes: Uint8Array, end: number, type: number, isStrong: boolean): number {
		const digitsEnd = endOfDigits(bytes, this.start, end);
		const count = digitsEnd - this.start;
		if (count === 4 || count === 6 || count === 8) return this.#endOfGroupedCard(bytes, end, type);
		if (count < 12 || count > MAX_DIGITS + EXPIRY_DIGITS) return -1;
		const splitEnd = digitsEnd - EXPIRY_DIGITS;
		const canSplit = this.#mayHaveGluedExpiry && isGluedExpiry(bytes, splitEnd, end);
		// Of lengths that hardly any card has, a shorter number with its expiry is likelier.
		const isUnusual = count === 17 || count === 18;
		if (canSplit && isUnusual && this.#isCard(bytes, splitEnd, type)) return splitEnd;
		if (isRightEdge(bytes, digitsEnd, end) && this.#isCard(bytes, digitsEnd, type)) {
			if (count > TICKET_DIGITS || isStrong) return digitsEnd;
			if (count === TICKET_DIGITS && readExpiryBehind(bytes, digitsEnd, end, false) > 0) return digitsEnd;
		}
		return canSplit && this.#isCard(bytes, splitEnd, type) ? splitEnd : -1;
	}

	/** Whether the digits from `start` to here are a number of this type. */
	#isCard(bytes: Uint8Array, numberEnd: number, type: number): boolean {
		const count = numberEnd - this.start;
		if (count < 12 || count > MAX_DIGITS || !passesLuhn(bytes, this.start, count)) return false;
		return !isMask(bytes, this.start, count) && agrees(type, brandOf(bytes, this.start, count));
	}

	/** Groups that are all divided by the same sign, the first of 4, 6 or 8 digits: no ticket begins so. */
	#endOfGroupedCard(bytes: Uint8Array, end: number, type: number): number {
		const groups = this.#readGroups(bytes, end);
		for (const length of LENGTHS) {
			for (let i = 1; i < groups; i++) {
				if (this.#counts[i] !== length || !isRightEdge(bytes, this.#ends[i], end)) continue;
				if (!passesLuhn(this.#digits, 0, length)) continue;
				if (agrees(type, brandOf(this.#digits, 0, length))) return this.#ends[i];
			}
		}
		return -1;
	}

	/** Reads groups of digits up to 19 in all: their digits, and for each group its end and how many digits end there. */
	#readGroups(bytes: Uint8Array, end: number): number {
		let groups = 0;
		let count = 0;
		let at = this.start;
		let sign = 0;
		while (groups < MAX_GROUPS) {
			const groupEnd = endOfDigits(bytes, at, Math.min(end, at + MAX_DIGITS + 1));
			if (count + groupEnd - at > MAX_DIGITS) return groups;
			for (let i = at; i < groupEnd; i++) this.#digits[count++] = bytes[i];
			this.#ends[groups] = groupEnd;
			this.#counts[groups++] = count;
			if (groupEnd + 1 >= end || !isGrouping(bytes[groupEnd]) || !isDigit(bytes[groupEnd + 1])) return groups;
			if (sign === 0) sign = bytes[groupEnd];
			if (bytes[groupEnd] !== sign) return groups;
			at = groupEnd + 1;
		}
		return groups;
	}

	/** End of digits in the groups that cards are embossed with, 4-4-4-4, 4-6-5, 4-6-4 and 4-5-6; or -1. */
	#endOfPrintedGroups(bytes: Uint8Array, end: number): number {
		if (endOfDigits(bytes, this.start, end) - this.start !== 4) return -1;
		const groups = this.#readGroups(bytes, end);
		if (groups < 3) return -1;
		const [, two, three, four] = this.#counts;
		const isPrinted = (two === 10 && (three === 15 || three === 14)) || (two === 9 && three === 15);
		const last = isPrinted ? 2 : groups > 3 && two === 8 && three === 12 && four === 16 ? 3 : -1;
		return last !== -1 && isRightEdge(bytes, this.#ends[last], end) ? this.#ends[last] : -1;
	}

	/** Whether the number last read is one that a host has masked with zeros. It passes the check digit one time in ten. */
	#isZeroMasked(bytes: Uint8Array): boolean {
		const count = this.end - this.start;
		if (count > MAX_DIGITS || endOfDigits(bytes, this.start, this.end) < this.end) return false;
		if (isMask(bytes, this.start, count)) return true;
		return zerosBefore(bytes, this.start, count) >= MIN_ZEROS && !passesLuhn(bytes, this.start, count);
	}
}

/**
 * Whether digits are the first six of a number, zeros, and its last four, to the digit: one number in a million is so of itself.
 * Of the first two digits and zeros only a failed check tells: numbers for tests are like that (`5500000000000004`).
 */
function isMask(bytes: Uint8Array, start: number, count: number): boolean {
	const zeros = zerosBefore(bytes, start, count);
	return zeros >= VISIBLE_AT_END && count - VISIBLE_AT_END - zeros === MAX_VISIBLE_AT_START;
}

/** How many zeros stand before the last four digits; 0 when more than six others stand before them. */
function zerosBefore(bytes: Uint8Array, start: number, count: number): number {
	const last = start + count - VISIBLE_AT_END;
	let at = last;
	while (at > start && bytes[at - 1] === ZERO) at--;
	return at - start > MAX_VISIBLE_AT_START ? 0 : last - at;
}

/** Whether a number of this brand may carry the type that a code names. A number in nobody's range never does. */
function agrees(type: number, brand: number): boolean {
	return brand !== 0 && isTypePlausible(type, brand);
}

/** Anything that is no letter, no digit and no part of a character beyond ASCII may stand between a code and its number. */
function isSeparator(byte: number): boolean {
	return (byte >= 0x20 && byte < 0x7f && !isAlphanumeric(byte)) || byte === TAB;
}

function isHexBehind(bytes: Uint8Array, lineStart: number, from: number, to: number): boolean {
	if (from < lineStart) return false;
	for (let i = from; i < to; i++) if (!isHexDigit(bytes[i])) return false;
	return true;
}
