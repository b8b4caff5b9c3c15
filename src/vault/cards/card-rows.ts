// Defines the database rows of new cards. Each row is a list of values in the order of `CARD_COLUMNS`.

import { insertValues } from '../../base/database/bulk-insert.ts';
import type { AccountId, KeyId } from '../../base/database/ids.ts';
import type { SqlTransaction } from '../../base/database/sql.ts';
import type { RowSealer } from '../../base/keys/rows/row-seals.ts';
import { DEFAULT_CVV_USES, defaultCvvEnd } from '../cvvs/cvv-seal.ts';
import { type CvvRow, EMPTIED } from '../cvvs/cvv-store.ts';
import { PAGE_COLUMNS, type PageRow } from '../pages/page-store.ts';
import { besideCvv, sealedCvvs } from '../sealed-rows.ts';
import type { AssociationRow } from '../tokens/association-store.ts';
import type { ForeignTokenRow } from '../tokens/foreign-token-store.ts';
import type { Fingerprints } from './fingerprint.ts';

/** Lists the tables in which a new card may have a row, each with the type of that row. */
interface CardTables {
	readonly pages: PageRow;
	readonly fingerprints: {
		readonly account_id: AccountId;
		readonly fingerprint: Buffer;
		readonly page_id: number;
		readonly slot: number;
		readonly generation: number;
	};
	readonly token_refs: {
		readonly account_id: AccountId;
		readonly reference: string;
		readonly page_id: number;
		readonly slot: number;
	};
	readonly foreign_tokens: ForeignTokenRow;
	readonly associations: AssociationRow & { readonly created_at: number };
	readonly cvvs: CvvRow;
}

export type CardTable = keyof CardTables;

/** Lists, for each table, the columns into which the rows of new cards are written. */
export const CARD_COLUMNS = {
	pages: PAGE_COLUMNS,
	fingerprints: ['account_id', 'fingerprint', 'page_id', 'slot', 'generation'],
	token_refs: ['account_id', 'reference', 'page_id', 'slot'],
	foreign_tokens: ['token', 'page_id', 'slot'],
	associations: ['page_id', 'slot', 'merchant_id', 'epoch', 'seal_key', 'seal', 'created_at'],
	cvvs: [
		...(['page_id', 'slot', 'account_id', 'key_id', 'sealed', 'ends_at', 'delete_card', 'uses_left'] as const),
		...(['version', 'seal_key', 'seal'] as const),
	],
} as const satisfies { readonly [Table in CardTable]: readonly (keyof CardTables[Table])[] };

/** Inserts rows into a table within a transaction. Each row is a list of values in the order of `CARD_COLUMNS`. */
export async function insertCardRows(on: SqlTransaction, table: CardTable, rows: readonly (readonly unknown[])[]) {
	if (rows.length > 0) await insertValues(on, { table, columns: CARD_COLUMNS[table] }, rows);
}

type ValuesOf<Row, Columns extends readonly unknown[]> = {
	readonly [At in keyof Columns]: Columns[At] extends keyof Row ? Row[Columns[At]] : never;
};
/** The values of a new row, one for each column of its table in `CARD_COLUMNS`. */
export type CardValues<Table extends CardTable> = ValuesOf<CardTables[Table], (typeof CARD_COLUMNS)[Table]>;

export interface RecordPlace {
	readonly page: number;
	readonly slot: number;
}

/** Builds the row with a card's fingerprint, by which duplicate elimination finds the card later. */
export function fingerprintValues(
	accountId: AccountId,
	{ page, slot }: RecordPlace,
	{ own, generation }: Pick<Fingerprints, 'own' | 'generation'>,
): CardValues<'fingerprints'> {
	return [accountId, own, page, slot, generation];
}

type OwnedPlace = RecordPlace & { readonly accountId: AccountId };

/**
 * Creates the row of a CVV that is stored together with its card under the default policy. Its version is 0, because
 * the page of the card does not store a version for it yet.
 */
export function newCvvRow(
	sealer: Pick<RowSealer, 'seal'>,
	keyId: KeyId,
	place: OwnedPlace,
	sealed: Buffer,
	now: number,
): CvvRow {
	const rule = { ends_at: defaultCvvEnd(now), delete_card: 0, uses_left: DEFAULT_CVV_USES } as const;
	return firstCvvRow(sealer, keyId, place, { sealed, ...rule });
}

/**
 * Creates the row by which retention removes a card at a time, as it does with a card whose CVV was destroyed and was to
 * take the card with it. The row has no CVV.
 */
export function removalRow(sealer: Pick<RowSealer, 'seal'>, keyId: KeyId, place: OwnedPlace, endsAt: number): CvvRow {
	const rule = { ends_at: endsAt, delete_card: 1, uses_left: EMPTIED } as const;
	return firstCvvRow(sealer, keyId, place, { sealed: Buffer.alloc(0), ...rule });
}

/** Creates the first row that a record has for a CVV, sealed and without destinations. */
function firstCvvRow(
	sealer: Pick<RowSealer, 'seal'>,
	keyId: KeyId,
	{ accountId, page, slot }: OwnedPlace,
	what: Pick<CvvRow, 'sealed' | 'ends_at' | 'delete_card' | 'uses_left'>,
): CvvRow {
	const row = { page_id: page, slot, account_id: accountId, key_id: keyId, version: 0, ...what };
	return { ...row, ...sealer.seal(sealedCvvs, row, besideCvv([])) };
}

/** Returns the values of a row in the order of `CARD_COLUMNS`. */
export function valuesOf<Table extends CardTable>(table: Table, row: CardTables[Table]): CardValues<Table> {
	return CARD_COLUMNS[table].map((column) => row[column as keyof CardTables[Table]]) as never;
}
