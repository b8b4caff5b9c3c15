// Drops pages of cards that will never be adopted, because the pass that wrote them was killed, or another attempt has
// ended its job.

import type { Clock } from '../../base/clock.ts';
import type { JobId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { ulidTimeMs } from '../../base/database/ulid.ts';
import { discardPages } from '../../engine/engine.ts';
import { pageStore } from '../../vault/pages/page-store.ts';
import { jobStore } from '../../work/jobs/job-store.ts';

/** Every pass over cards ends within this time, so pages of older passes were abandoned. */
const GRACE_MS = 24 * 3_600_000;

/** Drops abandoned pages; returns how many passes they belonged to. */
export async function discardAbandonedPages(parts: { database: Database; clock: Clock }): Promise<number> {
	const { database, clock } = parts;
	const { knex, dialect } = database;
	const before = clock.now().getTime() - GRACE_MS;
	const pages = pageStore(knex, dialect);
	const isUnderWay = async (jobId: JobId) => {
		const state = (await jobStore(knex).findById(jobId))?.state;
		return state === 'queued' || state === 'running';
	};
	const abandoned = await pages.listLonePasses(before);
	for (const { passId, jobId } of await pages.listReservingAttempts()) {
		// A job that has not ended drops the pages of its earlier attempts itself. If it has ended, a daemon that was
		// stalled during an earlier attempt may still write some, so they are dropped only if the attempt is old.
		if (ulidTimeMs(passId) > before || (await isUnderWay(jobId))) continue;
		abandoned.push(passId);
	}
	for (const passId of abandoned) await discardPages(database, passId);
	return abandoned.length;
}
