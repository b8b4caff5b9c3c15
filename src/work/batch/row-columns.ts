// Finds out which column of a table of cards is which field of a card, with the vocabulary of names that is also used for
// files (docs/formats/names.md). The members of an object in a JSON list count as columns.

import { type CardField, type FieldMeaning, findFieldMeaning } from '../../base/card/names/field-names.ts';
import { utf8Of } from '../../base/card/plain-text.ts';

/**
 * The names of fields in error texts. The text of a header cell is never repeated, because a cell that is not really a
 * header may hold a card number.
 */
export const FIELD_TITLES: Readonly<Record<CardField, string>> = {
	number: 'CardNumber',
	expiry: 'ExpirationDate',
	month: 'ExpirationMonth',
	year: 'ExpirationYear',
	cvv: 'CVV',
	type: 'CardType',
	name: 'NameOnCard',
	reference: 'Reference',
};

export type RowColumns = Readonly<Partial<Record<CardField, number>>>;

/**
 * A name with more digits than this is not looked up, because it may be a card number and the vocabulary keeps the
 * names it has seen in memory.
 */
const MAX_DIGITS = 6;

const MAX_COLUMNS = 2048;

/**
 * Finds the columns of the fields by the names in the header row. A name that only a card can have is preferred to a
 * name that is ambiguous; columns with unknown names are ignored. Returns what is wrong if number or expiry have no
 * column, or a field has two.
 *
 * @param noun What a column is called in that text.
 */
export function findColumns(header: readonly Buffer[], noun: 'column' | 'member'): RowColumns | string {
	if (header.length > MAX_COLUMNS) return `expected at most ${MAX_COLUMNS} ${noun}s`;
	const meanings = header.map(meaningOf);
	const columns: Partial<Record<CardField, number>> = {};
	for (const field of Object.keys(FIELD_TITLES) as CardField[]) {
		const named = meanings.flatMap((meaning, index) => (meaning?.field === field ? [{ index, ...meaning }] : []));
		const sure = named.filter(({ isSure }) => isSure);
		const [first, second] = sure.length > 0 ? sure : named;
		if (second !== undefined) {
			const places = `${noun}s ${first.index + 1} and ${second.index + 1}`;
			return `expected one ${noun} ${FIELD_TITLES[field]}, but ${places} are named so`;
		}
		if (first !== undefined) columns[field] = first.index;
	}
	const { number, expiry, month, year } = columns;
	if (number === undefined) return `expected a ${noun} ${FIELD_TITLES.number}`;
	if (expiry === undefined && (month === undefined || year === undefined)) {
		const { expiry, month, year } = FIELD_TITLES;
		return `expected a ${noun} ${expiry}, or ${month} and ${year}`;
	}
	return columns;
}

function meaningOf(cell: Buffer): FieldMeaning | undefined {
	const name = utf8Of(cell).toString();
	return (name.match(/\p{N}/gu) ?? []).length > MAX_DIGITS ? undefined : findFieldMeaning(name);
}
