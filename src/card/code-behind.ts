// Finds the security code right behind a card number. Behind its expiry it needs no word, only one to three signs or
// blanks (`codeBehind`). A word that may mean other things elsewhere is enough there too (`wordedCodeBehind`).
//
//   4111111111111111/1229/123     4111111111111111 EXP 12/29 123     378282246310005,08/2029,1234
//   4111111111111111#1229#123     4111111111111111|12|29|123         4111111111111111D1229-123
//   4111111111111111*CV123        378282246310005 CID 1234           4111111111111111 EXP 1229 SEC CODE 123
//
// The year is one of 2020 to 2059. An amount (`/1229/123.00`) or a longer number (` 12/29 123-4567`) is no code, and what
// has letters before it neither: `/1229/A123`, `/1229/EUR123`, ` 12/29 ROOM 123`.

import { endOfDigits, isAlphanumeric, isDigit } from './ascii.ts';
import { endOfExpiryBehind, endOfSigns, signWidth } from './expiry-behind.ts';
import { findFieldMeaning } from './field-names.ts';

const BLANK = 0x20;
const STAR = 0x2a;
const SLASH = 0x2f;
const HYPHEN = 0x2d;
const POINT = 0x2e;
/** With more digits behind it, one of these signs is part of an amount, a time, a range or a longer number. */
const JOINING = new Set(Buffer.from(".,:-/+'"));
const LEAST = 3;
const MOST = 4;
/** Matches a word, what divides it from the code, and the code. */
const WORDED = /^([a-z\x80-\xff][a-z\x80-\xff .-]{0,22}?2?)((?:(?!\*{3})[ :.=#*/-]){0,4})(\d{3,4})(?![\da-z])/i;
const LONGEST_WORDED = 33;
/**
 * Matches a member of a card that stands as text in another field, with its name and its value, behind the value of the
 * member before it: `" SeriesCode="123`, `</number><cid>123`, `","securityCode":"123`, `&csc=123`.
 */
const MEMBER =
	/(?:["'\\]{0,4}\s{0,16}[,&;]?\s{0,16}|<\/[\w:.-]{1,40}>\s{0,16})(?:<|["'\\]{0,4})(?:\w{1,20}:)?([a-z][\w.-]{0,40})["'\\]{0,4}\s{0,4}[=:>]\s{0,4}["'\\]{0,4}([^"'\\<>&,;{}\s]{0,40})/iy;
/** The code is at most this many members behind the number. */
const MOST_MEMBERS = 4;
/** A number, its expiry and its code together have at most this many bytes behind the number, as members too. */
export const LONGEST_TAIL = 256;

/**
 * Returns where the code behind the number that ends at `numberEnd` begins, or -1 if there is none. Four digits are a
 * code only if the number `isAmex` (`isAmexRange`). Three or four stars count too, because detokenizing looks for those
 * that replaced a code.
 */
export function codeBehind(bytes: Uint8Array, numberEnd: number, end: number, isAmex: boolean): number {
	const expiryEnd = endOfExpiryBehind(bytes, numberEnd, end);
	if (expiryEnd === -1) return -1;
	const limit = endOfSigns(bytes, expiryEnd, end);
	for (let at = expiryEnd; at < limit; ) {
		at += signWidth(bytes, at, end);
		const stars = endOfStars(bytes, at, end) - at;
		if (stars >= LEAST && stars <= MOST) return at;
	}
	const length = endOfDigits(bytes, limit, end) - limit;
	if (limit === expiryEnd || length < LEAST || length > (isAmex ? MOST : LEAST)) return -1;
	// Bare groups between blanks may also be the parts of a phone number: ` 0521 123 4567`.
	const isBare = expiryEnd - numberEnd === 5 && bytes[numberEnd] === BLANK && bytes[limit - 1] === BLANK;
	return isEdge(bytes, limit, limit + length, end, isBare) ? limit : -1;
}

/**
 * Returns where the code behind a word right behind the number or its expiry begins, or -1 if there is none. Any name of
 * the vocabulary for a security code is such a word, and so are CV and SC if the digits are glued to them. CV may have a
 * sign behind it if it has one before it. Four digits behind SC are a flight, unless the number `isAmex`.
 */
export function wordedCodeBehind(bytes: Buffer, numberEnd: number, end: number, isAmex: boolean): number {
	const expiryEnd = endOfExpiryBehind(bytes, numberEnd, end);
	const behind = expiryEnd === -1 ? numberEnd : expiryEnd;
	const at = endOfSigns(bytes, behind, end);
	const text = WORDED.exec(bytes.toString('latin1', at, Math.min(end, at + LONGEST_WORDED)));
	if (text === null) return codeInMember(bytes, numberEnd, end);
	const [whole, word, gap, code] = text;
	const name = word.toUpperCase();
	const sign = at > behind ? bytes[at - 1] : 0;
	const isAnnounced =
		name === 'SC'
			? gap === '' && (code.length === LEAST || isAmex)
			: name === 'CV'
				? gap.length <= (sign === STAR || sign === SLASH ? 1 : 0)
				: findFieldMeaning(bytes.toString('utf8', at, at + word.length))?.field === 'cvv';
	return isAnnounced ? at + whole.length - code.length : -1;
}

/** Returns where the code in a member of the card whose number ends at `numberEnd` begins, or -1 if there is none. */
function codeInMember(bytes: Buffer, numberEnd: number, end: number): number {
	const text = bytes.toString('latin1', numberEnd, Math.min(end, numberEnd + LONGEST_TAIL));
	MEMBER.lastIndex = 0;
	for (let members = 0; members < MOST_MEMBERS; members++) {
		const [, name, value] = MEMBER.exec(text) ?? [];
		if (name === undefined) return -1;
		if (/^\d{3,4}$/.test(value) && findFieldMeaning(name)?.field === 'cvv')
			return numberEnd + MEMBER.lastIndex - value.length;
	}
	return -1;
}

/** Tells whether digits begin like a number of American Express, whose codes have four digits. */
export function isAmexRange(bytes: Uint8Array, at: number): boolean {
	return bytes[at] === 0x33 && (bytes[at + 1] === 0x34 || bytes[at + 1] === 0x37);
}

/** Returns the end of the stars at `at`. */
export function endOfStars(bytes: Uint8Array, at: number, end: number): number {
	while (at < end && bytes[at] === STAR) at++;
	return at;
}

/** Tells whether the code ends at `codeEnd`: if a sign and more digits follow, they must be another value of the row. */
function isEdge(bytes: Uint8Array, codeStart: number, codeEnd: number, end: number, isBare: boolean): boolean {
	if (codeEnd === end) return true;
	const sign = bytes[codeEnd];
	if (isAlphanumeric(sign)) return false;
	if (codeEnd + 1 >= end || !isDigit(bytes[codeEnd + 1])) return true;
	if (sign === BLANK) return !isBare;
	return !JOINING.has(sign) || (sign === bytes[codeStart - 1] && sign !== HYPHEN && sign !== POINT);
}
