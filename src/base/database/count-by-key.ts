import type { Knex } from 'knex';
import type { KeyId } from './ids.ts';

/** Counts the rows of a query for each key; `column` is the one that holds the key. */
export async function countByKey(
	query: Knex.QueryBuilder,
	column: 'key_id' | 'seal_key' = 'key_id',
): Promise<{ key_id: KeyId; count: number }[]> {
	const rows = await query.groupBy(column).select({ key_id: column }).count({ count: '*' });
	return rows.map((row: { key_id: KeyId; count: unknown }) => ({ key_id: row.key_id, count: Number(row.count) }));
}
