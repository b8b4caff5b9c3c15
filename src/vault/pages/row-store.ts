import { insertValues } from '../../base/database/bulk-insert.ts';
import type { SqlTransaction } from '../../base/database/sql.ts';
import { CARD_COLUMNS, type CardTable } from '../cards/card-rows.ts';

/** Inserts rows into the vault's tables within the caller's transaction. */
export function rowStore(transaction: SqlTransaction) {
	return {
		/** Inserts rows into a table. Each row is a list of values in the order of `CARD_COLUMNS`. */
		async insertAll(table: CardTable, rows: readonly (readonly unknown[])[]): Promise<void> {
			if (rows.length > 0) await insertValues(transaction, { table, columns: CARD_COLUMNS[table] }, rows);
		},
	};
}
