import { insertValues } from '../database/bulk-insert.ts';
import type { Dialect } from '../database/dialect.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import { CARD_COLUMNS, type CardTable } from './card-rows.ts';

/** Inserts rows into the vault's tables within the caller's transaction. */
export function rowStore(transaction: PlainTransaction, dialect: Dialect) {
	return {
		/** Inserts rows into a table. Each row is a list of values in the order of `CARD_COLUMNS`. */
		async insertAll(table: CardTable, rows: readonly (readonly unknown[])[]): Promise<void> {
			if (rows.length > 0) await insertValues(transaction, dialect, { table, columns: CARD_COLUMNS[table] }, rows);
		},
	};
}
