import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import { linkStore, loginStore, sessionStore } from './sign-in/session-store.ts';
import { IDLE_MS } from './sign-in/sessions.ts';

/** An entry in a user's list of logins is kept for this time. */
const HISTORY_MS = 400 * 24 * 3_600_000;

/** Removes sessions and links that have ended, and logins older than `HISTORY_MS`; returns how many rows. */
export async function purgePortal(parts: { database: Pick<Database, 'knex'>; clock: Clock }): Promise<number> {
	const { knex } = parts.database;
	const now = parts.clock.now().getTime();
	const sessions = await sessionStore(knex).purge(now, now - IDLE_MS);
	return (
		sessions + (await linkStore(knex).removeExpired(now)) + (await loginStore(knex).removeBefore(now - HISTORY_MS))
	);
}
