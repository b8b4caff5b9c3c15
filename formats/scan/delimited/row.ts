import { countLineEnds } from '../../../src/base/text/line-ends.ts';
import { FileError } from '../../../src/engine/format.ts';
import type { Dialect } from './dialect.ts';

const LF = 0x0a;
const CR = 0x0d;
const BACKSLASH = 0x5c;

/** Holds the first cells of one row, as many as are needed, without the quotes around them. */
export class Cells {
	readonly starts: Int32Array;
	readonly ends: Int32Array;
	/** Holds 1 for each cell that contains doubled quotes or backslash escapes. */
	readonly escapes: Uint8Array;
	/** The number of cells that are kept, at most the capacity. */
	count = 0;
	/** True if the cell that is being read contains escapes. */
	isEscaped = false;

	constructor(capacity: number) {
		this.starts = new Int32Array(capacity);
		this.ends = new Int32Array(capacity);
		this.escapes = new Uint8Array(capacity);
	}

	/** Adds a cell if there is room. Before the call, `isEscaped` is set for this cell. */
	add(start: number, end: number): void {
		if (this.count === this.starts.length) return;
		this.starts[this.count] = start;
		this.ends[this.count] = end;
		this.escapes[this.count++] = this.isEscaped ? 1 : 0;
	}
}

/** `readRow` returns this when the row continues after the window. */
export const INCOMPLETE = -1;

/** Tells where a row begins, for errors. */
export interface RowPlace {
	readonly record: number;
	readonly line: number;
}

/**
 * Reads a row that may have quotes, and line ends inside them. Returns the offset after the row's line end. A quote
 * opens only at the start of a cell; inside an unquoted cell it is an ordinary character.
 * @throws FileError when a quote never closes, or when text follows a closing quote: the columns of such a row are
 * uncertain, and a card number that moved to another column would pass in clear.
 */
export function readRow(
	bytes: Buffer,
	from: number,
	to: number,
	isLast: boolean,
	dialect: Dialect,
	delimiter: number,
	cells: Cells,
	place: RowPlace,
): number {
	const { quote, trim } = dialect;
	cells.count = 0;
	for (let at = from; ; at++) {
		const start = at;
		let byte = bytes[at];
		if (trim && (byte === 0x20 || byte === 0x09)) {
			at = afterBlanks(bytes, at, to, delimiter);
			byte = bytes[at];
		}
		if (byte === quote && at < to) {
			const opening = at;
			at = closingQuote(bytes, opening, to, isLast, dialect, cells);
			if (at === INCOMPLETE) {
				if (!isLast) return INCOMPLETE;
				throw rowError('a quote is never closed', bytes, from, opening, place);
			}
			cells.add(opening + 1, at++);
			byte = bytes[at];
			if (byte !== delimiter) {
				at = afterBlanks(bytes, at, to, delimiter);
				byte = bytes[at];
				if (at < to && byte !== delimiter && byte !== LF && byte !== CR) {
					throw rowError('text follows a closing quote', bytes, from, at, place);
				}
			}
		} else {
			while (at < to && byte !== delimiter && byte !== LF && byte !== CR) byte = bytes[++at];
			cells.isEscaped = false;
			cells.add(start, at);
		}
		if (at >= to) return isLast ? to : INCOMPLETE;
		if (byte !== delimiter) return afterLineEnd(bytes, at, to, isLast);
	}
}

/** Returns the offset after the line end at `at`, or `INCOMPLETE` for a CR whose LF may follow in the next window. */
export function afterLineEnd(bytes: Buffer, at: number, to: number, isLast: boolean): number {
	if (bytes[at] !== CR) return at + 1;
	if (at + 1 === to) return isLast ? to : INCOMPLETE;
	return bytes[at + 1] === LF ? at + 2 : at + 1;
}

function afterBlanks(bytes: Buffer, at: number, to: number, delimiter: number): number {
	while (at < to && (bytes[at] === 0x20 || bytes[at] === 0x09) && bytes[at] !== delimiter) at++;
	return at;
}

/**
 * Returns the position of the quote that closes the one at `opening`, and notes in `cells` whether there were escapes.
 * The result is `INCOMPLETE` if no quote closes it in this window, or if its last byte is a quote that may be the first
 * of a doubled one. At the end of the file a last quote always closes.
 */
function closingQuote(
	bytes: Buffer,
	opening: number,
	to: number,
	isLast: boolean,
	{ quote, hasBackslashEscapes }: Dialect,
	cells: Cells,
): number {
	cells.isEscaped = false;
	for (let at = opening + 1; at < to; at++) {
		const byte = bytes[at];
		if (byte === quote) {
			if (hasBackslashEscapes) return at;
			if (at + 1 === to) return isLast ? at : INCOMPLETE;
			if (bytes[at + 1] !== quote) return at;
		} else if (byte !== BACKSLASH || !hasBackslashEscapes) continue;
		cells.isEscaped = true;
		at++;
	}
	return INCOMPLETE;
}

function rowError(message: string, bytes: Buffer, from: number, at: number, { record, line }: RowPlace): FileError {
	const place = { offset: at, line: line + countLineEnds(bytes, from, at), record };
	return new FileError(message, place, { code: 'table-malformed' });
}
