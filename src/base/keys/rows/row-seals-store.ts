import type { Knex } from 'knex';
import { countByKey } from '../../database/count-by-key.ts';
import type { KeyId } from '../../database/ids.ts';
import { queryRows } from '../../database/sql.ts';
import type { RowShape } from './row-seals.ts';

export type SealableRow = {
	readonly seal_key: KeyId | null;
	readonly seal: Buffer | null;
	// biome-ignore lint/suspicious/noExplicitAny: every table has columns of its own
	readonly [column: string]: any;
};

/** Each method is a single statement over the seals of one table. */
export function rowSealsStore(knex: Knex, { table, id, columns }: RowShape) {
	const all = [...id, ...columns, 'seal_key', 'seal'].join(', ');
	const key = id.join(', ');
	return {
		/**
		 * Lists rows in the order of their ids, beginning after the row `after` if it is given. With `exceptKey`, it
		 * lists only rows that were sealed under other keys.
		 */
		async listAfter(after: SealableRow | undefined, limit: number, exceptKey?: KeyId): Promise<SealableRow[]> {
			const conditions = [
				...(after ? [`(${key}) > (${id.map(() => '?').join(', ')})`] : []),
				...(exceptKey === undefined ? [] : ['seal_key <> ?']),
			];
			const where = conditions.length === 0 ? '' : `where ${conditions.join(' and ')}`;
			const bound = [
				...(after ? id.map((column) => after[column]) : []),
				...(exceptKey === undefined ? [] : [exceptKey]),
				limit,
			];
			return queryRows<SealableRow>(knex, `select ${all} from ${table} ${where} order by ${key} limit ?`, bound);
		},
		/** Replaces a row's seal if it still has the one that was read, and tells whether it did. */
		async replace(row: SealableRow, { seal_key, seal }: { seal_key: KeyId; seal: Buffer }): Promise<boolean> {
			const own = Object.fromEntries(id.map((column) => [column, row[column]]));
			return (
				(await knex(table)
					.where({ ...own, seal: row.seal })
					.update({ seal_key, seal })) === 1
			);
		},
		async countByKey(): Promise<{ key_id: KeyId; count: number }[]> {
			return countByKey(knex(table).whereNotNull('seal_key'), 'seal_key');
		},
	};
}
