// Tells in which field a number outside the card fields is, and in which shape its token goes there. A scanner knows this of
// the window that it has read last, so what it says of numbers that wait for the next window is kept.

import { endOfDigits, isAlphanumeric, isDigit } from '../../base/card/ascii.ts';
import { CONTEXT_BEHIND } from '../../base/card/names/number-context.ts';
import type { Shape } from '../../base/card/shape.ts';
import type { Scanner } from '../format.ts';

const POINT = 0x2e;
const BACKSLASH = 0x5c;
const AMPERSAND = 0x26;

type NumberShape = Shape | 'fixed';

interface Kept {
	readonly field: string | undefined;
	readonly shape: NumberShape;
	readonly cellEnd: number;
}

/** Asks the scanner of one file, which must have read the same window before. */
export class NumberFields {
	readonly #scanner: Scanner;
	#from = 0;
	#scanFrom = 0;
	/** What the scanner said of the digits that waited; this and `cellEnd` are distances from the start of this window. */
	readonly #kept = new Map<number, Kept>();

	constructor(scanner: Scanner) {
		this.#scanner = scanner;
	}

	/** Begins a window whose bytes from `from` to `scanFrom` have waited. */
	begin(from: number, scanFrom: number): void {
		this.#from = from;
		this.#scanFrom = scanFrom;
	}

	/** Returns the name of the field that contains `bytes[at]`, if it is known (`Scanner.fieldAt`). */
	fieldOf(bytes: Buffer, at: number): string | undefined {
		const kept = this.#keptOf(at);
		return kept ? kept.field : this.#scanner.fieldAt?.(bytes, this.#scanFrom, at);
	}

	/** Returns the shape of a token in place of `bytes[start, end)` (`Scanner.shapeAt`). */
	shapeOf(bytes: Buffer, start: number, end: number): NumberShape {
		const kept = this.#keptOf(start);
		return kept ? kept.shape : (this.#scanner.shapeAt?.(bytes, this.#scanFrom, start, end) ?? 'plain');
	}

	/** Tells whether two offsets are in fields of one name, and so not in two columns of a delimited file. */
	areInOneField(bytes: Buffer, one: number, other: number): boolean {
		return this.#scanner.fieldAt === undefined || this.fieldOf(bytes, one) === this.fieldOf(bytes, other);
	}

	/** Returns where the cell of a delimited file that contains `bytes[at]` begins, but at least `least`. */
	startOfCell(bytes: Buffer, at: number, least: number): number {
		const field = this.fieldOf(bytes, at);
		let start = at;
		while (start > least && this.fieldOf(bytes, start - 1) === field) start--;
		return start;
	}

	/**
	 * Returns where the cell of a delimited file that contains the number `bytes[start, numberEnd)` ends, but at most `most`.
	 */
	endOfCell(bytes: Buffer, start: number, numberEnd: number, most: number): number {
		const kept = this.#keptOf(start);
		if (kept) return Math.max(numberEnd, Math.min(most, this.#from + kept.cellEnd));
		const field = this.fieldOf(bytes, start);
		let end = numberEnd;
		while (end < most && this.fieldOf(bytes, end) === field) end++;
		return end;
	}

	/**
	 * Keeps what the scanner says of the digits in `bytes[from, to)`, which waits for the next window. The word or number in
	 * which the window ends is left out: the scanner knows its field in the next window too, and to ask now costs a second
	 * reading of this one.
	 */
	keep(bytes: Buffer, from: number, to: number): void {
		const kept = [];
		let word = to;
		while (word > from && (isAlphanumeric(bytes[word - 1]) || bytes[word - 1] === POINT)) word--;
		for (let at = from; at < word; at++) {
			const byte = bytes[at];
			// A number may also begin with a digit that is spelled with an escape.
			const mayBegin = isDigit(byte) ? !isDigit(bytes[at - 1]) : byte === BACKSLASH || byte === AMPERSAND;
			if (!mayBegin) continue;
			const end = Math.max(at + 1, endOfDigits(bytes, at, to));
			const cellEnd = this.endOfCell(bytes, at, end, Math.min(to, end + CONTEXT_BEHIND)) - from;
			kept.push([at - from, { field: this.fieldOf(bytes, at), shape: this.shapeOf(bytes, at, end), cellEnd }] as const);
		}
		this.#kept.clear();
		for (const [at, what] of kept) this.#kept.set(at, what);
	}

	#keptOf(at: number) {
		return at < this.#scanFrom ? this.#kept.get(at - this.#from) : undefined;
	}
}
