// Reads lists that are ordered by a key, the newest rows first, page by page in both directions.

import type { Knex } from 'knex';
import { ulidFloor } from './ulid.ts';

/** A page of such a list: the first one, that of the rows next older than a key, or that of the rows next newer. */
export interface NewestPage<Key> {
	readonly older?: Key;
	readonly newer?: Key;
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

/** Reads a page of what a query selects, the newest row first. */
export async function readNewest<Row>(
	query: Knex.QueryBuilder,
	key: string,
	{ older, newer, limit }: NewestPage<string | number>,
): Promise<Row[]> {
	if (older !== undefined) void query.where(key, '<', older);
	if (newer === undefined) return (await query.orderBy(key, 'desc').limit(limit)) as Row[];
	const rows = (await query.where(key, '>', newer).orderBy(key).limit(limit)) as Row[];
	return rows.reverse();
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
