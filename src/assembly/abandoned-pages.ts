// Pages that nobody will come back for: of passes that were killed, and of jobs that are gone.

import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import { ulidTime } from '../drops/ulid.ts';
import { jobStore } from '../jobs/job-store.ts';
import { discardPages } from '../transfer/engine.ts';
import { pageStore } from '../vault/page-store.ts';

/** Longer than any pass takes. */
const GRACE_MS = 24 * 3_600_000;

/** Drops them; returns how many passes and jobs there were. A job that is there drops its own when it is tried again. */
export async function discardAbandonedPages({
	database,
	clock,
}: {
	database: Database;
	clock: Clock;
}): Promise<number> {
	const { knex, dialect } = database;
	const before = clock.now().getTime() - GRACE_MS;
	const pages = pageStore(knex, dialect);
	const abandoned = await pages.listLonePasses(before);
	for (const jobId of await pages.listReservingJobs()) {
		// What an older version wrote during an upgrade may look like a job's, and be under way.
		if (ulidTime(jobId) > before || (await jobStore(knex).findById(jobId))) continue;
		abandoned.push(jobId);
	}
	for (const passId of abandoned) await discardPages(database, passId);
	return abandoned.length;
}
