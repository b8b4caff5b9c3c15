import { isDigit } from '../../../src/base/card/ascii.ts';
import {
	EXPIRY_ABSENT,
	EXPIRY_UNREADABLE,
	type Expiry,
	readExpiry,
	readMonthAndYear,
} from '../../../src/base/card/expiry.ts';
import type { Finding, Findings } from '../../../src/engine/format.ts';
import { isWrittenAsCvv, takeCodeOfExpiry } from '../held-cvvs.ts';
import { hasEscapeSign, ValueSpan } from './cell.ts';
import { ABSENT, type CardColumns, type UnusedColumn } from './header/columns.ts';
import { columnLabel, type HeaderName } from './header/name.ts';
import { isCode, type OddRow, oddityOf, SHORTEST_NUMBER } from './oddity.ts';
import type { Cells } from './row.ts';

// These objects are reused for every cell. Scanning is synchronous, so one set serves all scanners of a thread.
const value = new ValueSpan();
const month = new ValueSpan();

/** Holds the position of a row, and how it was read. */
export interface RowFacts extends OddRow {
	readonly record: number;
	readonly line: number;
	/** True if the row was read by `readRow`, so that `Cells.escapes` is set. */
	readonly isQuoted: boolean;
}

/**
 * Appends a finding for every card column of a row whose cell holds a card number or another value that has to be
 * judged as one.
 */
export function emitCards(
	bytes: Buffer,
	cells: Cells,
	cards: readonly CardColumns[],
	row: RowFacts,
	found: Findings,
	tally: Tally,
): void {
	for (let i = 0; i < cards.length; i++) {
		const card = cards[i];
		if (card.number >= cells.count) continue;
		if (!isNumberIn(bytes, cells, card, row, tally)) {
			if (row.isControl || !hasCode(bytes, cells, card)) continue;
			// The row has a CVV but no number. The finding gets an empty number, so that the CVV is still reported.
			value.start = value.end = cells.starts[card.number];
		}
		const finding = found.next();
		finding.record = row.record;
		finding.line = row.line;
		finding.numberStart = value.start;
		finding.numberEnd = value.end;
		finding.expiry = readCardExpiry(bytes, cells, card);
		fillOthers(bytes, cells, card, finding);
		// In a control row the first cell holds the word that marks the row. If the first column is the CVV's, that word
		// must not be replaced by stars, because then the next pass would not recognise the control row.
		if (row.isControl && card.cvv === 0) finding.cvvStart = finding.cvvEnd = 0;
		finding.isEscaped = row.isQuoted && hasEscapes(bytes, cells, card, finding);
	}
}

/**
 * Sets `value` to the position of the card number in its cell, and tells whether the content of that cell is judged as
 * a number.
 */
function isNumberIn(bytes: Buffer, cells: Cells, card: CardColumns, row: RowFacts, tally: Tally): boolean {
	const { start, end } = value.number(bytes, cells.starts[card.number], cells.ends[card.number]);
	if (start === end) return false;
	if (end - start >= SHORTEST_NUMBER && isDigit(bytes[start])) return true;
	const oddity = oddityOf(bytes, start, end, row, cells);
	if (oddity === 'word' && !row.isControl) tally.words++;
	if (oddity !== 'total') return oddity === 'number';
	// A guest may be named Total or End. A row with an expiry or a CVV is that of a card, not one of totals.
	const isOfCard = hasCode(bytes, cells, card) || readCardExpiry(bytes, cells, card) > EXPIRY_ABSENT;
	value.start = start;
	value.end = end;
	return isOfCard;
}

/** Sets `value` to the position of the CVV in its cell, and tells whether the row has a CVV. */
function hasCode(bytes: Buffer, cells: Cells, card: CardColumns): boolean {
	if (!has(cells, card.cvv)) return false;
	value.number(bytes, cells.starts[card.cvv], cells.ends[card.cvv]);
	return isCode(bytes, value.start, value.end);
}

function readCardExpiry(bytes: Buffer, cells: Cells, card: CardColumns): Expiry {
	if (has(cells, card.expiry)) {
		value.number(bytes, cells.starts[card.expiry], cells.ends[card.expiry]);
		const expiry = readExpiry(bytes, value.start, value.end, card.expiryFormat);
		if (expiry !== EXPIRY_ABSENT) return expiry;
	}
	if (!has(cells, card.month) && !has(cells, card.year)) return EXPIRY_ABSENT;
	locate(month, bytes, cells, card.month);
	locate(value, bytes, cells, card.year);
	return readMonthAndYear(bytes, month.start, month.end, value.start, value.end);
}

function locate(span: ValueSpan, bytes: Buffer, cells: Cells, column: number, as: 'number' | 'text' = 'number'): void {
	if (!has(cells, column)) span.start = span.end = 0;
	else if (as === 'text') span.text(bytes, cells.starts[column], cells.ends[column]);
	else span.number(bytes, cells.starts[column], cells.ends[column]);
}

function fillOthers(bytes: Buffer, cells: Cells, card: CardColumns, finding: Finding): void {
	locate(value, bytes, cells, card.cvv);
	finding.cvvStart = value.start;
	finding.cvvEnd = value.end;
	if (finding.expiry === EXPIRY_UNREADABLE) {
		locate(value, bytes, cells, card.expiry);
		takeCodeOfExpiry(bytes, value.start, value.end, finding, card.expiryFormat);
	}
	const isCode = has(cells, card.code) && locateCode(bytes, cells, card.code, finding);
	if (!isCode || card.type !== card.code) {
		locate(value, bytes, cells, card.type, 'text');
		finding.typeStart = value.start;
		finding.typeEnd = value.end;
	}
	locate(value, bytes, cells, card.name, 'text');
	finding.nameStart = value.start;
	finding.nameEnd = value.end;
	locate(value, bytes, cells, card.reference, 'text');
	finding.referenceStart = value.start;
	finding.referenceEnd = value.end;
}

/** Takes what stands in the column of a card's code for its CVV, if it is written like one, and tells whether it is. */
function locateCode(bytes: Buffer, cells: Cells, column: number, finding: Finding): boolean {
	value.number(bytes, cells.starts[column], cells.ends[column]);
	if (!isWrittenAsCvv(bytes, value.start, value.end)) return false;
	finding.cvvStart = value.start;
	finding.cvvEnd = value.end;
	return true;
}

/**
 * Tells whether any field of a card contains escapes. The quotes around a value are outside its span, so in a cell with
 * escapes the span may have none.
 */
function hasEscapes(bytes: Buffer, cells: Cells, card: CardColumns, finding: Finding): boolean {
	const isEscaped = (column: number, start: number, end: number) =>
		has(cells, column) && cells.escapes[column] === 1 && hasEscapeSign(bytes, start, end);
	return (
		isEscaped(card.number, finding.numberStart, finding.numberEnd) ||
		isEscaped(card.cvv, finding.cvvStart, finding.cvvEnd) ||
		isEscaped(card.code, finding.cvvStart, finding.cvvEnd) ||
		isEscaped(card.type, finding.typeStart, finding.typeEnd) ||
		isEscaped(card.name, finding.nameStart, finding.nameEnd) ||
		isEscaped(card.reference, finding.referenceStart, finding.referenceEnd)
	);
}

function has(cells: Cells, column: number): boolean {
	return column !== ABSENT && column < cells.count;
}

/** One notice names at most this many columns. */
const MAX_LISTED = 10;

const KINDS: Readonly<Record<UnusedColumn['field'], string>> = {
	number: 'a card number',
	cvv: 'a security code',
	expiry: 'an expiry date',
};

/**
 * Counts the cells of card number columns that hold words, and adds the notices about the file as a whole
 * (docs/formats/csv.md, notices), which never show content.
 */
export class Tally {
	words = 0;
	readonly #names: readonly HeaderName[];

	constructor(names: readonly HeaderName[]) {
		this.#names = names;
	}

	/** Reports columns that look like a card field by their name or content but are not used as one. */
	tellUnused(unused: readonly UnusedColumn[], by: 'name' | 'content', found: Findings): void {
		for (const field of ['number', 'cvv', 'expiry'] as const) {
			const columns = unused.filter((column) => column.field === field);
			if (columns.length === 0) continue;
			const labels = columns.slice(0, MAX_LISTED).map(({ index }) => this.#labelOf(index));
			const list = labels.join(', ') + (columns.length > labels.length ? ' and more' : '');
			const looks = `${columns.length > 1 ? 'look' : 'looks'} like ${KINDS[field]}`;
			const was = columns.length > 1 ? 'were' : 'was';
			found.notice(`By ${by} ${list} ${looks} and ${was} not used: what stands there passes as it is`);
		}
	}

	/** Returns the quoted label of a column, with its place if another column has the same name. */
	#labelOf(index: number): string {
		const label = `"${columnLabel(this.#names, index)}"`;
		const name = this.#names[index]?.folded;
		const isShared = name && this.#names.some((other, i) => i !== index && other.folded === name);
		return isShared ? `${label} (column ${index + 1})` : label;
	}

	tellCounts(found: Findings): void {
		if (this.words > 0) {
			const cells = this.words === 1 ? '1 cell holds a word' : `${this.words} cells hold words`;
			found.notice(`In a card number column ${cells} and no number: no card was looked for there`);
		}
	}
}
