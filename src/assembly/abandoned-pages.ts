// Drops pages of cards that will never be adopted, because the pass that wrote them was killed or their job no longer
// exists.

import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import { ulidTimeMs } from '../drops/ulid.ts';
import { jobStore } from '../jobs/job-store.ts';
import { discardPages } from '../transfer/engine.ts';
import { pageStore } from '../vault/page-store.ts';

/** Every pass over cards ends within this time, so pages of older passes were abandoned. */
const GRACE_MS = 24 * 3_600_000;

/**
 * Drops abandoned pages; returns how many passes and jobs they belonged to. A job that still exists drops its pages
 * itself at its next attempt.
 */
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
		// The job no longer exists. During an upgrade, a daemon of the older version may still be using the pages of such a
		// job, so they are dropped only if the job is old.
		if (ulidTimeMs(jobId) > before || (await jobStore(knex).findById(jobId))) continue;
		abandoned.push(jobId);
	}
	for (const passId of abandoned) await discardPages(database, passId);
	return abandoned.length;
}
