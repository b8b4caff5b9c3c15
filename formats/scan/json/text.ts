// Implements the grammar of JSON's strings, numbers and literals over bytes (RFC 8259 §6, §7). It reports the position
// of every error.

import { endOfDigits, hexValue, isAlphanumeric } from '../../../src/base/card/ascii.ts';
import { readUnicodeEscape } from '../../../src/base/card/finder/escapes.ts';
import { trimmed } from '../../../src/base/card/spelling/blanks.ts';
import { FileError } from '../../../src/engine/format.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** This result means that a string, number or literal continues beyond the current bytes. */
export const INCOMPLETE = -1;

/** Holds 1 for bytes that continue a string, and 0 for a quote, a backslash and the control characters. */
const PLAIN = new Uint8Array(256).fill(1);
PLAIN.fill(0, 0, 0x20);
PLAIN[QUOTE] = 0;
PLAIN[BACKSLASH] = 0;

/** Finds the end of strings, and keeps whether the last one contains escapes. */
export class JsonString {
	isEscaped = false;
	/**
	 * The position at which scanning continues if the string is incomplete; this is never in the middle of an escape.
	 */
	cut = 0;

	/** Returns the position of the closing quote of the string whose text begins at `at`, or `INCOMPLETE`. */
	end(bytes: Uint8Array, at: number, end: number, line: number): number {
		this.isEscaped = false;
		for (;;) {
			while (at < end && PLAIN[bytes[at]] === 1) at++;
			if (at >= end) break;
			if (bytes[at] === QUOTE) return at;
			if (bytes[at] !== BACKSLASH)
				throw new FileError('control character in a JSON string', { offset: at, line }, { code: 'json-malformed' });
			this.isEscaped = true;
			const next = escapeEnd(bytes, at, end, line);
			if (next === INCOMPLETE) break;
			at = next;
		}
		this.cut = at;
		return INCOMPLETE;
	}
}

/** Returns the end of the escape whose backslash is at `at`, or `INCOMPLETE`. */
function escapeEnd(bytes: Uint8Array, at: number, end: number, line: number): number {
	if (at + 1 >= end) return INCOMPLETE;
	const escaped = bytes[at + 1];
	if (escaped !== 0x75) {
		if (plainOf(escaped) === 0)
			throw new FileError('unknown escape in a JSON string', { offset: at, line }, { code: 'json-malformed' });
		return at + 2;
	}
	for (let i = at + 2; i < at + 6; i++) {
		if (i >= end) return INCOMPLETE;
		if (hexValue(bytes[i]) < 0)
			throw new FileError('\\u needs four hexadecimal digits', { offset: at, line }, { code: 'json-malformed' });
	}
	return at + 6;
}

/** Returns the byte for which a two-character escape stands, or 0 if there is no such escape. */
function plainOf(escaped: number): number {
	switch (escaped) {
		case QUOTE:
		case BACKSLASH:
		case 0x2f:
			return escaped;
		case 0x62:
			return 0x08;
		case 0x66:
			return 0x0c;
		case 0x6e:
			return 0x0a;
		case 0x72:
			return 0x0d;
		case 0x74:
			return 0x09;
		default:
			return 0;
	}
}

/**
 * Returns the end of the number at `at`. If the number touches `end`, the result is `INCOMPLETE` unless the file ends
 * there (`isLast`), because more digits could follow.
 */
export function numberEnd(bytes: Uint8Array, at: number, end: number, isLast: boolean, line: number): number {
	const start = at;
	if (bytes[at] === 0x2d) at++;
	const first = at;
	at = endOfDigits(bytes, at, end);
	let isWhole = at > first;
	if (at - first > 1 && bytes[first] === 0x30) {
		throw new FileError('a JSON number does not begin with 0', { offset: start, line }, { code: 'json-malformed' });
	}
	if (isWhole && at < end && bytes[at] === 0x2e) {
		const fraction = at + 1;
		at = endOfDigits(bytes, fraction, end);
		isWhole = at > fraction;
	}
	if (isWhole && at < end && (bytes[at] | 0x20) === 0x65) {
		at++;
		if (at < end && (bytes[at] === 0x2b || bytes[at] === 0x2d)) at++;
		const exponent = at;
		at = endOfDigits(bytes, exponent, end);
		isWhole = at > exponent;
	}
	if (at >= end && !isLast) return INCOMPLETE;
	if (!isWhole || isWord(bytes, at, end))
		throw new FileError('malformed JSON number', { offset: start, line }, { code: 'json-malformed' });
	return at;
}

const LITERALS: Record<number, Buffer> = {
	116: Buffer.from('true'),
	102: Buffer.from('false'),
	110: Buffer.from('null'),
};

/**
 * Tells whether a letter, digit or sign is at `at`. None of them may directly follow a number or a literal, even where
 * one value is written after another.
 */
function isWord(bytes: Uint8Array, at: number, end: number): boolean {
	if (at >= end) return false;
	const byte = bytes[at];
	return isAlphanumeric(byte) || (byte >= 0x2b && byte <= 0x2e && byte !== 0x2c);
}

/**
 * Returns the end of the `true`, `false` or `null` at `at`. The result is `INCOMPLETE` if the word reaches `end` and
 * the file does not end there. Any other word is not a JSON value and is refused.
 */
export function literalEnd(bytes: Uint8Array, at: number, end: number, isLast: boolean, line: number): number {
	const literal = LITERALS[bytes[at]];
	if (literal === undefined)
		throw new FileError('expected a JSON value', { offset: at, line }, { code: 'json-malformed' });
	for (let i = 1; i < literal.length; i++) {
		if (at + i >= end) return INCOMPLETE;
		if (bytes[at + i] !== literal[i])
			throw new FileError('unknown JSON literal', { offset: at, line }, { code: 'json-malformed' });
	}
	const after = at + literal.length;
	if (after >= end && !isLast) return INCOMPLETE;
	if (isWord(bytes, after, end))
		throw new FileError('unknown JSON literal', { offset: at, line }, { code: 'json-malformed' });
	return after;
}

/** Returns the plain text of a string without the blanks around it. Escaped characters are written as UTF-8. */
export function decodeJsonText(bytes: Buffer, start: number, end: number): Buffer {
	const text = Buffer.alloc(end - start);
	let length = 0;
	let at = start;
	while (at < end) {
		if (bytes[at] !== BACKSLASH) {
			text[length++] = bytes[at++];
		} else if (bytes[at + 1] !== 0x75) {
			text[length++] = plainOf(bytes[at + 1]);
			at += 2;
		} else {
			const code = readUnicodeEscape(bytes, at, end);
			length += text.write(String.fromCodePoint(code), length);
			at += code > 0xffff ? 12 : 6;
		}
	}
	return trimmed(text.subarray(0, length));
}
