import type { Knex } from 'knex';
import type { KeyId } from './ids.ts';

/** How many rows of a query stand under each key; `column` says which one holds the key. */
export async function countByKey(
	query: Knex.QueryBuilder,
	column: 'key_id' | 'seal_key' = 'key_id',
): Promise<{ key_id: KeyId; count: number }[]> {
	const rows = await query.groupBy(column).select({ key_id: column }).count({ count: '*' });
	return rows.map((row: { key_id: KeyId; count: unknown }) => ({ key_id: row.key_id, count: Number(row.count) }));
}
