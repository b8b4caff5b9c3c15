// Finishes or restarts the work of daemons that died: at the start of a daemon, and later as scheduled tasks. While several
// daemons run, `pool.ts` takes over the jobs of one that has not renewed its lease for `jobs.leaseSeconds`.

import type { BlobStore } from '../../../base/blobs/blob-store.ts';
import { type Clock, systemClock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { findMissingBlobs, removeOrphans } from '../../drops/check-drops.ts';
import { recoverUploads } from '../../drops/recover-uploads.ts';
import type { PoolLogger } from './pool.ts';
import { queueStore } from './queue-store.ts';

/**
 * Recovers the work of dead daemons. It must run before the pool and the listeners open. A SQLite database has only one
 * daemon, so all work that is marked as running in it belongs to a dead one. On PostgreSQL only the
 * work under expired leases is recovered at the start; the rest follows when its leases expire.
 */
export async function recover(parts: {
	database: Database;
	clock?: Clock;
	logger?: PoolLogger;
	blobs: BlobStore;
	keyRing: KeyRing;
}) {
	const { database, clock = systemClock, logger } = parts;
	const now = clock.now().getTime();
	const deadBefore = database.dialect === 'sqlite' ? null : now;
	const jobs = await queueStore(database.knex, database.dialect).requeueExpired(deadBefore, now);
	const uploads = await recoverUploads(parts, deadBefore);
	if (jobs.length > 0 || uploads > 0) logger?.warn({ jobs, uploads }, 'the last daemon did not end in order: going on');
	return { jobs: jobs.length, uploads };
}

/** Blobs younger than this may not have a row yet, so they are not removed. */
const ORPHAN_GRACE_MS = 60 * 60_000;

/** Nobody takes longer to put a part of a blob together, so what is older was left by a writer that died. */
const UNFINISHED_MS = 24 * 60 * 60_000;

/** Compares the rows of files with the blobs: removes blobs without a row, and logs missing ones. A task calls this. */
export async function checkDrops(
	parts: { database: Database; clock?: Clock; logger?: PoolLogger; blobs: BlobStore },
	graceMs = ORPHAN_GRACE_MS,
) {
	const { database, clock = systemClock, logger } = parts;
	// The start of the oldest running attempt is read before the blobs are checked. The blobs of an attempt that still
	// runs then are too young to be removed; one that has ended by then has rows for its blobs.
	const oldestStart = await queueStore(database.knex, database.dialect).findOldestStart();
	const madeBefore = Math.min(clock.now().getTime(), oldestStart ?? Number.POSITIVE_INFINITY) - graceMs;
	const orphansRemoved = await removeOrphans(parts, madeBefore);
	await parts.blobs.removeUnfinished(madeBefore - UNFINISHED_MS);
	let missing = 0;
	for await (const { id, area, filter, blob_id, state } of findMissingBlobs(parts)) {
		missing += 1;
		logger?.error({ file: id, area, filter, blob: blob_id, state }, 'a stored file is gone from the drop store');
	}
	return { orphansRemoved, missing };
}
