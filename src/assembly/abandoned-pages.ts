// Pages of a command-line pass that was killed: no job will ever come back for them.

import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import { ulidTime } from '../drops/ulid.ts';
import { jobStore } from '../jobs/job-store.ts';
import { discardPages } from '../transfer/engine.ts';
import { pageStore } from '../vault/page-store.ts';

/** Longer than any pass over a local file takes. */
const GRACE_MS = 24 * 3_600_000;

/** Drops what such passes have written; returns how many there were. Jobs drop theirs when they are tried again. */
export async function discardAbandonedPages({
	database,
	clock,
}: {
	database: Database;
	clock: Clock;
}): Promise<number> {
	const { knex, dialect } = database;
	const before = clock.now().getTime() - GRACE_MS;
	let discarded = 0;
	for (const jobId of await pageStore(knex, dialect).listReservingJobs()) {
		if (ulidTime(jobId) > before || (await jobStore(knex).findById(jobId))) continue;
		await discardPages(database, jobId);
		discarded++;
	}
	return discarded;
}
