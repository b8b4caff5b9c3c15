import { FileError } from '../../src/transfer/format.ts';
import { decodeCell } from './delimited-cell.ts';
import { type CardColumns, HeaderName, type HeaderRule, type Problem } from './delimited-columns.ts';
import type { Dialect } from './delimited-dialect.ts';
import { MAX_COLUMNS } from './delimited-mapping.ts';
import { Cells, countLineEnds, INCOMPLETE, readRow } from './delimited-row.ts';
import { endOfLine, isBlank, isNoRow, isSkippedRow } from './delimited-skip.ts';
import { findDelimiter, findStatedDelimiter } from './delimited-sniff.ts';

/** Fewer digits than that are no card number (spec §2.4). */
const SHORTEST_NUMBER = 12;

/** How far a file has been read. */
export class Progress {
	/** Records before the position. */
	records = 0;
	/** The line of the position, from 1. */
	line = 1;
}

/** What the start of a file says: which delimiter, and in which columns cards stand. */
export interface Head {
	readonly delimiter: number;
	readonly cards: readonly CardColumns[];
}

/** Reads the rows up to and including the header. */
export class HeadReader {
	readonly #dialect: Dialect;
	readonly #rule: HeaderRule;
	readonly #progress: Progress;
	readonly #cells = new Cells(MAX_COLUMNS);
	#linesToSkip: number;
	#statedDelimiter: number;
	#rowsSeen = 0;
	/** A line of the file's start that was to be passed over, but for blank ones. */
	#hasSkippedLine = false;
	/** There once the header has been read. */
	head: Head | undefined;

	constructor(dialect: Dialect, rule: HeaderRule, progress: Progress) {
		this.#dialect = dialect;
		this.#rule = rule;
		this.#progress = progress;
		this.#linesToSkip = dialect.skipLines;
		this.#statedDelimiter = dialect.delimiter;
	}

	/**
	 * Reads on from `from` and returns how far the bytes are settled; is called again until `head` is there.
	 *
	 * @throws FileError when the header does not have the columns asked for.
	 */
	read(bytes: Buffer, from: number, to: number, isLast: boolean): number {
		let at = from;
		let row = { offset: from, line: this.#progress.line };
		while (at < to && this.head === undefined) {
			const isSkipped = this.#linesToSkip > 0;
			const isLine = isSkipped || isNoRow(bytes, at, to, this.#dialect.comment);
			const next = isLine ? endOfLine(bytes, at, to, isLast) : this.#readRow(bytes, at, to, isLast);
			if (next === INCOMPLETE) return at;
			if (isSkipped) this.#skipLine(bytes, at, next);
			row = { offset: at, line: this.#progress.line };
			this.#progress.line += countLineEnds(bytes, at, next);
			at = next;
		}
		const missing = isLast && this.head === undefined ? this.#missing() : undefined;
		if (missing !== undefined) throw new FileError(missing, { ...row, record: this.#progress.records });
		return at;
	}

	#skipLine(bytes: Buffer, at: number, next: number): void {
		this.#linesToSkip--;
		this.#hasSkippedLine ||= !isBlank(bytes, at, next);
	}

	/** An empty file has nothing to find; one that is shorter than the lines to skip may be another, with cards in it. */
	#missing(): string | undefined {
		if (this.#rule.kind === 'none')
			return this.#hasSkippedLine && this.#linesToSkip > 0 ? 'the file ends within the lines to skip' : undefined;
		if (this.#rowsSeen === 0 && !this.#hasSkippedLine) return undefined;
		return 'the file ends before a header row with a card number column';
	}

	#readRow(bytes: Buffer, at: number, to: number, isLast: boolean): number {
		if (this.#rowsSeen === 0 && this.#dialect.delimiter < 0 && this.#statedDelimiter < 0) {
			const stated = findStatedDelimiter(bytes, at, to, isLast);
			if (stated !== undefined) {
				this.#statedDelimiter = stated;
				return endOfLine(bytes, at, to, isLast);
			}
		}
		const delimiter = this.#statedDelimiter < 0 ? findDelimiter(bytes, at, to, this.#dialect) : this.#statedDelimiter;
		const place = { record: this.#progress.records + 1, line: this.#progress.line };
		const next = readRow(bytes, at, to, isLast, this.#dialect, delimiter, this.#cells, place);
		if (next === INCOMPLETE) return INCOMPLETE;
		if (isSkippedRow(this.#dialect, bytes, at, next)) {
			this.#progress.records++;
			return next;
		}
		if (this.#rule.kind === 'none') {
			this.head = { delimiter, cards: this.#rule.cards };
			return at;
		}
		this.#rowsSeen++;
		const resolution = this.#rule.resolve(this.#names(bytes));
		if ('cards' in resolution) {
			this.#refuseNumbersAsNames(bytes, resolution.cards);
			this.head = { delimiter, cards: resolution.cards };
		} else if (resolution.isCertain) throw this.#refusal(resolution, 1, at);
		else if (this.#rowsSeen >= this.#rule.within) throw this.#refusal(resolution, this.#rule.within, at);
		this.#progress.records++;
		return next;
	}

	#names(bytes: Buffer): HeaderName[] {
		const { starts, ends, escapes, count } = this.#cells;
		return Array.from({ length: count }, (_, i) => {
			const isEscaped = escapes[i] === 1;
			return new HeaderName(isEscaped ? decodeCell(bytes, starts[i], ends[i]) : bytes.subarray(starts[i], ends[i]));
		});
	}

	/** A file without a header that is read as if it had one would lose its first row, and pass that card in clear. */
	#refuseNumbersAsNames(bytes: Buffer, cards: readonly CardColumns[]): void {
		const { starts, ends, count } = this.#cells;
		for (const { number } of cards) {
			if (number >= count) continue;
			let digits = 0;
			for (let i = starts[number]; i < ends[number]; i++) if (bytes[i] >= 0x30 && bytes[i] <= 0x39) digits++;
			if (digits < SHORTEST_NUMBER) continue;
			throw new FileError('the header row holds a number where the name of the card number column is expected', {
				offset: starts[number],
				line: this.#progress.line,
				record: this.#progress.records + 1,
			});
		}
	}

	#refusal(resolution: Problem, within: number, offset: number): FileError {
		const where = within > 1 ? `none of the first ${within} rows is a header: ` : '';
		return new FileError(where + resolution.problem, {
			offset,
			line: this.#progress.line,
			record: this.#progress.records + 1,
			field: resolution.field,
		});
	}
}
