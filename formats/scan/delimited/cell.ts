// Finds the value of a cell inside its blanks, quotes and the wrappers that spreadsheets write.

import { isHexDigit } from '../../../src/base/card/ascii.ts';
import { endOfWhole } from '../../../src/base/card/number.ts';
import { valueEnd, valueStart } from '../../../src/base/card/spelling/blanks.ts';

const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const EQUALS = 0x3d;
const BACKSLASH = 0x5c;
const STAR = 0x2a;
const ZERO = 0x30;

/** Holds the position of a cell's value. One instance is reused for all cells. */
export class ValueSpan {
	start = 0;
	end = 0;

	/** Finds the value without the blanks around it. It is used for names, references and types. */
	text(bytes: Buffer, start: number, end: number): this {
		this.start = valueStart(bytes, start, end);
		this.end = valueEnd(bytes, this.start, end);
		return this;
	}

	/**
	 * Finds the value without blanks, spreadsheet wrappers (`="4111…"`, a leading `'`) and the fraction that spreadsheets
	 * add to a numeric column with gaps (`123.0`). It is used for numbers, expiries and CVVs.
	 */
	number(bytes: Buffer, start: number, end: number): this {
		this.start = start;
		this.end = end;
		if (start === end || (isPlain(bytes[start]) && isPlainEnd(bytes[end - 1]))) return this;
		return this.#careful(bytes);
	}

	#careful(bytes: Buffer): this {
		const { start, end } = this;
		if (!isPlain(bytes[start]) || !isPlain(bytes[end - 1])) {
			this.text(bytes, start, end);
			this.#unwrap(bytes);
		}
		if (bytes[this.end - 1] === ZERO) this.#cutFraction(bytes);
		return this;
	}

	#cutFraction(bytes: Buffer): void {
		const point = endOfWhole(bytes, this.start, this.end);
		// The star is the last one of a CVV that was replaced: `123.0` has become `***.0`.
		if (isHexDigit(bytes[point - 1]) || bytes[point - 1] === STAR) this.end = point;
	}

	#unwrap(bytes: Buffer): this {
		let { start, end } = this;
		if (start < end && bytes[start] === EQUALS) start++;
		// If the file escapes quotes with backslashes, every quote of a wrapper has a backslash before it.
		const width = start + 1 < end && bytes[start] === BACKSLASH ? 2 : 1;
		const wrapper = bytes[start + width - 1];
		if (start < end && (wrapper === QUOTE || wrapper === APOSTROPHE)) {
			while (start + width <= end && isWrapper(bytes, start, width, wrapper)) start += width;
			while (start + width <= end && isWrapper(bytes, end - width, width, wrapper)) end -= width;
		}
		return this.text(bytes, start, end);
	}
}

function isWrapper(bytes: Buffer, at: number, width: number, wrapper: number): boolean {
	return bytes[at + width - 1] === wrapper && (width === 1 || bytes[at] === BACKSLASH);
}

/** Tells whether the span contains a quote or a backslash. */
export function hasEscapeSign(bytes: Buffer, start: number, end: number): boolean {
	for (let i = start; i < end; i++) {
		if (bytes[i] === QUOTE || bytes[i] === APOSTROPHE || bytes[i] === BACKSLASH) return true;
	}
	return false;
}

/**
 * Returns the plain text of a span in a cell, with doubled quotes or backslash escapes undone. The cell itself shows
 * which of them its file uses: without a quote before the span, the cell has no escapes; if all quotes in the span come
 * in pairs, quotes are doubled; otherwise each is escaped by a backslash.
 */
export function decodeCell(bytes: Buffer, start: number, end: number): Buffer {
	const quote = enclosingQuote(bytes, start);
	const isDoubled = quote >= 0 && comesInPairs(bytes, start, end, quote);
	const plain = Buffer.allocUnsafe(end - start);
	let length = 0;
	for (let i = start; i < end; i++) {
		let byte = bytes[i];
		if (isEscape(bytes, i, end, quote, isDoubled)) byte = bytes[++i];
		plain[length++] = byte;
	}
	return plain.subarray(0, length);
}

function isEscape(bytes: Buffer, at: number, end: number, quote: number, isDoubled: boolean): boolean {
	if (quote < 0 || at + 1 === end) return false;
	if (isDoubled) return bytes[at] === quote;
	return bytes[at] === BACKSLASH && (bytes[at + 1] === quote || bytes[at + 1] === BACKSLASH);
}

/**
 * Returns the quote that precedes the span, with or without blanks between, or -1 if there is none. If `bytes` begin
 * with the span, the byte before it is unknown, and the span is treated as quoted.
 */
function enclosingQuote(bytes: Buffer, start: number): number {
	const before = valueEnd(bytes, 0, start) - 1;
	if (before < 0) return QUOTE;
	return bytes[before] === APOSTROPHE || bytes[before] === QUOTE ? bytes[before] : -1;
}

/** Tells whether the span contains quotes, and all of them are doubled. */
function comesInPairs(bytes: Buffer, start: number, end: number, quote: number): boolean {
	let pairs = 0;
	for (let i = start; i < end; i++) {
		if (bytes[i] !== quote) continue;
		if (i + 1 === end || bytes[i + 1] !== quote) return false;
		pairs++;
		i++;
	}
	return pairs > 0;
}

/**
 * Tells whether a byte is a visible ASCII character with which no spreadsheet wrapper (`="…"`, `'…`) begins or ends.
 */
function isPlain(byte: number): boolean {
	return byte > APOSTROPHE && byte < 0x7f && byte !== EQUALS;
}

/**
 * Tells whether a byte is a visible ASCII character with which neither a spreadsheet wrapper nor a fraction (`.0`)
 * ends.
 */
function isPlainEnd(byte: number): boolean {
	return byte > ZERO && byte < 0x7f && byte !== EQUALS;
}
