// Scans the rows of CSV, SIMPLECSV and GBT. Most rows contain no quote: those are split by finding the line end and
// then the delimiters up to the last column that is needed. A row with a quote is read by `readRow`, which is slower.

import { WrappedNumbers } from '../../../src/base/card/finder/wrapped-numbers.ts';
import { countLineEnds } from '../../../src/base/text/line-ends.ts';
import type { Direction, Findings, Scanner } from '../../../src/engine/format.ts';
import { findTextStart } from '../encoding.ts';
import { ContentCheck } from './content.ts';
import type { Dialect } from './dialect.ts';
import { emitCards, Tally } from './emit.ts';
import { ABSENT, type CardColumns, type HeaderRule, lastColumn } from './header/columns.ts';
import { type Head, HeadReader, Progress } from './header/head.ts';
import { MAX_COLUMNS } from './header/mapping.ts';
import { mayBeHeader, refuseSecondHeader } from './header/second-header.ts';
import { isNoRow, isSkippedRow } from './pattern.ts';
import { Places } from './place.ts';
import { afterLineEnd, Cells, INCOMPLETE, readRow } from './row.ts';

const LF = 0x0a;
const CR = 0x0d;

/** Holds all cells of a row without a number. Scanning is synchronous, so one set serves all scanners of a thread. */
const allCells = new Cells(MAX_COLUMNS);

/** Describes a delimited layout: everything in which CSV, SIMPLECSV and GBT differ. */
export interface DelimitedLayout {
	readonly dialect: Dialect;
	readonly header: HeaderRule;
	/** True if rows whose first cell is `H` or `T` hold counts and totals (formats §6). */
	readonly hasControlRows: boolean;
	/** The advice for the sender of a file that has no header row. */
	readonly advice: string;
}

/** Scans one file. Numbers and tokens are in the same cells; the direction only decides whether notices are collected. */
export class DelimitedScanner implements Scanner {
	readonly #layout: DelimitedLayout;
	readonly #progress = new Progress();
	#headReader: HeadReader | undefined;
	#rows: RowScanner | undefined;
	readonly #direction: Direction;
	#isEncodingKnown = false;

	constructor(layout: DelimitedLayout, direction: Direction) {
		this.#layout = layout;
		this.#direction = direction;
		this.#headReader = new HeadReader(layout.dialect, layout.header, this.#progress, layout.advice);
	}

	/**
	 * Tells whether the file has a card number column. A header without one is refused, so a file that has been read
	 * this far has one.
	 */
	get hasCardPlace(): boolean {
		return this.#rows !== undefined;
	}

	get line(): number {
		return this.#progress.line;
	}

	scan(bytes: Buffer, from: number, to: number, isLast: boolean, found: Findings): number {
		let at = from;
		if (!this.#isEncodingKnown) {
			const reads = this.#layout.header.kind === 'none' ? 'columns' : undefined;
			const start = findTextStart(bytes, from, to, isLast, reads);
			if (start === undefined) return from;
			at = start;
			this.#isEncodingKnown = true;
		}
		if (this.#headReader !== undefined) {
			at = this.#headReader.read(bytes, at, to, isLast);
			const { head } = this.#headReader;
			if (head === undefined) return at;
			this.#headReader = undefined;
			noteLacking(head.cards, found);
			this.#rows = new RowScanner(this.#layout, head, this.#progress, this.#direction === 'tokenize');
		}
		return this.#rows!.scan(bytes, at, to, isLast, found);
	}

	fieldAt(bytes: Buffer, _from: number, at: number): string | undefined {
		return this.#rows?.places.columnAt(bytes, at);
	}
}

/**
 * Notes which fields, such as type or expiry, have no column in the file, so that the report says so once for the file
 * and not for every card.
 */
function noteLacking(cards: readonly CardColumns[], found: Findings): void {
	if (cards.every(({ type }) => type === ABSENT)) found.lacking.add('cardType');
	if (cards.every(({ expiry, month, year }) => Math.max(expiry, month, year) === ABSENT)) found.lacking.add('expiry');
}

/** Reads everything after the header. */
class RowScanner {
	readonly #layout: DelimitedLayout;
	readonly #head: Head;
	readonly #progress: Progress;
	readonly #cells: Cells;
	/** Tells in which column a given byte is, for all rows that were read by the last call of `scan`. */
	readonly places: Places;
	readonly #tally: Tally;
	readonly #wrapped = new WrappedNumbers();
	/** Checks the content of columns. It is set only when tokenizing, because only then are notices collected. */
	readonly #content: ContentCheck | undefined;
	/** The facts about the current row. The object is reused for all rows. */
	readonly #row = {
		record: 0,
		line: 0,
		start: 0,
		end: 0,
		isQuoted: false,
		isControl: false,
		delimiter: 0,
		columnCount: 0,
	};
	/** Where the row that was scanned last begins. */
	#lastRow = 0;
	#isHeadTold: boolean;

	constructor(layout: DelimitedLayout, head: Head, progress: Progress, isTelling: boolean) {
		this.#layout = layout;
		this.#head = head;
		this.#progress = progress;
		this.#cells = new Cells(lastColumn(head.cards) + 1);
		this.places = new Places(layout.dialect, head);
		this.#tally = new Tally(head.names);
		this.#content = isTelling ? new ContentCheck(head.cards, head.names) : undefined;
		this.#isHeadTold = !isTelling;
		this.#row.delimiter = head.delimiter;
		this.#row.columnCount = head.names.length;
	}

	scan(bytes: Buffer, from: number, to: number, isLast: boolean, found: Findings): number {
		const settled = this.#scanRows(bytes, from, to, isLast, found);
		this.places.reset(from, this.#lastRow, settled);
		if (!this.#isHeadTold) this.#tally.tellUnused(this.#head.unused, 'name', found);
		this.#isHeadTold = true;
		if (isLast && this.#content !== undefined) {
			this.#tally.tellUnused(this.#content.findings(), 'content', found);
			this.#tally.tellCounts(found);
		}
		return settled;
	}

	#scanRows(bytes: Buffer, from: number, to: number, isLast: boolean, found: Findings): number {
		// `indexOf` has no upper bound, so a subarray keeps it from finding anything after `to`.
		const window = to === bytes.length ? bytes : bytes.subarray(0, to);
		const { dialect } = this.#layout;
		const hasSkips = dialect.comment.length > 0 || dialect.skipRowsMatching !== undefined;
		// `lf`, `cr` and `quote` are the positions of the next LF, CR and quote at or after `at`. Each is searched for
		// again only after `at` has passed it.
		let lf = -1;
		let cr = -1;
		let quote = dialect.quote < 0 ? to : -1;
		let at = from;
		this.#lastRow = from;
		while (at < to) {
			if (lf < at) lf = indexOrEnd(window, LF, at, to);
			if (cr < at) cr = indexOrEnd(window, CR, at, to);
			if (quote < at) quote = indexOrEnd(window, dialect.quote, at, to);
			const lineEnd = Math.min(lf, cr);
			if (lineEnd === to && !isLast) return at;
			const lineNext = lineEnd === to ? to : afterLineEnd(window, lineEnd, to, isLast);
			if (lineNext === INCOMPLETE) return at;
			if (lineEnd === at || (hasSkips && isNoRow(window, at, to, dialect.comment))) {
				this.#progress.line++;
				at = lineNext;
				continue;
			}
			const isQuoted = quote < lineEnd;
			const next = isQuoted ? this.#readQuoted(window, at, to, isLast) : lineNext;
			if (next === INCOMPLETE) return at;
			if (!isQuoted) splitRow(window, at, lineEnd, this.#head.delimiter, this.#cells);
			this.#progress.records++;
			this.#lastRow = at;
			const first = found.length;
			if (!hasSkips || !isSkippedRow(dialect, window, at, next)) {
				this.#emit(window, at, next, isQuoted, found);
				if (found.length > first && this.#content?.isDue()) this.#sample(window, at, next, this.#content);
			}
			if (next === lineNext) this.#progress.line++;
			else this.#passLines(window, at, next, found, first);
			at = next;
		}
		return at;
	}

	#readQuoted(bytes: Buffer, at: number, to: number, isLast: boolean): number {
		const place = { record: this.#progress.records + 1, line: this.#progress.line };
		return readRow(bytes, at, to, isLast, this.#layout.dialect, this.#head.delimiter, this.#cells, place);
	}

	/**
	 * Reads all cells of a row that was chosen as a sample. The scan before it has kept only the cells up to the last
	 * card field.
	 */
	#sample(bytes: Buffer, at: number, next: number, content: ContentCheck): void {
		readRow(bytes, at, next, true, this.#layout.dialect, this.#head.delimiter, content.cells, this.#row);
		content.sample(bytes);
	}

	#emit(bytes: Buffer, at: number, next: number, isQuoted: boolean, found: Findings): void {
		const row = this.#row;
		row.start = at;
		row.end = next;
		row.record = this.#progress.records;
		row.line = this.#progress.line;
		row.isQuoted = isQuoted;
		row.isControl = this.#layout.hasControlRows && isControlRow(bytes, this.#cells);
		const { words } = this.#tally;
		emitCards(bytes, this.#cells, this.#head.cards, row, found, this.#tally);
		if (this.#tally.words > words) this.#refuseSecondHeader(bytes, at, next);
	}

	/**
	 * Refuses a second table, but only when tokenizing: on the way back the file is one that was accepted, and its tokens
	 * must become numbers again.
	 */
	#refuseSecondHeader(bytes: Buffer, at: number, next: number): void {
		if (this.#content === undefined || !mayBeHeader(bytes, at, next)) return;
		readRow(bytes, at, next, true, this.#layout.dialect, this.#head.delimiter, allCells, this.#row);
		refuseSecondHeader(bytes, allCells, this.#layout.header, this.#head, this.#row);
	}

	/** Gives each number of a row that spans several lines the line that it is on. */
	#passLines(bytes: Buffer, at: number, next: number, found: Findings, first: number): void {
		for (let i = first; i < found.length; i++) {
			found.items[i].line += countLineEnds(bytes, at, found.items[i].numberStart);
		}
		const { line } = this.#progress;
		if (this.#content !== undefined) tellWrappedCells(this.#wrapped, bytes, at, next, line, found, first);
		this.#progress.line += countLineEnds(bytes, at, next);
	}
}

/** Splits a row that contains no quote, and stops after the last column that is needed. */
function splitRow(bytes: Buffer, from: number, end: number, delimiter: number, cells: Cells): void {
	const { starts, ends } = cells;
	const needed = starts.length;
	let count = 0;
	let start = from;
	for (let i = from; i < end; i++) {
		if (bytes[i] !== delimiter) continue;
		starts[count] = start;
		ends[count++] = i;
		start = i + 1;
		if (count === needed) {
			cells.count = count;
			return;
		}
	}
	starts[count] = start;
	ends[count] = end;
	cells.count = count + 1;
}

function isControlRow(bytes: Buffer, cells: Cells): boolean {
	const start = cells.starts[0];
	return cells.ends[0] === start + 1 && (bytes[start] === 0x48 || bytes[start] === 0x54);
}

function indexOrEnd(bytes: Buffer, byte: number, at: number, to: number): number {
	const index = bytes.indexOf(byte, at);
	return index < 0 ? to : index;
}

/**
 * Adds a notice for each number in the row `bytes[start, end)` that continues on another line. `line` is the number of
 * its first line. Its own findings are those of `found` from index `first` on; a number that is one of them counts as
 * found.
 */
function tellWrappedCells(
	wrapped: WrappedNumbers,
	bytes: Buffer,
	start: number,
	end: number,
	line: number,
	found: Findings,
	first: number,
): void {
	for (let at = start; at < end; line++) {
		let lineEnd = at;
		while (lineEnd < end && bytes[lineEnd] !== LF && bytes[lineEnd] !== CR) lineEnd++;
		wrapped.line(bytes, at, lineEnd, end, line, found);
		if (isFound(found, first, lineEnd)) wrapped.clear();
		at = lineEnd === end ? end : afterLineEnd(bytes, lineEnd, end, true);
	}
	wrapped.end(found);
}

/** Tells whether the byte at `at` is inside a number that was found. */
function isFound({ items, length }: Findings, first: number, at: number): boolean {
	for (let i = first; i < length; i++) if (items[i].numberStart <= at && at < items[i].numberEnd) return true;
	return false;
}
