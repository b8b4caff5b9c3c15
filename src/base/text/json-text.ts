// The escapes and the marks of JSON, without reading all of it.

import { readUnicodeEscape } from '../card/finder/escapes.ts';
import { trimmed } from '../card/spelling/blanks.ts';

const BACKSLASH = 0x5c;

/** Holds, for the letter of each escape of two characters, the byte for which the escape stands. */
export const JSON_ESCAPES = new Uint8Array(256);
for (const [letter, byte] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t']) {
	JSON_ESCAPES[letter.charCodeAt(0)] = byte.charCodeAt(0);
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
			text[length++] = JSON_ESCAPES[bytes[at + 1]];
			at += 2;
		} else {
			const code = readUnicodeEscape(bytes, at, end);
			length += text.write(String.fromCodePoint(code), length);
			at += code > 0xffff ? 12 : 6;
		}
	}
	return trimmed(text.subarray(0, length));
}

const QUOTE = 0x22;
const COMMA = 0x2c;

/**
 * Returns the offset after the JSON value at `from`, or -1 if its end has not arrived. Nothing is checked: the value may be
 * malformed, and then its end is where quotes and brackets say.
 */
export function jsonValueEnd(bytes: Uint8Array, from: number): number {
	let depth = 0;
	for (let i = from; i < bytes.length; i++) {
		const byte = bytes[i];
		if (byte === QUOTE) {
			i = stringEnd(bytes, i + 1);
			if (i === -1) return -1;
			if (depth === 0) return i + 1;
		} else if (byte === 0x7b || byte === 0x5b) depth++;
		else if (byte === 0x7d || byte === 0x5d) {
			if (depth === 0) return i;
			if (--depth === 0) return i + 1;
		} else if (depth === 0 && (byte === COMMA || byte <= 0x20)) return i;
	}
	return -1;
}

function stringEnd(bytes: Uint8Array, from: number): number {
	for (let i = from; i < bytes.length; i++) {
		if (bytes[i] === BACKSLASH) i++;
		else if (bytes[i] === QUOTE) return i;
	}
	return -1;
}

/** Tells whether a byte may be next to a number without quotes: a blank, a line end or a mark between values. */
export function isBesideNumber(byte: number): boolean {
	return byte <= 0x20 || byte === COMMA || byte === 0x3a || byte === 0x5b || byte === 0x5d || byte === 0x7d;
}
