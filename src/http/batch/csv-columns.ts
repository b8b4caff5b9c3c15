// Which column of a CSV body is which field of a card: by the vocabulary of names that files use (docs/formats/names.md).

import { type CardField, type FieldMeaning, findFieldMeaning } from '../../card/field-names.ts';
import { ServiceError } from '../../errors.ts';
import { utf8Of } from '../../transfer/plain-text.ts';

/**
 * What a field is called in errors. A header that is none may hold a card number, so what its cells say is never
 * repeated.
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

/** The index of the column of each field. */
export type CsvColumns = Readonly<Partial<Record<CardField, number>>>;

/** A name with more digits may itself be a number, and the vocabulary remembers names. */
const MAX_DIGITS = 6;

/**
 * Finds the columns by the names in the header row. A name that surely belongs to a card wins over one that does in
 * context; columns of other names are not read.
 * @throws ServiceError `bad-input-data` when number or expiry have no column, or a field has two
 */
export function getColumns(header: readonly Buffer[]): CsvColumns {
	const columns: Partial<Record<CardField, number>> = {};
	for (const field of Object.keys(FIELD_TITLES) as CardField[]) {
		const column = findColumn(header.map(meaningOf), field);
		if (column !== undefined) columns[field] = column;
	}
	const { number, expiry, month, year } = columns;
	if (number === undefined) throw refusal(`expected a column ${FIELD_TITLES.number}`);
	if (expiry === undefined && (month === undefined || year === undefined)) {
		const { expiry, month, year } = FIELD_TITLES;
		throw refusal(`expected a column ${expiry}, or ${month} and ${year}`);
	}
	return columns;
}

function findColumn(meanings: readonly (FieldMeaning | undefined)[], field: CardField): number | undefined {
	const named = meanings.flatMap((meaning, index) => (meaning?.field === field ? [{ index, ...meaning }] : []));
	const sure = named.filter(({ isSure }) => isSure);
	const [first, second] = sure.length > 0 ? sure : named;
	if (second !== undefined) {
		const places = `columns ${first.index + 1} and ${second.index + 1}`;
		throw refusal(`expected one column ${FIELD_TITLES[field]}, but ${places} are named so`);
	}
	return first?.index;
}

function meaningOf(cell: Buffer): FieldMeaning | undefined {
	const name = utf8Of(cell).toString();
	return (name.match(/\p{N}/gu) ?? []).length > MAX_DIGITS ? undefined : findFieldMeaning(name);
}

function refusal(problem: string): ServiceError {
	return new ServiceError('bad-input-data', { field: 'header row', problem });
}
