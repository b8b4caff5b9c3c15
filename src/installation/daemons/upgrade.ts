// Says what an upgrade, or a move of the database, means for the daemons that run now.

import type { Database } from '../../base/database/open.ts';
import { kindOf, readSchema } from '../../base/database/schema.ts';
import type { DaemonRow } from './daemon-store.ts';
import { listRunning } from './heartbeat.ts';

/** Returns what `migrate` would do. Changes nothing. */
export async function planUpgrade(database: Database, now: number) {
	const { missing, later } = await readSchema(database);
	const last = missing.at(-1);
	return {
		/** The migrations to run, oldest first. */
		steps: missing.map((name) => ({ name, kind: kindOf(name) })),
		later,
		daemons: (await running(database, now)).map(({ id, version, knows }) => ({
			...{ id, version, isOlder: last !== undefined && knows < last },
		})),
	};
}

/**
 * Checks that no daemon runs whose version does not know a migration.
 * @throws Error that names such daemons
 */
export async function requireNoOlderDaemon(database: Database, migration: string, now: number): Promise<void> {
	// The number at the beginning of a name has four digits, so names compare as their numbers do.
	const older = (await running(database, now)).filter(({ knows }) => knows < migration);
	if (older.length === 0) return;
	const named = older.map(({ id, version }) => `${id} (${version})`).join(', ');
	throw new Error(
		`${migration} removes or changes what daemons of an earlier version use, and these run: ${named}. Start this version ` +
			'in their place, or stop them, then run this again; `tokendrop migrate --expand` runs what they work beside',
	);
}

/** @throws Error that names the daemons that run */
export async function requireNoDaemon(database: Database, now: number): Promise<void> {
	const found = await running(database, now);
	if (found.length === 0) return;
	throw new Error(
		`daemons run: ${found.map(({ id }) => id).join(', ')}. Stop them; one that was killed is forgotten in a minute`,
	);
}

async function running(database: Database, now: number): Promise<DaemonRow[]> {
	// Before the first migration there is no table, and no daemon.
	return (await database.knex.schema.hasTable('daemons')) ? listRunning(database, now) : [];
}
