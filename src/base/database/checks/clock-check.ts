import type { Database } from '../open.ts';
import { queryRows } from '../sql.ts';

/**
 * Returns by how many milliseconds the database's clock is at least ahead of this machine's: negative if it is behind, 0
 * if the two may agree, null for SQLite, which has no clock. The database reads its clock at some time between the query
 * and the answer, so a slow answer is not taken for a wrong clock.
 */
export async function readClockOffset({ knex, dialect }: Database, nowMs: () => number): Promise<number | null> {
	if (dialect === 'sqlite') return null;
	const askedAt = nowMs();
	const [{ ms }] = await queryRows<{ ms: unknown }>(knex, 'select extract(epoch from clock_timestamp()) * 1000 as ms');
	const answeredAt = nowMs();
	const readAt = Math.round(Number(ms));
	if (readAt > answeredAt) return readAt - answeredAt;
	return Math.min(0, readAt - askedAt);
}
