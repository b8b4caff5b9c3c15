import type { Knex } from 'knex';
import { countByKey } from '../../database/count-by-key.ts';
import type { KeyId } from '../../database/ids.ts';

/** These columns are read from a row: its primary key, the key it is sealed under, and the sealed bytes. */
// biome-ignore lint/suspicious/noExplicitAny: every table has columns of its own
export type SealedRow = { readonly key_id: KeyId; readonly [column: string]: any };

export interface SealedColumns {
	readonly table: string;
	readonly id: readonly string[];
	readonly column: string;
}

/** Each method is a single statement over one table with sealed secrets. */
export function sealedRowsStore(knex: Knex, { table, id, column }: SealedColumns) {
	const sameAs = (row: SealedRow) => Object.fromEntries([...id, 'key_id', column].map((name) => [name, row[name]]));
	return {
		/**
		 * Returns rows whose secrets are sealed under keys older than the given one, in the order of their ids. The
		 * first `skipped` of these rows are left out.
		 */
		async listUnderOlderKeys(keyId: KeyId, skipped: number, limit: number): Promise<SealedRow[]> {
			return knex(table)
				.select('key_id', column, ...id)
				.where('key_id', '<', keyId)
				.whereNotNull(column)
				.orderBy([...id])
				.offset(skipped)
				.limit(limit);
		},
		/** Returns a whole row if it still has the secret that was read. */
		async findSame(row: SealedRow): Promise<SealedRow | undefined> {
			return knex(table).where(sameAs(row)).first();
		},
		/** Replaces the secret of a row if the row still has the one that was read, and tells whether it did. */
		async replace(row: SealedRow, columns: Readonly<Record<string, unknown>>): Promise<boolean> {
			return (await knex(table).where(sameAs(row)).update(columns)) === 1;
		},
		async countByKey(): Promise<{ key_id: KeyId; count: number }[]> {
			return countByKey(knex(table).whereNotNull(column).whereNotNull('key_id'));
		},
	};
}
