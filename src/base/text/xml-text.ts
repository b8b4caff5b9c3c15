// The small grammar of the text between tags: blanks, references, and the plain text of a value.

import { isTextAt } from '../card/ascii.ts';
import { innerMarkupAt } from '../card/finder/inner-markup.ts';
import { trimmed } from '../card/spelling/blanks.ts';

/** This result means that the construct continues beyond the current bytes. */
export const INCOMPLETE = -1;
/** This result means that an ampersand begins no reference. */
export const NO_REFERENCE = -2;

/**
 * Holds 1 for bytes that may begin a name and 3 for bytes that may only continue one. Every byte above ASCII may begin
 * one.
 */
export const NAME_BYTES = new Uint8Array(256);
NAME_BYTES.fill(1, 0x80);
for (const byte of Buffer.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_:')) NAME_BYTES[byte] = 1;
for (const byte of Buffer.from('0123456789.-')) NAME_BYTES[byte] = 3;

/** Tells whether a byte is one of the four that XML counts as blanks. */
export function isBlank(byte: number): boolean {
	return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/** The characters for which a reference by name stands. */
export const ENTITIES: Readonly<Record<string, string | undefined>> = {
	amp: '&',
	lt: '<',
	gt: '>',
	quot: '"',
	apos: "'",
};
const PREDEFINED = Object.entries(ENTITIES).map(([name, is]) => [Buffer.from(`&${name};`), is!.charCodeAt(0)] as const);

/** The longest reference is `&#x10FFFF;`, with room for some leading zeros. */
const MAX_REFERENCE_BYTES = 16;

/** Returns the end of the reference whose `&` is at `at`, or `INCOMPLETE` or `NO_REFERENCE`. */
export function referenceEnd(bytes: Uint8Array, at: number, end: number): number {
	const limit = Math.min(end, at + MAX_REFERENCE_BYTES);
	for (let i = at + 1; i < limit; i++) {
		if (bytes[i] === 0x3b) return referencedCharacter(bytes, at, i + 1) < 0 ? NO_REFERENCE : i + 1;
	}
	const isOpen = limit === end && end - at < MAX_REFERENCE_BYTES && !hasForeignByte(bytes, at + 1, end);
	return isOpen ? INCOMPLETE : NO_REFERENCE;
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
		const markup = innerMarkupAt(bytes, at, end);
		if (markup !== undefined) {
			length += bytes.copy(text, length, markup.textStart, markup.textEnd);
			at = markup.end;
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

/** Matches the XML declaration by XML 1.0 §2.8: version, encoding and standalone, in this order. */
const DECLARATION =
	/^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.\d+"|'1\.\d+')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"([^"<>]*)"|'([^'<>]*)'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/;

/**
 * Reads the XML declaration at `start`, which ends before `end`: returns the position after it and the encoding that it
 * names, or undefined if it is malformed. If there is no declaration, the position is `start`.
 */
export function findXmlDeclaration(bytes: Buffer, start: number, end: number) {
	if (!/^<\?xml[\s?]/.test(bytes.toString('latin1', start, Math.min(end, start + 6))))
		return { end: start, encoding: undefined };
	const declaration = DECLARATION.exec(bytes.toString('latin1', start, end));
	if (declaration === null) return undefined;
	return { end: start + declaration[0].length, encoding: declaration[1] ?? declaration[2] };
}
