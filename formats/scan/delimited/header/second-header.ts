// Recognises the header of a second table in the rows of the first, whose columns hold other fields than before.

import { isDigit } from '../../../../src/base/card/ascii.ts';
import { FileError } from '../../../../src/engine/format.ts';
import type { OddRow } from '../oddity.ts';
import type { Cells, RowPlace } from '../row.ts';
import type { CardColumns, HeaderRule } from './columns.ts';
import type { Head } from './head.ts';
import { type HeaderName, namesOf } from './name.ts';

/** A row with this many digits in a row holds a value and is not a header. */
const DIGITS_OF_VALUE = 3;

/** Describes a row that has no number in the column of the card number. */
export type NumberlessRow = OddRow & RowPlace;

/** Tells whether a row may be a header, because it has letters and no longer number. */
export function mayBeHeader(bytes: Buffer, from: number, to: number): boolean {
	let run = 0;
	for (let i = from; i < to; i++) {
		run = isDigit(bytes[i]) ? run + 1 : 0;
		if (run === DIGITS_OF_VALUE) return false;
	}
	return true;
}

/**
 * Refuses the file if the row in `cells` is the header of a table that has its cards in other columns. In the rows below
 * it, another value would be taken for the card number, and CVVs would stay in clear. A header like that of the file is
 * accepted, because it changes nothing.
 * @throws FileError that names the line of the row
 */
export function refuseSecondHeader(
	bytes: Buffer,
	cells: Cells,
	rule: HeaderRule,
	head: Head,
	row: NumberlessRow,
): void {
	const names = namesOf(bytes, cells);
	if (!isHeader(names, head) || !isOther(names, rule, head)) return;
	const { start: offset, line, record } = row;
	const problem = 'is the header of a second table, which has its cards in other columns';
	const message = `line ${line} ${problem}; send the tables as separate files`;
	throw new FileError(message, { offset, line, record }, { code: 'header-twice' });
}

/**
 * Tells whether a row is a header: it surely names a card number, and another cell names a card field or has the name
 * of a column of the file. A remark such as `card number` alone does not make a header.
 */
function isHeader(names: readonly HeaderName[], head: Head): boolean {
	if (!names.some(isSureNumber)) return false;
	const known = new Set(head.names.map(({ folded }) => folded));
	known.delete('');
	return names.some((name) => {
		const { meaning } = name;
		return meaning === undefined ? known.has(name.folded) : meaning.field !== 'number';
	});
}

function isSureNumber({ meaning }: HeaderName): boolean {
	return meaning?.field === 'number' && meaning.isSure && !meaning.isForeign;
}

function isOther(names: readonly HeaderName[], rule: HeaderRule, head: Head): boolean {
	if (isEqual(names, head.names)) return false;
	const resolution = rule.kind === 'row' && !rule.isBlind ? rule.resolve(names) : undefined;
	if (resolution !== undefined && 'cards' in resolution) return layoutOf(resolution.cards) !== layoutOf(head.cards);
	// The columns are designated. They hold other fields if a number is named elsewhere and none is named in them.
	const isOurs = (index: number) => head.cards.some(({ number }) => number === index);
	return !names.some((name, index) => isOurs(index) && name.meaning?.field === 'number');
}

function isEqual(names: readonly HeaderName[], others: readonly HeaderName[]): boolean {
	return names.length === others.length && names.every(({ folded }, i) => folded === others[i].folded);
}

/** Returns the columns of numbers, CVVs and expiries in a form that can be compared. */
function layoutOf(cards: readonly CardColumns[]): string {
	return cards.map(({ number, cvv, expiry, month, year }) => [number, cvv, expiry, month, year].join(' ')).join(', ');
}
