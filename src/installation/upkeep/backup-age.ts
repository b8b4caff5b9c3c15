// Decides when a backup, or its verification, is overdue. doctor, the portal, the metrics and the alerts ask here.

import { existsSync } from 'node:fs';
import { dialectOf, sqlitePath } from '../../base/database/dialect.ts';
import { type Database, openDatabase } from '../../base/database/open.ts';
import { readSchema } from '../../base/database/schema.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { upkeepStore } from './upkeep-store.ts';

const DAY_MS = 86_400_000;

export type DutyAge = Awaited<ReturnType<typeof readDuties>>[number];

/**
 * Returns how long ago the last backup was made and one was verified. What was never done is counted from the beginning of
 * the installation, in a sandbox not at all.
 */
export async function readDuties(
	{ knex }: Pick<Database, 'knex'>,
	{ backup, environment }: Pick<Settings, 'backup' | 'environment'>,
	now: number,
) {
	const store = upkeepStore(knex);
	const done = await store.list();
	const beginning = environment === 'production' ? (await store.findInstallation())?.createdAt : undefined;
	return [['backup', backup.warnDays] as const, ['backup-check', backup.checkWarnDays] as const].map(([duty, days]) => {
		const lastMs = done.get(duty);
		const sinceMs = lastMs ?? beginning;
		const overdueMs = sinceMs === undefined || days === 0 ? 0 : now - sinceMs - days * DAY_MS;
		return { duty, lastMs, overdueDays: overdueMs > 0 ? overdueMs / DAY_MS : undefined };
	});
}

/**
 * Notes that a backup was verified, if the installation from which it comes is that of the settings; tells whether it was.
 * A backup may be verified where no installation is.
 */
export async function noteVerified(
	{ databaseUrl }: Pick<Settings, 'databaseUrl'>,
	backupEnvironment: string,
	now: number,
): Promise<boolean> {
	if (dialectOf(databaseUrl) === 'sqlite' && !existsSync(sqlitePath(databaseUrl))) return false;
	let database: Database | undefined;
	try {
		database = await openDatabase({ url: databaseUrl });
		if ((await readSchema(database)).missing.length > 0) return false;
		const store = upkeepStore(database.knex);
		if ((await store.findInstallation())?.environment !== backupEnvironment) return false;
		await store.note('backup-check', now);
		return true;
	} catch {
		return false;
	} finally {
		await database?.close();
	}
}
