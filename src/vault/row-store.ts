import type { Knex } from 'knex';

/** Rows in one statement: SQLite takes 32,766 bound values at most. */
const ROWS_PER_STATEMENT = 1000;

/** Inserts into the vault's tables as part of somebody's transaction. */
export function rowStore(knex: Knex) {
	return {
		async insertAll(table: string, rows: readonly Record<string, unknown>[]): Promise<void> {
			for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT) {
				await knex(table).insert(rows.slice(at, at + ROWS_PER_STATEMENT));
			}
		},
	};
}
