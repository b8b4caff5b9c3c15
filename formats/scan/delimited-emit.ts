import { EXPIRY_ABSENT, type Expiry, readExpiry, readMonthAndYear } from '../../src/card/expiry.ts';
import type { Finding, Findings } from '../../src/transfer/format.ts';
import { hasEscapeSign, isGroupedByNbsp, ValueSpan } from './delimited-cell.ts';
import { ABSENT, type CardColumns } from './delimited-columns.ts';
import type { Cells } from './delimited-row.ts';

/** A number as long as the shortest card (spec §2.4). */
const SHORTEST_NUMBER = 12;

// Moved from cell to cell; scanning is synchronous, so one set serves every scanner of a thread.
const value = new ValueSpan();
const month = new ValueSpan();

/** Where a row stands, and which of its cells need care. */
export interface RowFacts {
	readonly record: number;
	readonly line: number;
	/** The row came through the careful path: `Cells.escapes` means something. */
	readonly isQuoted: boolean;
	/** A row of the file's own accounting: what is too short for a card there is no card. */
	readonly isControl: boolean;
}

/** Appends a finding for every card column of a row that holds something. */
export function emitCards(
	bytes: Buffer,
	cells: Cells,
	cards: readonly CardColumns[],
	row: RowFacts,
	found: Findings,
): void {
	for (let i = 0; i < cards.length; i++) {
		const card = cards[i];
		if (card.number >= cells.count) continue;
		value.number(bytes, cells.starts[card.number], cells.ends[card.number]);
		const length = value.end - value.start;
		if (length === 0 || (row.isControl && length < SHORTEST_NUMBER)) continue;
		const finding = found.next();
		finding.record = row.record;
		finding.line = row.line;
		finding.numberStart = value.start;
		finding.numberEnd = value.end;
		finding.expiry = readCardExpiry(bytes, cells, card);
		fillOthers(bytes, cells, card, finding);
		// The word that makes it a control row is no CVV: masked, the row would be another one the next time.
		if (row.isControl && card.cvv === 0) finding.cvvStart = finding.cvvEnd = 0;
		finding.isEscaped =
			isGroupedByNbsp(bytes, finding.numberStart, finding.numberEnd) ||
			(row.isQuoted && hasEscapes(bytes, cells, card, finding));
	}
}

function readCardExpiry(bytes: Buffer, cells: Cells, card: CardColumns): Expiry {
	if (has(cells, card.expiry)) {
		value.number(bytes, cells.starts[card.expiry], cells.ends[card.expiry]);
		return readExpiry(bytes, value.start, value.end, card.expiryFormat);
	}
	if (!has(cells, card.month) && !has(cells, card.year)) return EXPIRY_ABSENT;
	locate(month, bytes, cells, card.month);
	locate(value, bytes, cells, card.year);
	return readMonthAndYear(bytes, month.start, month.end, value.start, value.end);
}

function locate(span: ValueSpan, bytes: Buffer, cells: Cells, column: number): void {
	if (has(cells, column)) span.number(bytes, cells.starts[column], cells.ends[column]);
	else span.start = span.end = 0;
}

function fillOthers(bytes: Buffer, cells: Cells, card: CardColumns, finding: Finding): void {
	if (has(cells, card.cvv)) {
		value.number(bytes, cells.starts[card.cvv], cells.ends[card.cvv]);
		finding.cvvStart = value.start;
		finding.cvvEnd = value.end;
	}
	if (has(cells, card.type)) {
		value.text(bytes, cells.starts[card.type], cells.ends[card.type]);
		finding.typeStart = value.start;
		finding.typeEnd = value.end;
	}
	if (has(cells, card.name)) {
		value.text(bytes, cells.starts[card.name], cells.ends[card.name]);
		finding.nameStart = value.start;
		finding.nameEnd = value.end;
	}
	if (has(cells, card.reference)) {
		value.text(bytes, cells.starts[card.reference], cells.ends[card.reference]);
		finding.referenceStart = value.start;
		finding.referenceEnd = value.end;
	}
}

/** Wrappers are outside the spans, so a cell with escapes may well have a span without. */
function hasEscapes(bytes: Buffer, cells: Cells, card: CardColumns, finding: Finding): boolean {
	return (
		(isEscaped(cells, card.number) && hasEscapeSign(bytes, finding.numberStart, finding.numberEnd)) ||
		(isEscaped(cells, card.cvv) && hasEscapeSign(bytes, finding.cvvStart, finding.cvvEnd)) ||
		(isEscaped(cells, card.type) && hasEscapeSign(bytes, finding.typeStart, finding.typeEnd)) ||
		(isEscaped(cells, card.name) && hasEscapeSign(bytes, finding.nameStart, finding.nameEnd)) ||
		(isEscaped(cells, card.reference) && hasEscapeSign(bytes, finding.referenceStart, finding.referenceEnd))
	);
}

function isEscaped(cells: Cells, column: number): boolean {
	return has(cells, column) && cells.escapes[column] === 1;
}

function has(cells: Cells, column: number): boolean {
	return column !== ABSENT && column < cells.count;
}
