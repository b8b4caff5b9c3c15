import { insertValues } from '../database/bulk-insert.ts';
import type { Dialect } from '../database/dialect.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import { CARD_COLUMNS, type CardTable } from './card-rows.ts';

/** Inserts into the vault's tables as part of somebody's transaction. */
export function rowStore(transaction: PlainTransaction, dialect: Dialect) {
	return {
		/** `rows` has the values of each, in the order of the table's columns. */
		async insertAll(table: CardTable, rows: readonly (readonly unknown[])[]): Promise<void> {
			if (rows.length > 0) await insertValues(transaction, dialect, { table, columns: CARD_COLUMNS[table] }, rows);
		},
	};
}
