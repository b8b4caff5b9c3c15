// Walks a file of lines, as AIR and IUR are. CR, LF and CRLF all end a line, in any mixture, and every line end counts:
// IUR addresses lines by position, so a blank line is never dropped. A form feed, which stands between records, ends a line
// too, but begins none in the count of lines that a report shows.

import type { Findings, Scanner, Shape } from '../../../src/transfer/format.ts';
import { bomLength, refuseForeignEncoding } from '../encoding.ts';

/** What a layout of lines does with each of them. One reader reads one file. */
export interface LineReader {
	/**
	 * Sees the head of the file, behind a byte order mark: `HEAD_BYTES`, or less in a shorter file.
	 *
	 * @throws FileError when the file is not of this format.
	 */
	open(bytes: Buffer, start: number, end: number): void;
	/** One line, without its line end. `lineNumber` counts from 1. The line is settled: it is never shown again. */
	line(bytes: Buffer, start: number, end: number, lineNumber: number, found: Findings): void;
	/**
	 * The file ended. `lastStart` is where an unterminated last line begins, or `end` when the last line has its line end.
	 *
	 * @throws FileError when the file was cut.
	 */
	close(bytes: Buffer, lastStart: number, end: number, lineNumber: number): void;
	/** Whether the line that begins at `start` has columns that must stay where they are. Absent where no line has. */
	hasColumns?(bytes: Buffer, start: number, end: number): boolean;
	/** What the line `bytes[start, end)` is called: its tag, undefined where it begins with something that may be content. */
	tagOf(bytes: Buffer, start: number, end: number): string | undefined;
}

/** How much of a file tells its format (formats §3.1); the first decision waits for so much. */
export const HEAD_BYTES = 8192;

const LF = 0x0a;
const FORM_FEED = 0x0c;
const CR = 0x0d;

/** Drives a `LineReader` over the windows of one file. Only whole lines are settled. */
export class LineScanner implements Scanner {
	readonly #reader: LineReader;
	#isOpen = false;
	#lineNumber = 1;

	constructor(reader: LineReader) {
		this.#reader = reader;
	}

	get line(): number {
		return this.#lineNumber;
	}

	/** Any line may hold a card, so that a file of the format always has a place for one. */
	get hasCardPlace(): boolean {
		return this.#isOpen;
	}

	fieldAt(bytes: Buffer, from: number, at: number): string | undefined {
		const start = startOfLine(bytes, from, at);
		return this.#reader.tagOf(bytes, start, endOfLine(bytes, start, at));
	}

	/** A plain token fits nowhere in fixed columns. */
	shapeAt(bytes: Buffer, from: number, start: number, end: number): Shape {
		return this.#reader.hasColumns?.(bytes, startOfLine(bytes, from, start), end) ? 'columns' : 'plain';
	}

	scan(bytes: Buffer, from: number, to: number, isLast: boolean, found: Findings): number {
		let start = from;
		if (!this.#isOpen) {
			if (isLast && from === to) return to;
			if (!isLast && to - from < HEAD_BYTES) return from;
			start = this.#open(bytes, from, to);
		}
		while (start < to) {
			const end = endOfLine(bytes, start, to);
			// A line end may still come, or the LF of a CRLF.
			if (!isLast && (end === to || (bytes[end] === CR && end + 1 === to))) return start;
			this.#reader.line(bytes, start, end, this.#lineNumber, found);
			if (end === to) break;
			start = end + 1;
			if (bytes[end] === CR && start < to && bytes[start] === LF) start++;
			if (bytes[end] !== FORM_FEED) this.#lineNumber++;
		}
		if (!isLast) return start;
		this.#reader.close(bytes, start, to, this.#lineNumber);
		return to;
	}

	#open(bytes: Buffer, from: number, to: number): number {
		refuseForeignEncoding(bytes, from, to);
		const start = from + bomLength(bytes, from, to);
		this.#reader.open(bytes, start, Math.min(to, from + HEAD_BYTES));
		this.#isOpen = true;
		return start;
	}
}

/** The first CR, LF or form feed at or behind `start`, or `to`. A plain loop: two `indexOf` a line cost more at 80 bytes a line. */
export function endOfLine(bytes: Uint8Array, start: number, to: number): number {
	let i = start;
	while (i < to) {
		const byte = bytes[i];
		if (byte <= CR && (byte === LF || byte === CR || byte === FORM_FEED)) return i;
		i++;
	}
	return to;
}

/** Where the line that `at` lies in begins, or `from`. */
function startOfLine(bytes: Uint8Array, from: number, at: number): number {
	let start = at;
	while (start > from) {
		const byte = bytes[start - 1];
		if (byte <= CR && (byte === LF || byte === CR || byte === FORM_FEED)) return start;
		start--;
	}
	return start;
}

/** Whether the line `bytes[start, end)` begins with these ASCII bytes. */
export function startsWith(bytes: Uint8Array, start: number, end: number, prefix: Uint8Array): boolean {
	if (end - start < prefix.length) return false;
	for (let i = 0; i < prefix.length; i++) if (bytes[start + i] !== prefix[i]) return false;
	return true;
}

/** Whether a line holds nothing but blanks. */
export function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
	for (let i = start; i < end; i++) if (bytes[i] !== 0x20) return false;
	return true;
}
