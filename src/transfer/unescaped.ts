// Undoes the escapes of characters, so that a number is found even if a file writes its digits as `\u0034111…` in JSON
// or `&#52;111…` in XML, or the blanks between them as `\u00a0` or `&#160;`.

import { hexValue } from '../card/ascii.ts';
import type { EscapeStyle } from './format.ts';

const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;
const SEMICOLON = 0x3b;
const SLASH = 0x2f;
const TAB = 0x09;
const LETTER_U = 0x75;
const LETTER_X = 0x78;
const MARKUP_MARK = Buffer.from('&#');
/** A reference of XML may begin with any number of zeros, but one that has more bytes than this is left as it is. */
const LONGEST_REFERENCE = 32;
const UNICODE_ESCAPE = 6;
const LAST_CHARACTER = 0x10ffff;

/** Reads one escape of a character at a time. Its fields describe the escape that was read last. */
export class EscapeReader {
	/** The length in bytes of the escape. */
	width = 0;
	/**
	 * The code of the character that the escape stands for. Line breaks count as tabs, because they divide the groups of
	 * a number in the same way; one half of a surrogate pair counts as U+FFFD.
	 */
	code = 0;
	readonly #isJson: boolean;

	constructor(style: EscapeStyle) {
		this.#isJson = style === 'json';
	}

	/** Reads the escape that begins at `at`; returns false if there is none. */
	read(bytes: Buffer, at: number, end: number): boolean {
		if (!(this.#isJson ? this.#readJson(bytes, at, end) : this.#readReference(bytes, at, end))) return false;
		if (this.code === 0x0a || this.code === 0x0d) this.code = TAB;
		return true;
	}

	/** Reads the escape that ends before `at`; returns false if there is none. */
	readBefore(bytes: Buffer, at: number, start: number): boolean {
		if (!this.#isJson) {
			if (at <= start || bytes[at - 1] !== SEMICOLON) return false;
			const first = lastIn(bytes, AMPERSAND, Math.max(start, at - LONGEST_REFERENCE), at);
			return first !== -1 && this.read(bytes, first, at) && first + this.width === at;
		}
		for (const width of [UNICODE_ESCAPE, 2]) {
			const first = at - width;
			if (first < start || bytes[first] !== BACKSLASH || isEscaped(bytes, first, start)) continue;
			if (this.read(bytes, first, at) && this.width === width) return true;
		}
		return false;
	}

	/** Returns the start of an escape that may continue after `end`, or `end` if there is none. */
	cutBefore(bytes: Buffer, start: number, end: number): number {
		const longest = this.#isJson ? UNICODE_ESCAPE : LONGEST_REFERENCE;
		const first = lastIn(bytes, this.#isJson ? BACKSLASH : AMPERSAND, Math.max(start, end - longest + 1), end);
		if (first === -1) return end;
		if (!this.#isJson) return bytes.subarray(first, end).includes(SEMICOLON) ? end : first;
		if (isEscaped(bytes, first, start)) return end;
		return first + 1 === end || bytes[first + 1] === LETTER_U ? first : end;
	}

	#readJson(bytes: Buffer, at: number, end: number): boolean {
		if (at + 1 >= end || bytes[at] !== BACKSLASH) return false;
		this.width = 2;
		switch (bytes[at + 1]) {
			case LETTER_U:
				return this.#readUnicode(bytes, at, end);
			case SLASH:
				this.code = SLASH;
				return true;
			case 0x6e:
			case 0x72:
			case 0x74:
				this.code = TAB;
				return true;
		}
		return false;
	}

	#readUnicode(bytes: Buffer, at: number, end: number): boolean {
		const unit = codeUnit(bytes, at, end);
		if (unit === -1) return false;
		this.width = UNICODE_ESCAPE;
		this.code = unit;
		if (unit < 0xd800 || unit > 0xdfff) return true;
		const low = unit < 0xdc00 ? codeUnit(bytes, at + UNICODE_ESCAPE, end) : -1;
		const isPair = low >= 0xdc00 && low <= 0xdfff;
		this.code = isPair ? 0x10000 + (unit - 0xd800) * 0x400 + (low - 0xdc00) : 0xfffd;
		if (isPair) this.width = 2 * UNICODE_ESCAPE;
		return true;
	}

	#readReference(bytes: Buffer, at: number, end: number): boolean {
		if (at + 3 >= end || bytes[at] !== AMPERSAND || bytes[at + 1] !== MARKUP_MARK[1]) return false;
		const isHex = (bytes[at + 2] | 0x20) === LETTER_X;
		const first = isHex ? at + 3 : at + 2;
		const limit = Math.min(end, at + LONGEST_REFERENCE);
		let code = 0;
		let i = first;
		for (; i < limit && bytes[i] !== SEMICOLON; i++) {
			const value = hexValue(bytes[i]);
			if (value === -1 || (value > 9 && !isHex)) return false;
			code = code * (isHex ? 16 : 10) + value;
			if (code > LAST_CHARACTER) return false;
		}
		if (i === first || i === limit || code === 0 || (code >= 0xd800 && code <= 0xdfff)) return false;
		this.width = i + 1 - at;
		this.code = code;
		return true;
	}
}

/** Returns the offset of the first possible escape in `bytes[start, end)`, or -1. */
export function indexOfEscape(bytes: Buffer, start: number, end: number, style: EscapeStyle): number {
	const stretch = bytes.subarray(0, end);
	if (style === 'markup') return stretch.indexOf(MARKUP_MARK, start);
	let at = stretch.indexOf(BACKSLASH, start);
	while (at !== -1 && !isJsonMark(bytes[at + 1])) at = stretch.indexOf(BACKSLASH, at + 2);
	return at;
}

/**
 * A stretch of text whose escapes were undone. It remembers where each piece of the original text went, to tell the
 * offset that a byte had there.
 */
export class Unescaped {
	readonly #plain: Buffer;
	#length = 0;
	/** For each piece, the offsets at which it begins in the plain text and in the original. */
	readonly #plainStarts: number[] = [];
	readonly #starts: number[] = [];

	constructor(bytes: Buffer, start: number, end: number, style: EscapeStyle) {
		// An escape is never shorter than its character in UTF-8, except for one half of a surrogate pair.
		this.#plain = Buffer.allocUnsafe(end - start);
		const reader = new EscapeReader(style);
		let at = start;
		while (at < end) {
			if (reader.read(bytes, at, end)) {
				this.#begin(at);
				this.#put(reader.code);
				at += reader.width;
				continue;
			}
			this.#begin(at);
			// A backslash that begins no escape of interest still belongs to the character after it: `\\u0034` has none.
			const isOddBackslash = style === 'json' && bytes[at] === BACKSLASH;
			const next = indexOfEscape(bytes, Math.min(end, at + (isOddBackslash ? 2 : 1)), end, style);
			const after = next === -1 ? end : next;
			this.#length += bytes.copy(this.#plain, this.#length, at, after);
			at = after;
		}
		this.#begin(end);
	}

	/** The text without escapes. */
	get bytes(): Buffer {
		return this.#plain.subarray(0, this.#length);
	}

	/** Returns the offset in the original text of the character that begins at `at` in the plain text. */
	offsetOf(at: number): number {
		let low = 0;
		let high = this.#plainStarts.length;
		while (high - low > 1) {
			const middle = (low + high) >> 1;
			if (this.#plainStarts[middle] <= at) low = middle;
			else high = middle;
		}
		return this.#starts[low] + at - this.#plainStarts[low];
	}

	#begin(at: number): void {
		this.#plainStarts.push(this.#length);
		this.#starts.push(at);
	}

	/** Writes a character in UTF-8. */
	#put(code: number): void {
		const plain = this.#plain;
		if (code < 0x80) plain[this.#length++] = code;
		else if (code < 0x800) {
			plain[this.#length++] = 0xc0 | (code >> 6);
			plain[this.#length++] = 0x80 | (code & 0x3f);
		} else {
			if (code < 0x10000) plain[this.#length++] = 0xe0 | (code >> 12);
			else {
				plain[this.#length++] = 0xf0 | (code >> 18);
				plain[this.#length++] = 0x80 | ((code >> 12) & 0x3f);
			}
			plain[this.#length++] = 0x80 | ((code >> 6) & 0x3f);
			plain[this.#length++] = 0x80 | (code & 0x3f);
		}
	}
}

function isJsonMark(byte: number): boolean {
	return byte === LETTER_U || byte === SLASH || byte === 0x6e || byte === 0x72 || byte === 0x74;
}

/** Tells whether an odd number of backslashes stands before the one at `at`, which is then a character itself. */
function isEscaped(bytes: Uint8Array, at: number, start: number): boolean {
	let first = at;
	while (first > start && bytes[first - 1] === BACKSLASH) first--;
	return (at - first) % 2 === 1;
}

function lastIn(bytes: Buffer, byte: number, start: number, end: number): number {
	const at = bytes.subarray(start, end).lastIndexOf(byte);
	return at === -1 ? -1 : start + at;
}

/** Returns the four hexadecimal digits of the escape `\uXXXX` at `at` as a number, or -1 if there is none. */
function codeUnit(bytes: Uint8Array, at: number, end: number): number {
	if (at + UNICODE_ESCAPE > end || bytes[at] !== BACKSLASH || bytes[at + 1] !== LETTER_U) return -1;
	let unit = 0;
	for (let i = at + 2; i < at + UNICODE_ESCAPE; i++) {
		const value = hexValue(bytes[i]);
		if (value === -1) return -1;
		unit = unit * 16 + value;
	}
	return unit;
}
