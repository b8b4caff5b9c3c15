import type { Database } from './open.ts';

/** How far the clock of the database is ahead of this machine's; null for SQLite, which has none of its own. */
export async function readClockOffset({ knex, dialect }: Database, nowMs: () => number): Promise<number | null> {
	if (dialect === 'sqlite') return null;
	const askedAt = nowMs();
	const { rows } = await knex.raw('select extract(epoch from clock_timestamp()) * 1000 as ms');
	// The answer was made somewhere between question and arrival.
	return Math.round(Number(rows[0].ms) - (askedAt + nowMs()) / 2);
}
