// Reads a file of lines, such as AIR and IUR. CR, LF and CRLF all end a line, in any mixture, and blank lines are kept,
// because IUR addresses lines by position. A form feed between records ends a line too, but does not increase the line
// number that a report shows.

import { endOfDigits, isAlphanumeric, isDigit, isTextAt } from '../../../src/base/card/ascii.ts';
import { cardBrandOf, LONGEST_CARD } from '../../../src/base/card/card-digits.ts';
import { WrappedNumbers } from '../../../src/base/card/finder/wrapped-numbers.ts';
import type { Shape } from '../../../src/base/card/shape.ts';
import { startOfLine } from '../../../src/base/card/spelling/code-before.ts';
import { type Direction, Findings, type Scanner } from '../../../src/engine/format.ts';
import { paddingStart, refuseNul, textStartOf } from '../encoding.ts';
import { CodesBelow } from './codes-below.ts';
import { LineFindings } from './findings.ts';
import { NumberSearch } from './number.ts';

const LF = 0x0a;
const CR = 0x0d;

/** This is the port that a layout implements to read its lines. One reader reads one file. */
export interface LineReader {
	/**
	 * Receives the first `HEAD_BYTES` bytes of the file, or all bytes of a shorter file, without a byte order mark.
	 * @throws FileError if the file is not of this format
	 */
	open(bytes: Buffer, start: number, end: number): void;
	/** Says that the offsets of the lines before no longer hold; absent if the layout remembers none. */
	beginWindow?(): void;
	/**
	 * Receives one line, without its line end. `lineNumber` counts from 1. Each line is passed only once. `hasNumber` tells
	 * whether it holds a number of 12 digits or more, or a token.
	 */
	line(bytes: Buffer, start: number, end: number, lineNumber: number, found: Findings, hasNumber: boolean): void;
	/** Where the text of the line received last begins behind a name with a number; absent if the layout has no such names. */
	readonly textStart?: number;
	/**
	 * This function is called when the file ends. `lastStart` is where an unterminated last line begins, or `end` when
	 * the last line has its line end.
	 * @throws FileError if the file was cut off
	 */
	close(bytes: Buffer, lastStart: number, end: number, lineNumber: number): void;
	/**
	 * Tells whether the line that begins at `start` has columns that must not move. It is absent if the layout has no
	 * such lines.
	 */
	hasColumns?(bytes: Buffer, start: number, end: number): boolean;
	/** Gives the numbers of a line, which are those of `line`, the CVVs on it (`markCvvs`). */
	markCodes(bytes: Buffer, start: number, end: number, line: LineFindings): void;
	/**
	 * Returns the tag of the line `bytes[start, end)`, or undefined if the line begins with something that may be
	 * content.
	 */
	tagOf(bytes: Buffer, start: number, end: number): string | undefined;
}

/**
 * The format is recognised from this many bytes at the start of a file (formats §3.1), so no line is read before that.
 */
export const HEAD_BYTES = 8192;

const FORM_FEED = 0x0c;

/**
 * Passes the windows of one file to a `LineReader` line by line. A line that a window cuts off is passed whole with the
 * next window.
 */
export class LineScanner implements Scanner {
	readonly #reader: LineReader;
	/** These two only add notices. Nobody reads notices on the way back, so they are left out there. */
	readonly #wrapped: WrappedNumbers | undefined;
	readonly #below: CodesBelow | undefined;
	readonly #numbers = new NumberSearch();
	/** The numbers of one line, for `markCodes`. */
	readonly #ofLine = new Findings();
	#isOpen = false;
	#lineNumber = 1;

	constructor(reader: LineReader, direction: Direction) {
		this.#reader = reader;
		if (direction === 'detokenize') return;
		this.#wrapped = new WrappedNumbers();
		this.#below = new CodesBelow();
	}

	get line(): number {
		return this.#lineNumber;
	}

	/**
	 * Tells whether the file has a field for a card. Any line may hold a card, so every file that was opened has one.
	 */
	get hasCardPlace(): boolean {
		return this.#isOpen;
	}

	fieldAt(bytes: Buffer, from: number, at: number): string | undefined {
		const start = startOfLine(bytes, from, at);
		return this.#reader.tagOf(bytes, start, endOfLine(bytes, start, at));
	}

	/**
	 * Returns the shape that the token of a number must have. On a line with fixed columns this is `columns`, because a
	 * plain token does not fit into them.
	 */
	shapeAt(bytes: Buffer, from: number, start: number, end: number): Shape {
		return this.#reader.hasColumns?.(bytes, startOfLine(bytes, from, start), end) ? 'columns' : 'plain';
	}

	scan(bytes: Buffer, from: number, to: number, isLast: boolean, found: Findings): number {
		let start = from;
		this.#reader.beginWindow?.();
		// NUL bytes at the end of the file only fill its last block. Until the end is known they wait.
		const textEnd = paddingStart(bytes, from, to);
		if (!this.#isOpen) {
			if (isLast && from === to) return to;
			if (!isLast && textEnd - from < HEAD_BYTES) return from;
			start = this.#open(bytes, from, textEnd > from ? textEnd : to);
		}
		refuseNul(bytes, start, textEnd, this.#lineNumber);
		this.#numbers.begin();
		while (start < textEnd) {
			const end = endOfLine(bytes, start, textEnd);
			// If the window ends within this line or right after it, the rest of the line, or the LF of its CRLF, may follow
			// in the next window.
			if (!isLast && (end === textEnd || (bytes[end] === CR && end + 1 === textEnd))) return start;
			const hasNumber = this.#numbers.isIn(bytes, start, end, textEnd);
			this.#reader.line(bytes, start, end, this.#lineNumber, found, hasNumber);
			this.#wrapped?.line(bytes, start, end, textEnd, this.#lineNumber, found, this.#reader.textStart);
			this.#below?.line(bytes, start, end, this.#lineNumber, found, hasNumber, this.#reader.textStart);
			if (end === textEnd) break;
			start = end + 1;
			if (bytes[end] === CR && start < textEnd && bytes[start] === LF) start++;
			if (bytes[end] !== FORM_FEED) this.#lineNumber++;
		}
		if (!isLast) return start;
		this.#wrapped?.end(found);
		this.#reader.close(bytes, start, textEnd, this.#lineNumber);
		return to;
	}

	markCodes(bytes: Buffer, from: number, to: number, found: Findings): void {
		const { items, length } = found;
		const numbers = this.#ofLine;
		for (let i = 0, first = 0; i < length; i++) {
			if (!items[i].isOther || items[i].isCode) continue;
			const start = startOfLine(bytes, from, items[i].numberStart);
			const end = endOfLine(bytes, items[i].numberEnd, to);
			while (items[first].numberStart < start) first++;
			numbers.length = 0;
			const line = new LineFindings().begin(numbers, 0, 0);
			line.hasOthers = true;
			for (; first < length && items[first].numberStart < end; first++) numbers.items[numbers.length++] = items[first];
			this.#reader.markCodes(bytes, start, end, line);
			i = first - 1;
		}
		for (const notice of numbers.notices) found.notice(notice);
		numbers.items.length = 0;
	}

	#open(bytes: Buffer, from: number, to: number): number {
		const start = textStartOf(bytes, from, to);
		this.#reader.open(bytes, start, Math.min(to, from + HEAD_BYTES));
		this.#isOpen = true;
		return start;
	}
}

/**
 * Returns the first CR, LF or form feed at or after `start`, or `to`. Four bytes a turn are faster than one, and than two calls
 * of `indexOf` for each line of 80 bytes.
 */
export function endOfLine(bytes: Uint8Array, start: number, to: number): number {
	let i = start;
	while (i + 3 < to && bytes[i] > CR && bytes[i + 1] > CR && bytes[i + 2] > CR && bytes[i + 3] > CR) i += 4;
	for (; i < to; i++) {
		const byte = bytes[i];
		if (byte <= CR && (byte === LF || byte === CR || byte === FORM_FEED)) return i;
	}
	return to;
}

/** Tells whether the line `bytes[start, end)` begins with these ASCII bytes. */
export function startsWith(bytes: Uint8Array, start: number, end: number, prefix: Uint8Array): boolean {
	return end - start >= prefix.length && isTextAt(bytes, start, prefix);
}

/** Returns the position after the next `label` that no letter or digit precedes, or -1 if there is none. */
export function findLabelled(bytes: Buffer, label: Buffer, from: number, end: number): number {
	const line = bytes.subarray(0, end);
	let at = line.indexOf(label, from);
	while (at > from && isAlphanumeric(bytes[at - 1])) at = line.indexOf(label, at + 1);
	return at === -1 ? -1 : at + label.length;
}

/** Tells whether a line holds nothing but blanks. */
export function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (bytes[i] !== 0x20) return false;
	return true;
}

/** Digits of other scripts, in UTF-8, begin with bytes from here on. */
const FIRST_HIGH = 0x80;
const BLANK = 0x20;

/**
 * Tells the engine where the text of a line begins: adds `textStart` to the starts of text in `found`, if digits, perhaps behind
 * a blank, or the letters CV are there, with which every label of a security code begins that the engine looks for. Behind the
 * name of the line, which begins at `lineStart`, and its item number (`M8014111…`, `RMCVV 123`) neither would be seen as one. If
 * all digits behind its first letter are one card number, they are no item number, and the number is found without this.
 */
export function addTextStart(
	bytes: Uint8Array,
	lineStart: number,
	textStart: number,
	end: number,
	found: Findings,
): void {
	if (textStart === lineStart || textStart >= end) return;
	const byte = bytes[textStart];
	const isLabel = (byte | 0x20) === 0x63 && textStart + 1 < end && (bytes[textStart + 1] | 0x20) === 0x76;
	const isDigitNext = isDigit(byte) || (byte === BLANK && textStart + 1 < end && isDigit(bytes[textStart + 1]));
	if (!isLabel && !isDigitNext && byte < FIRST_HIGH) return;
	if (isDigit(byte) && isNumberBehindLetter(bytes, lineStart, end)) return;
	found.textStarts.push(textStart);
}

function isNumberBehindLetter(bytes: Uint8Array, lineStart: number, end: number): boolean {
	const first = lineStart + 1;
	const digitsEnd = endOfDigits(bytes, first, Math.min(end, first + LONGEST_CARD + 1));
	return cardBrandOf(bytes, first, digitsEnd - first) !== 0;
}
