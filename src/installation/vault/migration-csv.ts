// The table of cards that payment providers take when a merchant moves to them: docs/vault-export.md says which columns
// they ask for.

import { CARD_TYPES } from '../../base/card/brand.ts';
import { writtenExpiry } from '../../base/card/expiry.ts';
import { csvRows } from '../../base/csv.ts';
import type { WholeRecord } from '../../vault/cards/record-walk.ts';

const COLUMNS = [
	...(['token', 'card_number', 'expiration_month', 'expiration_year', 'card_holder_name', 'card_type'] as const),
	...(['customer_id', 'reference', 'account', 'created_at'] as const),
] as const;

export function headerRow(): Buffer {
	return Buffer.from(`${COLUMNS.join(',')}\r\n`);
}

export function rowsOf(
	records: readonly WholeRecord[],
	nameOf: (id: WholeRecord['page']['account_id']) => string | null,
): { readonly rows: Buffer; readonly cards: number } {
	const cards = records.filter(({ record }) => record.kind === 'card').map((each) => rowOf(each, nameOf));
	const rows = csvRows(cards, { columns: COLUMNS, header: false, lineEnd: 'windows' });
	return { rows, cards: cards.length };
}

function rowOf({ token, page, record, references }: WholeRecord, nameOf: Parameters<typeof rowsOf>[1]) {
	const { expiry, type, digits, name, owner } = record;
	const { expiryMonth, expiryYear } = expiry > 0 ? writtenExpiry(expiry) : { expiryMonth: '', expiryYear: '' };
	return {
		token,
		card_number: digits.toString('latin1'),
		expiration_month: expiryMonth,
		expiration_year: expiryYear,
		card_holder_name: oneLine(name?.toString()),
		card_type: type > 0 ? CARD_TYPES[type] : '',
		customer_id: oneLine(owner?.toString()),
		reference: oneLine(references.at(-1)),
		account: nameOf(page.account_id),
		created_at: new Date(page.created_at).toISOString(),
	};
}

/** No field may go over several lines: providers read the table line by line. */
const oneLine = (text = '') => text.replaceAll(/\s*[\r\n]+\s*/g, ' ');
