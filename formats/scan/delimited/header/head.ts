import { countLineEnds } from '../../../../src/base/text/line-ends.ts';
import { FileError } from '../../../../src/engine/format.ts';
import type { Dialect } from '../dialect.ts';
import { endOfLine, isBlank, isNoRow, isSkippedRow } from '../pattern.ts';
import { Cells, INCOMPLETE, readRow } from '../row.ts';
import { findDelimiter, findStatedDelimiter } from '../sniff.ts';
import type { CardColumns, HeaderRule, UnusedColumn } from './columns.ts';
import type { HeaderName } from './name.ts';
import { HeaderSearch } from './search.ts';

/** Tells how far a file has been read. */
export class Progress {
	/** The number of records before the position. */
	records = 0;
	/** The line of the position, counted from 1. */
	line = 1;
}

/** Holds the facts that the start of a file gives: its delimiter, and which columns hold cards. */
export interface Head {
	readonly delimiter: number;
	readonly cards: readonly CardColumns[];
	/** The names of the columns. The list is empty if there is no header row. */
	readonly names: readonly HeaderName[];
	readonly unused: readonly UnusedColumn[];
}

/** Describes a header row that was found, and where the row after it begins. */
export interface FoundHead extends Readonly<Progress> {
	readonly head: Head;
	readonly next: number;
}

/** A row is read into this object to find its end. It keeps no cells, because none of them is needed. */
const firstRow = new Cells(0);

/** Reads the rows up to and including the header. */
export class HeadReader {
	readonly #dialect: Dialect;
	readonly #rule: HeaderRule;
	readonly #progress: Progress;
	readonly #advice: string;
	#linesToSkip: number;
	/** True once a line at the start that is not blank was skipped. */
	#hasSkippedLine = false;
	/** The length of the last skipped line, so that an error can name where it begins. */
	#skippedBytes = 0;
	/** The delimiter given by a first line `sep=;`. */
	#statedDelimiter: number | undefined;
	/** The facts that the start of the file gives; undefined until the header has been read. */
	head: Head | undefined;

	/** @param advice tells the sender of a file without a header row what to do */
	constructor(dialect: Dialect, rule: HeaderRule, progress: Progress, advice: string) {
		this.#dialect = dialect;
		this.#rule = rule;
		this.#progress = progress;
		this.#advice = advice;
		this.#linesToSkip = dialect.skipLines;
	}

	/**
	 * Reads on from `from` and returns the offset at which the next call must continue. It is called again until `head`
	 * is set. If the bytes end before the header is found, the next call reads the first rows once more, with more bytes.
	 * @throws FileError when no row has the requested columns.
	 */
	read(bytes: Buffer, from: number, to: number, isLast: boolean): number {
		const at = this.#passLines(bytes, from, to, isLast);
		if (this.#linesToSkip > 0) {
			if (isLast) this.#refuseEnding(at);
			return at;
		}
		if (this.#rule.kind === 'none') return this.#readFirstRow(bytes, at, to, isLast, this.#rule.cards);
		const search = new HeaderSearch(this.#dialect, this.#rule, this.#advice, this.#progress);
		const found = search.run(bytes, at, to, isLast);
		if (found === undefined) return isLast ? this.#settleNoRow(bytes, at, to) : at;
		this.head = found.head;
		this.#progress.line = found.line;
		this.#progress.records = found.records;
		return found.next;
	}

	/** Skips the lines that the dialect leaves unread. */
	#passLines(bytes: Buffer, from: number, to: number, isLast: boolean): number {
		let at = from;
		while (at < to && this.#linesToSkip > 0) {
			const next = endOfLine(bytes, at, to, isLast);
			if (next === INCOMPLETE) return at;
			this.#linesToSkip--;
			this.#hasSkippedLine ||= !isBlank(bytes, at, next);
			this.#skippedBytes = next - at;
			this.#progress.line += countLineEnds(bytes, at, next);
			at = next;
		}
		return at;
	}

	/**
	 * Ends a file without a row. An empty file is accepted. One that is shorter than the lines to skip is refused,
	 * because it may be another file, with cards in it.
	 */
	#refuseEnding(at: number): void {
		if (!this.#hasSkippedLine) return;
		const message =
			this.#rule.kind === 'none'
				? 'the file ends within the lines to skip'
				: 'the file ends before a header row with a card number column';
		const place = { offset: at - this.#skippedBytes, line: this.#progress.line - 1, record: 0 };
		throw new FileError(message, place, { code: this.#rule.kind === 'none' ? 'file-cut-off' : 'header-missing' });
	}

	/** Ends a file that has neither a header nor a row, only empty lines and comments. */
	#settleNoRow(bytes: Buffer, at: number, to: number): number {
		if (this.#hasSkippedLine) this.#refuseEnding(at);
		this.#progress.line += countLineEnds(bytes, at, to);
		return to;
	}

	/**
	 * Reads the first row of a file without a header. It gives the delimiter, and is then read again like any other row.
	 */
	#readFirstRow(bytes: Buffer, from: number, to: number, isLast: boolean, cards: readonly CardColumns[]): number {
		let at = from;
		while (at < to) {
			let next = this.#passNoRow(bytes, at, to, isLast);
			if (next === undefined) {
				const stated = this.#statedDelimiter ?? this.#dialect.delimiter;
				const delimiter = stated < 0 ? findDelimiter(bytes, at, to, this.#dialect) : stated;
				const place = { record: this.#progress.records + 1, line: this.#progress.line };
				next = readRow(bytes, at, to, isLast, this.#dialect, delimiter, firstRow, place);
				if (next !== INCOMPLETE && !isSkippedRow(this.#dialect, bytes, at, next)) {
					this.head = { delimiter, cards, names: [], unused: [] };
					return at;
				}
				if (next !== INCOMPLETE) this.#progress.records++;
			}
			if (next === INCOMPLETE) return at;
			this.#progress.line += countLineEnds(bytes, at, next);
			at = next;
		}
		return at;
	}

	#passNoRow(bytes: Buffer, at: number, to: number, isLast: boolean): number | undefined {
		if (isNoRow(bytes, at, to, this.#dialect.comment)) return endOfLine(bytes, at, to, isLast);
		if (this.#statedDelimiter !== undefined || this.#dialect.delimiter >= 0 || this.#progress.records > 0)
			return undefined;
		this.#statedDelimiter = findStatedDelimiter(bytes, at, to, isLast);
		return this.#statedDelimiter === undefined ? undefined : endOfLine(bytes, at, to, isLast);
	}
}
