// After a start: what a dead daemon left is finished or begun anew.

import { type Clock, systemClock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import { findMissingBlobs, removeOrphans } from '../drops/check-drops.ts';
import { recoverUploads } from '../drops/recover-uploads.ts';
import type { SpoolRooms } from '../drops/spool.ts';
import type { PoolLogger } from './pool.ts';
import { queueStore } from './queue-store.ts';

export interface RecoveryRooms extends SpoolRooms {
	readonly database: Database;
	readonly clock?: Clock;
	readonly logger?: PoolLogger;
}

export interface Recovered {
	readonly jobs: number;
	readonly uploads: number;
}

/**
 * To be run before pool and doors open. The embedded database has one daemon, so whatever runs or is received there is a
 * dead one's; on PostgreSQL only what nobody holds any more, the rest follows as its leases end.
 */
export async function recover(rooms: RecoveryRooms): Promise<Recovered> {
	const { database, clock = systemClock, logger } = rooms;
	const now = clock.now().getTime();
	const deadBefore = database.dialect === 'sqlite' ? null : now;
	const jobs = await queueStore(database.knex, database.dialect).requeueExpired(deadBefore, now);
	const uploads = await recoverUploads(rooms, deadBefore);
	if (jobs.length > 0 || uploads > 0) logger?.warn({ jobs, uploads }, 'the last daemon did not end in order: going on');
	return { jobs: jobs.length, uploads };
}

/** Uploads that lost their daemon while this one runs; for the schedule. */
export async function sweepUploads(rooms: RecoveryRooms): Promise<number> {
	return recoverUploads(rooms, (rooms.clock ?? systemClock).now().getTime());
}

/** Blobs younger than this may be on their way to a row. */
const ORPHAN_GRACE_MS = 60 * 60_000;

export interface Checked {
	readonly orphansRemoved: number;
	readonly missing: number;
}

/** Compares rows and blobs; for the schedule. What is missing is logged, one line each. */
export async function checkDrops(rooms: RecoveryRooms, graceMs = ORPHAN_GRACE_MS): Promise<Checked> {
	const { database, clock = systemClock, logger } = rooms;
	// Read first: a job that ends after this has rows for its blobs by the time they are looked for.
	const oldestStart = await queueStore(database.knex, database.dialect).findOldestStart();
	const madeBefore = Math.min(clock.now().getTime(), oldestStart ?? Number.POSITIVE_INFINITY) - graceMs;
	const orphansRemoved = await removeOrphans(rooms, madeBefore);
	let missing = 0;
	for await (const { id, area, filter, blob_id, state } of findMissingBlobs(rooms)) {
		missing += 1;
		logger?.error({ file: id, area, filter, blob: blob_id, state }, 'a stored file is gone from the drop store');
	}
	return { orphansRemoved, missing };
}
