import type { Database } from './open.ts';

/**
 * Returns by how many milliseconds the database's clock is ahead of this machine's; null for SQLite, which has no
 * clock.
 */
export async function readClockOffset({ knex, dialect }: Database, nowMs: () => number): Promise<number | null> {
	if (dialect === 'sqlite') return null;
	const askedAt = nowMs();
	const { rows } = await knex.raw('select extract(epoch from clock_timestamp()) * 1000 as ms');
	// The database read its clock at some time between the query and the answer, so the middle of the two is assumed.
	return Math.round(Number(rows[0].ms) - (askedAt + nowMs()) / 2);
}
