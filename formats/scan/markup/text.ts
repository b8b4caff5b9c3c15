// Implements the small grammar of XML text over bytes: names, blanks, references, and the plain text of a value.

import { isTextAt } from '../../../src/base/card/ascii.ts';
import { trimmed } from '../../../src/base/card/spelling/blanks.ts';
import { FileError } from '../../../src/engine/format.ts';

/** This result means that the construct continues beyond the current bytes. */
export const INCOMPLETE = -1;

/**
 * Holds 1 for bytes that may begin a name and 3 for bytes that may only continue one. Every byte above ASCII may begin
 * one.
 */
export const NAME_BYTES = new Uint8Array(256);
NAME_BYTES.fill(1, 0x80);
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_:')) NAME_BYTES[byte] = 1;
for (const byte of Buffer.from('0123456789.-')) NAME_BYTES[byte] = 3;

export function isBlank(byte: number): boolean {
	return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Counts the lines that end in `[start, end)`; CR, LF and CRLF each end one. `isAfterCr` means that the byte before
 * `start` is a CR.
 */
export function countLineEnds(bytes: Uint8Array, start: number, end: number, isAfterCr = false): number {
	let lines = 0;
	for (let i = start; i < end; i++) {
		if (bytes[i] === 0x0d || (bytes[i] === 0x0a && !isAfterCr)) lines++;
		isAfterCr = bytes[i] === 0x0d;
	}
	return lines;
}

const PREDEFINED: readonly (readonly [Buffer, number])[] = [
	[Buffer.from('&amp;'), 0x26],
	[Buffer.from('&lt;'), 0x3c],
	[Buffer.from('&gt;'), 0x3e],
	[Buffer.from('&quot;'), 0x22],
	[Buffer.from('&apos;'), 0x27],
];

/** The longest reference is `&#x10FFFF;`, with room for some leading zeros. */
const MAX_REFERENCE_BYTES = 16;

/** Returns the end of the reference whose `&` is at `at`, or `INCOMPLETE`. */
export function referenceEnd(bytes: Uint8Array, at: number, end: number, line: number): number {
	const limit = Math.min(end, at + MAX_REFERENCE_BYTES);
	for (let i = at + 1; i < limit; i++) {
		if (bytes[i] !== 0x3b) continue;
		if (referencedCharacter(bytes, at, i + 1) < 0) break;
		return i + 1;
	}
	if (limit === end && end - at < MAX_REFERENCE_BYTES && !hasForeignByte(bytes, at + 1, end)) return INCOMPLETE;
	throw new FileError(
		'"&" does not begin a known reference; there are no entities without a DOCTYPE',
		{ offset: at, line },
		{ code: 'xml-malformed' },
	);
}

function hasForeignByte(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) {
		if (bytes[i] !== 0x23 && (NAME_BYTES[bytes[i]] === 0 || bytes[i] >= 0x80)) return true;
	}
	return false;
}

/** Returns the character that a whole reference in `bytes[at, end)` represents, or -1 if it is none. */
function referencedCharacter(bytes: Uint8Array, at: number, end: number): number {
	if (bytes[at + 1] !== 0x23) {
		for (const [name, character] of PREDEFINED) {
			if (name.length === end - at && isTextAt(bytes, at, name)) return character;
		}
		return -1;
	}
	const digits = Buffer.from(bytes.buffer, bytes.byteOffset + at + 2, end - at - 3).toString('latin1');
	const isNumber = /^(?:[0-9]+|x[0-9A-Fa-f]+)$/.test(digits);
	const code = isNumber ? Number.parseInt(digits.replace('x', ''), digits.startsWith('x') ? 16 : 10) : -1;
	return isCharacter(code) ? code : -1;
}

/** Tells whether XML 1.0 §2.2 allows a code as a character. */
function isCharacter(code: number): boolean {
	if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
	return code < 0xd800 || (code >= 0xe000 && code < 0xfffe) || (code >= 0x10000 && code <= 0x10ffff);
}

/**
 * Returns the plain text of a value: references are resolved, CDATA is unwrapped, comments, processing instructions and
 * the blanks around are removed. Characters above ASCII that were references are written as UTF-8.
 */
export function decodeMarkupText(bytes: Buffer, start: number, end: number): Buffer {
	const text = Buffer.alloc(end - start);
	let length = 0;
	for (let at = start; at < end; ) {
		const skipped = skipMarkup(bytes, at, end);
		if (skipped !== undefined) {
			if (skipped.isText) length += bytes.copy(text, length, at + CDATA_OPEN.length, skipped.end - 3);
			at = skipped.end;
			continue;
		}
		const close = bytes[at] === 0x26 ? bytes.indexOf(0x3b, at) : -1;
		const character = close >= 0 && close < end ? referencedCharacter(bytes, at, close + 1) : -1;
		if (character >= 0) {
			length += text.write(String.fromCodePoint(character), length);
			at = close + 1;
		} else text[length++] = bytes[at++];
	}
	return trimmed(text.subarray(0, length));
}

const CDATA_OPEN = Buffer.from('<![CDATA[');
const COMMENT_OPEN = Buffer.from('<!--');

function skipMarkup(bytes: Buffer, at: number, end: number): { end: number; isText: boolean } | undefined {
	if (bytes[at] !== 0x3c) return undefined;
	const isCdata = at + CDATA_OPEN.length <= end && isTextAt(bytes, at, CDATA_OPEN);
	const isComment = at + COMMENT_OPEN.length <= end && isTextAt(bytes, at, COMMENT_OPEN);
	const close = bytes.indexOf(isCdata ? ']]>' : isComment ? '-->' : '?>', at + (isComment ? 4 : 2));
	const length = isCdata || isComment ? 3 : 2;
	return close < 0 || close + length > end ? undefined : { end: close + length, isText: isCdata };
}
