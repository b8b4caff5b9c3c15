// Finds card numbers after a card code, as travel hosts write them: `CCVI4111111111111111/1229`, `VI 4111 1111 1111
// 1111`.

import {
	areHexDigits,
	endOfDigits,
	isAlphanumeric,
	isDigit,
	isHexDigit,
	latin1,
} from '../../../src/base/card/ascii.ts';
import { brandOf } from '../../../src/base/card/brand.ts';
import { passesLuhn } from '../../../src/base/card/luhn.ts';
import { isGluedExpiry, readExpiryBehind } from '../../../src/base/card/spelling/expiry-behind.ts';
import { isMaskedBehindCode } from '../../../src/base/card/zero-mask.ts';
import { agrees, CODE_LENGTH, isCode, isKnownCode, typeAt, WITHOUT_CODE } from './card-codes.ts';
import { endOfNumber, endOfToken, endOfTokenBeforeExpiry, isGrouping, isRightEdge } from './number.ts';

const TAB = 0x09;
const HYPHEN = 0x2d;
const SLASH = 0x2f;
const C = 0x43;
const X = 0x58;

/** At most this many separators may be between a code and its number: `VI - 4111`. */
const MAX_SEPARATORS = 3;
const MAX_DIGITS = 19;
/**
 * A number with 13 digits may be a ticket: airlines have codes like those of cards, and cards with 13 digits are no
 * longer issued.
 */
const TICKET_DIGITS = 13;
const EXPIRY_DIGITS = 4;
/** With an expiry such as `D1229` glued to it, a token reads as one that begins up to this many characters before it. */
const MAX_SHIFT = 5;
const MAX_GROUPS = 6;
/** Matches digits grouped 4-4-4-4, 4-6-5, 4-6-4 or 4-5-6, as they are embossed, always with the same sign between. */
const PRINTED = /^\d{4}([ .-])(?:\d{4}\1\d{4}\1\d{4}|\d{6}\1\d{4,5}|\d{5}\1\d{6})(?!\d)/;
const LONGEST_PRINTED = 20;
/**
 * The possible lengths of a card number, in the order in which they are checked. Cards with 17 or 18 digits are rare
 * and come last, because the digits after a grouped number may be an expiry or a CVV.
 */
const LENGTHS = [19, 16, 15, 14, 13, 18, 17];

/**
 * Tells whether the code at `codeAt` follows `CC`, `CC-` or `CC/`, or is enclosed as in `CX/VI/` (CX may be an
 * airline).
 */
export function isBehindCc(bytes: Uint8Array, start: number, codeAt: number): boolean {
	let at = codeAt - 2;
	if (at >= start && (bytes[at + 1] === HYPHEN || bytes[at + 1] === SLASH)) at--;
	const isCx = at >= start && bytes[at + 1] === X && bytes[at + 2] === SLASH && bytes[codeAt + 2] === SLASH;
	return at >= start && bytes[at] === C && (bytes[at + 1] === C || isCx);
}

/** Returns the known code before a number at `numberStart`, with at most three separators between, or -1. */
export function findCodeBefore(bytes: Uint8Array, start: number, numberStart: number): number {
	let at = numberStart;
	const limit = Math.max(start + CODE_LENGTH, numberStart - MAX_SEPARATORS);
	while (at > limit && isSeparator(bytes[at - 1])) at--;
	at -= CODE_LENGTH;
	return at >= start && isKnownCode(bytes, at, numberStart) ? at : -1;
}

/**
 * Reads numbers after codes, one at a time; `start` and `end` then give the position of the last one. It keeps digits
 * in clear, so call `clear` at the end of a file.
 */
export class CodedNumbers {
	start = 0;
	end = 0;
	/** True if no separator is between the code and its number. */
	isGlued = false;
	/** True if a host has masked the number with zeros, which only a field for cards shows (`readPlace`). */
	isMasked = false;
	#mayHaveGluedExpiry = false;
	readonly #digits = new Uint8Array(MAX_DIGITS + 1);
	readonly #ends = new Int32Array(MAX_GROUPS);
	readonly #counts = new Uint8Array(MAX_GROUPS);

	/**
	 * Tells whether a card certainly follows the code at `codeAt`: a token, or a number whose range agrees with the code
	 * and whose check digit is correct, with at most three separators between. If no CC precedes the code (`isStrong` is
	 * false), 13 digits must be grouped or have an expiry, because they may be a ticket. An expiry may be glued to the
	 * number if the number is glued to its code, unless the code's first letter and the letter before it form a code too.
	 * Then the D of `D1229` after the token of that other code could be taken for the end of a token.
	 */
	read(
		bytes: Uint8Array,
		lineStart: number,
		codeAt: number,
		end: number,
		isStrong: boolean,
		type = typeAt(bytes, codeAt, end),
	): boolean {
		this.isMasked = false;
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
	 * Like `read`, for two capital letters behind `CC` that are no known code: the number must be of a brand that has
	 * none, such as Mir. The second letter is behind F, so that no token can begin with it.
	 */
	readUnknown(bytes: Uint8Array, lineStart: number, codeAt: number, end: number): boolean {
		const isUnknown = isCode(bytes, codeAt, end) && !isKnownCode(bytes, codeAt, end) && !isHexDigit(bytes[codeAt + 1]);
		if (!isUnknown || !this.read(bytes, lineStart, codeAt, end, false, WITHOUT_CODE)) return false;
		// In `CC-INCCCB<token>` the token is the one behind CB, although its last characters may look like an expiry.
		for (let at = this.start + 1; at <= this.start + MAX_SHIFT; at++) {
			if (!isKnownCode(bytes, at - CODE_LENGTH, end)) continue;
			if (endOfToken(bytes, at, end) !== -1 || endOfTokenBeforeExpiry(bytes, at, end) !== -1) return false;
		}
		return true;
	}

	/**
	 * Like `read`, for a field in which the layout has a card number: any two letters are a code there, and 12 digits or
	 * more are a number, valid, masked with zeros, or not.
	 */
	readPlace(bytes: Uint8Array, lineStart: number, codeAt: number, end: number): boolean {
		// CC is only the beginning of a code and not a code itself. If it were one, `CCC<token>D1229` could also be read as
		// CC, CA and a token that begins after its A.
		if (!isCode(bytes, codeAt, end) || (bytes[codeAt] === C && bytes[codeAt + 1] === C)) return false;
		if (this.read(bytes, lineStart, codeAt, end, true)) return true;
		const at = codeAt + CODE_LENGTH;
		if (at >= end) return false;
		const isBlankGood = isKnownCode(bytes, codeAt, end) && isGrouping(bytes[at]);
		this.isGlued = bytes[at] !== SLASH && !isBlankGood;
		this.start = this.isGlued ? at : at + 1;
		this.end = endOfNumber(bytes, this.start, end);
		if (this.end === -1) this.end = this.#endOfPrintedGroups(bytes, end);
		this.isMasked = this.end !== -1 && this.#isZeroMasked(bytes);
		return this.end !== -1;
	}

	/**
	 * Tells whether the number read last has the range and length of its code's brand, or is a token, or is written in
	 * groups. Its check digit may be wrong.
	 */
	fitsCode(bytes: Uint8Array, codeAt: number, end: number): boolean {
		const count = this.end - this.start;
		const isGrouped = endOfDigits(bytes, this.start, this.end) < this.end;
		if (isGrouped || endOfToken(bytes, this.start, end) !== -1) return true;
		return count <= MAX_DIGITS && agrees(typeAt(bytes, codeAt, end), brandOf(bytes, this.start, count));
	}

	/** Tells whether letters of a code glued to its number may belong to a token that another rule would find. */
	hasRival(bytes: Uint8Array, lineStart: number, codeAt: number, end: number, isPlaceLine: boolean): boolean {
		// Only letters that are also hexadecimal digits can be both part of a code and of a token.
		if (!this.isGlued || !isHexDigit(bytes[codeAt + 1])) return false;
		const isAnyCode = (at: number) =>
			at >= lineStart && (isPlaceLine ? isCode(bytes, at, end) : isKnownCode(bytes, at, end));
		// A token that begins one letter earlier may be followed by the expiry D1229: its D is then the last character of
		// the token read here, and the digits follow. In fields for cards any two letters are a code.
		if (this.end < end && isDigit(bytes[this.end]) && isAnyCode(codeAt - 1)) return true;
		if (!isHexDigit(bytes[codeAt])) return false;
		// The 32 characters read here may end with an expiry, as in `1229`. The token then begins four characters before them.
		if (codeAt - 2 < lineStart || !areHexDigits(bytes, codeAt - 2, codeAt)) return false;
		if (codeAt - 4 >= lineStart && isKnownCode(bytes, codeAt - 4, end)) return true;
		// They may also end with an expiry such as `D1229`, which looks hexadecimal too. The token then begins five before them.
		if (codeAt - 3 < lineStart || !isHexDigit(bytes[codeAt - 3])) return false;
		const before = codeAt - 4;
		return before >= lineStart && (!isAlphanumeric(bytes[before]) || isAnyCode(before - 1));
	}

	/** Wipes the digits of the last number. */
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
		// Hardly any card has 17 or 18 digits, so a shorter number with its expiry is likelier.
		const isUnusual = count === 17 || count === 18;
		if (canSplit && isUnusual && this.#isCard(bytes, splitEnd, type)) return splitEnd;
		if (isRightEdge(bytes, digitsEnd, end) && this.#isCard(bytes, digitsEnd, type)) {
			if (count > TICKET_DIGITS || isStrong) return digitsEnd;
			if (count === TICKET_DIGITS && readExpiryBehind(bytes, digitsEnd, end, false) > 0) return digitsEnd;
		}
		return canSplit && this.#isCard(bytes, splitEnd, type) ? splitEnd : -1;
	}

	/** Tells whether the digits up to `numberEnd` are a valid card number that may have the card type `type`. */
	#isCard(bytes: Uint8Array, numberEnd: number, type: number): boolean {
		const count = numberEnd - this.start;
		if (count < 12 || count > MAX_DIGITS || !passesLuhn(bytes, this.start, count)) return false;
		if (isMaskedBehindCode(bytes, this.start, count, true)) return false;
		return agrees(type, brandOf(bytes, this.start, count));
	}

	/**
	 * Accepts groups that are all divided by the same character, with a first group of 4, 6 or 8 digits, because no
	 * ticket begins like that.
	 */
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

	/**
	 * Reads groups of up to 19 digits in all. Keeps their digits, and for each group its end and the number of digits so
	 * far.
	 */
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

	/** Returns the end of digits in the groups of embossed cards, or -1. */
	#endOfPrintedGroups(bytes: Uint8Array, end: number): number {
		const printed = PRINTED.exec(latin1(bytes, this.start, Math.min(end, this.start + LONGEST_PRINTED)));
		const after = this.start + (printed?.[0].length ?? 0);
		return after > this.start && isRightEdge(bytes, after, end) ? after : -1;
	}

	#isZeroMasked(bytes: Uint8Array): boolean {
		const count = this.end - this.start;
		if (count > MAX_DIGITS || endOfDigits(bytes, this.start, this.end) < this.end) return false;
		return isMaskedBehindCode(bytes, this.start, count, passesLuhn(bytes, this.start, count));
	}
}

/** Tells whether a byte may separate a code from its number: it is not a letter, a digit or above ASCII. */
function isSeparator(byte: number): boolean {
	return (byte >= 0x20 && byte < 0x7f && !isAlphanumeric(byte)) || byte === TAB;
}
