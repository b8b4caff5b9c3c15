// Names the column of a byte. It is used after a scan, for numbers outside the card columns.

import type { Dialect } from './dialect.ts';
import type { Head } from './header/head.ts';
import { MAX_COLUMNS } from './header/mapping.ts';
import { columnLabel } from './header/name.ts';
import { endOfLine, isNoRow } from './pattern.ts';
import { Cells, INCOMPLETE, readRow } from './row.ts';

const cells = new Cells(MAX_COLUMNS);
const PLACE = { record: 0, line: 0 };

/**
 * Finds the columns of any number of offsets in ascending order, while it reads the rows of the last scan only once.
 */
export class Places {
	readonly #dialect: Dialect;
	readonly #head: Head;
	#first = 0;
	#last = 0;
	#end = 0;
	/** The start of the row that was read last, and the start of the next one. */
	#row = 0;
	#next = 0;

	constructor(dialect: Dialect, head: Head) {
		this.#dialect = dialect;
		this.#head = head;
	}

	/** Begins at the first of the rows in `[first, end)`, which are those of the last scan; the last of them begins at `last`. */
	reset(first: number, last: number, end: number): void {
		this.#first = this.#row = this.#next = first;
		this.#last = last;
		this.#end = end;
	}

	/**
	 * Returns the label of the column that contains `bytes[at]`, or undefined above the rows and in lines that are not
	 * rows.
	 */
	columnAt(bytes: Buffer, at: number): string | undefined {
		if (at < this.#first || at >= this.#end) return undefined;
		if (at < this.#row) this.#next = this.#first;
		if (at >= this.#next || at < this.#row) {
			// In most windows, only digits in the last row are asked for: they wait for the next window.
			if (at >= this.#last && this.#next < this.#last) this.#next = this.#last;
			while (this.#next <= at) this.#readRow(bytes);
		}
		let column = -1;
		while (column + 1 < cells.count && cells.starts[column + 1] <= at) column++;
		return column < 0 ? undefined : columnLabel(this.#head.names, column);
	}

	#readRow(bytes: Buffer): void {
		const at = this.#next;
		this.#row = at;
		if (isNoRow(bytes, at, this.#end, this.#dialect.comment)) {
			cells.count = 0;
			this.#next = endOfLine(bytes, at, this.#end, true);
			return;
		}
		const next = readRow(bytes, at, this.#end, true, this.#dialect, this.#head.delimiter, cells, PLACE);
		this.#next = next === INCOMPLETE ? this.#end : next;
	}
}
