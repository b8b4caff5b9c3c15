// Finds out which of the first rows of a file is the header.

import { isDigit } from '../../../../src/base/card/ascii.ts';
import { TOKEN_LENGTH } from '../../../../src/base/card/number.ts';
import { countLineEnds } from '../../../../src/base/text/line-ends.ts';
import { FileError } from '../../../../src/engine/format.ts';
import { type Candidate, candidateOf, isBetter, isConfirmedBy, isTitle } from '../candidate.ts';
import { ValueSpan } from '../cell.ts';
import type { Dialect } from '../dialect.ts';
import { SHORTEST_NUMBER } from '../oddity.ts';
import { endOfLine, isNoRow, isSkippedRow } from '../pattern.ts';
import { refusalOf, type SeenRow } from '../refusal.ts';
import { Cells, INCOMPLETE, readRow } from '../row.ts';
import { findDelimiter, findStatedDelimiter } from '../sniff.ts';
import type { HeaderRule, Resolution } from './columns.ts';
import type { FoundHead, Progress } from './head.ts';
import { MAX_COLUMNS } from './mapping.ts';
import { namesOf } from './name.ts';

/** This many rows below a header decide which of several columns holds the numbers. */
const ROWS_TO_CHOOSE_BY = 20;

type RowRule = Extract<HeaderRule, { kind: 'row' }>;

const cells = new Cells(MAX_COLUMNS);
const value = new ValueSpan();

/**
 * Holds one search through the first rows of a file. If the bytes end too early, a new search begins at the first row
 * once there are more.
 */
export class HeaderSearch {
	readonly #dialect: Dialect;
	readonly #rule: RowRule;
	readonly #advice: string;
	readonly #cursor: Progress & { at: number };
	readonly #seen: SeenRow[] = [];
	#delimiter: number;
	/** Holds the row that becomes the header if no better one follows. */
	#best: Candidate | undefined;

	constructor(dialect: Dialect, rule: RowRule, advice: string, { line, records }: Progress) {
		this.#dialect = dialect;
		this.#rule = rule;
		this.#advice = advice;
		this.#cursor = { at: 0, line, records };
		this.#delimiter = dialect.delimiter;
	}

	/**
	 * Returns the header among the rows of `bytes[from, to)`, or undefined if more bytes are needed or there is no row at
	 * all.
	 * @throws FileError if there are rows and none is a header
	 */
	run(bytes: Buffer, from: number, to: number, isLast: boolean): FoundHead | undefined {
		const cursor = this.#cursor;
		cursor.at = from;
		while (cursor.at < to && this.#seen.length < this.#rule.within) {
			const next = this.#passLine(bytes, to, isLast) ?? this.#readRow(bytes, to, isLast);
			if (next === INCOMPLETE) return undefined;
			if (typeof next !== 'number') return next;
			cursor.line += countLineEnds(bytes, cursor.at, next);
			cursor.at = next;
		}
		if (this.#seen.length < this.#rule.within && !isLast) return undefined;
		if (this.#best !== undefined) return this.#choose(bytes, to, isLast, this.#best);
		if (this.#seen.length === 0) return undefined;
		throw refusalOf(this.#seen, this.#advice);
	}

	/** Returns the end of a line that is not a row, or undefined if a row begins at the cursor. */
	#passLine(bytes: Buffer, to: number, isLast: boolean): number | undefined {
		const { at } = this.#cursor;
		if (isNoRow(bytes, at, to, this.#dialect.comment)) return endOfLine(bytes, at, to, isLast);
		if (this.#seen.length > 0 || this.#delimiter >= 0) return undefined;
		const stated = findStatedDelimiter(bytes, at, to, isLast);
		if (stated === undefined) return undefined;
		this.#delimiter = stated;
		return endOfLine(bytes, at, to, isLast);
	}

	#readRow(bytes: Buffer, to: number, isLast: boolean): number | FoundHead {
		const { at, line } = this.#cursor;
		const record = this.#cursor.records + 1;
		const delimiter = this.#delimiter < 0 ? findDelimiter(bytes, at, to, this.#dialect) : this.#delimiter;
		let next: number;
		try {
			next = readRow(bytes, at, to, isLast, this.#dialect, delimiter, cells, { record, line });
		} catch (error) {
			if (!(error instanceof FileError)) throw error;
			// This row may be a title above the header, which may contain quotes, so the search goes on with the next row. If
			// no row is a header, the error of this one is reported.
			this.#seen.push({ offset: at, line, record, names: [], hasNumber: false, error });
			this.#cursor.records++;
			return endOfLine(bytes, at, to, isLast);
		}
		if (next === INCOMPLETE) return INCOMPLETE;
		this.#cursor.records++;
		if (isSkippedRow(this.#dialect, bytes, at, next)) return next;
		const best = this.#best;
		const hasNumber = isNumberAmongCells(bytes);
		if (best?.heading.isSure && isConfirmedBy(bytes, cells, best)) return best.found;
		if (best !== undefined && hasNumber) {
			// This is a row of data below the candidate. Its cells are not read as names, which would be remembered.
			this.#seen.push({ offset: at, line, record, names: [], hasNumber });
			return next;
		}
		const names = namesOf(bytes, cells, (this.#rule.maxColumns ?? MAX_COLUMNS) + 1);
		const resolution = this.#rule.resolve(names);
		const row = { offset: at, line, record, names, hasNumber, resolution };
		this.#seen.push(row);
		return this.#judge(bytes, row, resolution, delimiter, next) ?? next;
	}

	#judge(bytes: Buffer, row: SeenRow, resolution: Resolution, delimiter: number, next: number): FoundHead | undefined {
		if (!('cards' in resolution)) {
			const isHeader = resolution.isCertain && (this.#best === undefined || isTitle(this.#best));
			if (isHeader) throw refusalOf([row], this.#advice);
			return undefined;
		}
		const found = {
			head: { delimiter, cards: resolution.cards, names: row.names, unused: resolution.unused },
			next,
			line: row.line + countLineEnds(bytes, row.offset, next),
			records: row.record,
		};
		if (row.hasNumber) {
			// A data row must not be taken for the header, because its card would then pass in clear.
			if (this.#rule.isBlind) throw refusalOf([row], this.#advice);
			return undefined;
		}
		if (this.#rule.isBlind) return found;
		const candidate = candidateOf(found, resolution, row.names);
		if (this.#best === undefined || isBetter(candidate, this.#best)) this.#best = candidate;
		return undefined;
	}

	/**
	 * Chooses, among several readings of one row, the one whose number column has the most numbers or tokens in the rows
	 * below.
	 */
	#choose(bytes: Buffer, to: number, isLast: boolean, { found, heading }: Candidate): FoundHead | undefined {
		const readings = [heading, ...(heading.others ?? [])];
		if (readings.length === 1) return found;
		const counts = readings.map(() => 0);
		let at = found.next;
		for (let rows = 0; at < to && rows < ROWS_TO_CHOOSE_BY; rows++) {
			const next = readRowOrLine(bytes, at, to, isLast, this.#dialect, found.head.delimiter);
			if (next === INCOMPLETE) return undefined;
			for (const [i, { cards }] of readings.entries()) if (holdsNumber(bytes, cards[0].number)) counts[i]++;
			at = next;
		}
		const { cards, unused } = readings[counts.indexOf(Math.max(...counts))];
		return { ...found, head: { ...found.head, cards, unused } };
	}
}

function readRowOrLine(
	bytes: Buffer,
	at: number,
	to: number,
	isLast: boolean,
	dialect: Dialect,
	delimiter: number,
): number {
	try {
		return readRow(bytes, at, to, isLast, dialect, delimiter, cells, { record: 0, line: 0 });
	} catch (error) {
		if (!(error instanceof FileError)) throw error;
		cells.count = 0;
		return endOfLine(bytes, at, to, isLast);
	}
}

/** Tells whether any cell of the row has enough digits for a card. */
function isNumberAmongCells(bytes: Buffer): boolean {
	for (let column = 0; column < cells.count; column++) if (hasDigits(bytes, column)) return true;
	return false;
}

/** Tells whether the cell of a column has enough digits for a card, or may be a token. */
function holdsNumber(bytes: Buffer, column: number): boolean {
	if (column >= cells.count) return false;
	const { start, end } = value.text(bytes, cells.starts[column], cells.ends[column]);
	return end - start === TOKEN_LENGTH || hasDigits(bytes, column);
}

function hasDigits(bytes: Buffer, column: number): boolean {
	let digits = 0;
	for (let at = cells.starts[column]; at < cells.ends[column]; at++) if (isDigit(bytes[at])) digits++;
	return digits >= SHORTEST_NUMBER;
}
