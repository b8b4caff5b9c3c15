// Jobs that came in over HTTP, run where the test stands.

import { runAttempt } from '../../src/jobs/attempt.ts';
import { queueStore } from '../../src/jobs/queue-store.ts';
import type { HttpTestRooms } from './http-rooms.ts';

/** Runs the next job of the queue to its end and says how it ended. */
export async function runNextJob(rooms: HttpTestRooms): Promise<string> {
	const { database, keyRing, engine, clock, drops } = rooms;
	const now = clock.now().getTime();
	const claimant = { daemonId: 'test', now, leaseUntil: now + 60_000 };
	const job = await queueStore(database.knex, database.dialect).claim(claimant);
	if (!job) throw new Error('no job is waiting');
	const { blobs } = drops.rooms;
	return (await runAttempt({ database, keyRing, blobs, engine, clock, maxAttempts: 1 }, job)).state;
}
