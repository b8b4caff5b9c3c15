// Recognises digits that look like a card number but belong to something else, such as a hash or a phone number. The
// text around the digits shows this.

import { isAlphanumeric, isDigit, isHexDigit, isLetter, isUpperLetter, latin1 } from '../ascii.ts';
import { findIbans } from '../iban.ts';
import { TOKEN_LENGTH } from '../number.ts';
import { BYTE, BYTE_CLASS } from '../spelling/digit-text.ts';

/**
 * The lengths of hashes and tokens in hexadecimal digits: MD5 and our tokens, SHA-1, SHA-224, SHA-256, SHA-384,
 * SHA-512.
 */
const HASH_LENGTHS = new Set([32, 40, 56, 64, 96, 128]);
const LONGEST_HASH = 128;
/** At most this many bytes of blanks and signs divide a number from a token that changes what the number means. */
export const MOST_SIGNS = 9;
/** The length of the longest IBAN when it is written with a blank after every fourth character. */
const LONGEST_SPACED_IBAN = 41;
const PLUS = 0x2b;
/**
 * A phone number (E.164) with up to this many digits may look like a card number. Longer card numbers do not look like
 * phone numbers, because they begin with other digits.
 */
const PHONE_DIGITS = 13;
/** An IPv6 address has eight groups of one to four hexadecimal digits, divided by colons, and thus at most 39 bytes. */
const GROUPS_OF_ADDRESS = 8;
const LONGEST_IN_ADDRESS = 4;
const LONGEST_ADDRESS = 39;
const COLON = 0x3a;

/**
 * Tells whether the digits `bytes[start, end)` belong to a hash, a phone number or a bank account number. `from` and
 * `to` limit the text that may be examined.
 */
export function isPartOfCode(bytes: Uint8Array, start: number, end: number, from: number, to: number): boolean {
	if (end - start === PHONE_DIGITS && start > from && bytes[start - 1] === PLUS) return true;
	return isInHash(bytes, start, end, from, to) || isInIban(bytes, start, end, from, to);
}

/**
 * Tells whether a run of `count` groups of digits is written like a ticket number (`157-5262536751`) or a phone number
 * (`+49 151 12345678`). `lengths` has the number of digits of each group.
 */
export function isTicketOrPhone(
	bytes: Uint8Array,
	from: number,
	start: number,
	lengths: Uint8Array,
	count: number,
): boolean {
	if (lengths[0] === 3 && lengths[1] === 10) return true;
	let digits = 0;
	for (let i = 0; i < count; i++) digits += lengths[i];
	// A number of 13 digits in groups that no card has is taken for a phone number, because no cards of that length are
	// issued any more.
	return digits <= PHONE_DIGITS + 1 && (digits === PHONE_DIGITS || (start > from && bytes[start - 1] === PLUS));
}

/**
 * Tells whether a text like a token stands beside `bytes[start, end)`, with a few signs between at most. Where a token
 * stands now, digits may have stood before, and with them the number had no meaning.
 */
export function isBesideToken(bytes: Uint8Array, start: number, end: number, from: number, to: number): boolean {
	let left = start;
	while (left > from && start - left < MOST_SIGNS && !isAlphanumeric(bytes[left - 1])) left--;
	let right = end;
	while (right < to && right - end < MOST_SIGNS && !isAlphanumeric(bytes[right])) right++;
	return isLikeToken(bytes, left - TOKEN_LENGTH, from, to) || isLikeToken(bytes, right, from, to);
}

/** Tells whether text like a token begins at `at`: 32 hexadecimal digits, of which one at least is a letter. */
export function isLikeToken(bytes: Uint8Array, at: number, from: number, to: number): boolean {
	if (at < from || at + TOKEN_LENGTH > to) return false;
	let hasLetter = false;
	for (let i = at; i < at + TOKEN_LENGTH; i++) {
		if (!isHexDigit(bytes[i])) return false;
		hasLetter ||= !isDigit(bytes[i]);
	}
	return hasLetter;
}

/**
 * Tells whether the groups `bytes[first, after)` are written as a part of an IPv6 address: among colons and groups of up
 * to four hexadecimal digits of which there are eight or more, or with `::` before, behind or between them.
 */
export function isInAddress(bytes: Uint8Array, first: number, after: number, start: number, end: number): boolean {
	let from = first;
	let colon = -1;
	for (let length = 0; from > start && first - from < LONGEST_ADDRESS && isOfAddress(bytes[from - 1]); ) {
		if (bytes[--from] === COLON) {
			colon = from;
			length = 0;
		} else if (++length > LONGEST_IN_ADDRESS && colon !== -1) {
			// A longer group is none of an address, but may be a token in the place of a number.
			from = colon;
			break;
		}
	}
	// The last letters of a word are no group: the d of `Card:4111:…`.
	if (from > start && isAlphanumeric(bytes[from - 1])) while (isHexDigit(bytes[from]) && from < first) from++;
	let groups = 0;
	let digits = 0;
	for (let at = from; at < end && at - after < LONGEST_ADDRESS && isOfAddress(bytes[at]); at++) {
		if (bytes[at] !== COLON) {
			if (digits++ === 0) groups++;
			if (digits > LONGEST_IN_ADDRESS) return false;
			continue;
		}
		if (at > from && digits === 0) return true;
		digits = 0;
	}
	return groups >= GROUPS_OF_ADDRESS;
}

function isOfAddress(byte: number): boolean {
	return byte === COLON || isHexDigit(byte);
}

/**
 * Tells whether the digits `bytes[start, end)` are part of a longer run of hexadecimal digits that has the length and
 * the look of a hash.
 */
function isInHash(bytes: Uint8Array, start: number, end: number, from: number, to: number): boolean {
	for (let at = start; at < end; at++) if (!isDigit(bytes[at])) return false;
	let first = start;
	while (first > from && isHexDigit(bytes[first - 1]) && end - first <= LONGEST_HASH) first--;
	let after = end;
	while (after < to && isHexDigit(bytes[after]) && after - first <= LONGEST_HASH) after++;
	if (!HASH_LENGTHS.has(after - first) || after - first === end - start) return false;
	// If the run begins with a digit, and a separator and another digit come before it, the run is the last group of a
	// longer number and not a hash.
	if (isDigit(bytes[first]) && isGroupedBefore(bytes, first, from)) return false;
	return hasLettersOfHash(bytes, first, after);
}

function isGroupedBefore(bytes: Uint8Array, at: number, from: number): boolean {
	return at - 2 >= from && BYTE_CLASS[bytes[at - 1]] >= BYTE.SEPARATOR && !isLetter(bytes[at - 2]);
}

/**
 * Returns whether the letters are all of one case and at least one character in eight is a letter. Nearly every hash is
 * like that, because on average it has three letters in eight characters.
 */
function hasLettersOfHash(bytes: Uint8Array, first: number, after: number): boolean {
	let upper = 0;
	let lower = 0;
	for (let at = first; at < after; at++) {
		if (isUpperLetter(bytes[at])) upper++;
		else if (!isDigit(bytes[at])) lower++;
	}
	return (upper === 0 || lower === 0) && (upper + lower) * 8 >= after - first;
}

/** Tells whether the digits `bytes[start, end)` are in an IBAN, which may have a blank after every four characters. */
function isInIban(bytes: Uint8Array, start: number, end: number, from: number, to: number): boolean {
	const first = Math.max(from, start - LONGEST_SPACED_IBAN);
	const text = latin1(bytes, first, Math.min(to, end + LONGEST_SPACED_IBAN));
	return findIbans(text).some(([iban, after]) => first + iban < start && first + after >= end);
}
