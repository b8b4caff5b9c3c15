import { insertRows } from '../database/bulk-insert.ts';
import type { Dialect } from '../database/dialect.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';

/** Inserts into the vault's tables as part of somebody's transaction. */
export function rowStore(transaction: PlainTransaction, dialect: Dialect) {
	return {
		async insertAll(table: string, rows: readonly Record<string, unknown>[]): Promise<void> {
			if (rows.length > 0) await insertRows(transaction, dialect, table, rows);
		},
	};
}
