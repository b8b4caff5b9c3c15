// Reads lists that are ordered by a key, page by page in both directions.

import type { Knex } from 'knex';
import { ulidFloor } from './ulid.ts';

/** A page of such a list: the first one, that of the next rows after the one with a key, or that of the last rows before it. */
export interface ListPage<Key> {
	readonly after?: Key;
	readonly before?: Key;
	/** The most rows. */
	readonly limit: number;
}

/** Rows of several daemons may have keys in another order than that of their times, by less than this in milliseconds. */
export const DISORDER_MS = 60_000;

/**
 * Narrows a query over rows with ULIDs and the time at which they were made, by the ids and then exactly.
 * @param made the column of that time, if it is not `created_at`, and what stands before each ULID
 */
export function keepMadeWithin(
	query: Knex.QueryBuilder,
	{ fromMs, toMs }: { readonly fromMs?: number; readonly toMs?: number },
	{ column = 'created_at', prefix = '' }: { readonly column?: string; readonly prefix?: string } = {},
): void {
	const floor = (ms: number) => prefix + ulidFloor(ms);
	if (fromMs !== undefined) void query.where('id', '>=', floor(fromMs - DISORDER_MS)).where(column, '>=', fromMs);
	if (toMs !== undefined) void query.where('id', '<', floor(toMs + DISORDER_MS)).where(column, '<', toMs);
}

/**
 * Reads a page of what a query selects, in the order of a key.
 * @param key a column, or an expression over one in SQL, that no two rows share
 * @param order `desc`, with the newest row first, unless given
 */
export async function readListPage<Row>(
	query: Knex.QueryBuilder,
	key: string,
	{ after, before, limit }: ListPage<string | number>,
	order: 'asc' | 'desc' = 'desc',
): Promise<Row[]> {
	const [onwards, back, backwards] = order === 'desc' ? ['<', '>', 'asc'] : ['>', '<', 'desc'];
	if (after !== undefined) void query.whereRaw(`${key} ${onwards} ?`, [after]);
	if (before === undefined) return (await query.orderByRaw(`${key} ${order}`).limit(limit)) as Row[];
	void query.whereRaw(`${key} ${back} ?`, [before]);
	return ((await query.orderByRaw(`${key} ${backwards}`).limit(limit)) as Row[]).reverse();
}

/** Counts the rows that a query selects, up to `most`. */
export async function countUpTo(knex: Knex, query: Knex.QueryBuilder, most: number): Promise<number> {
	const [{ rows }] = await knex.from(query.select(knex.raw('1')).limit(most).as('counted')).count({ rows: '*' });
	return Number(rows);
}

/**
 * Passes over the first rows that a query selects, which is ordered already, and reads the next ones. Those that are passed
 * over are counted along an index: PostgreSQL would read each of them whole.
 */
export async function readFrom<Row>(
	knex: Knex,
	{ table, key, query }: { readonly table: string; readonly key: string; readonly query: Knex.QueryBuilder },
	{ offset, limit, order }: { readonly offset: number; readonly limit: number; readonly order: 'asc' | 'desc' },
): Promise<Row[]> {
	void query.orderBy(key, order).limit(limit);
	if (offset === 0) return (await query) as Row[];
	const keys = query.offset(offset).select(key).as('wanted');
	return (await knex(table).whereIn(key, knex.from(keys).select(key)).orderBy(key, order)) as Row[];
}
