// What crashes.test.ts and crashes.slow.test.ts share.

import type { Dialect } from '../../src/base/database/dialect.ts';
import type { JobRow } from '../../src/work/jobs/job.ts';
import { queueStore } from '../../src/work/jobs/queue/queue-store.ts';
import type { JobParts } from '../helpers/job-parts.ts';

const SMALL = { mostBytes: 1000, mostAttempts: 1 };
export const waitMs = () => 0;

/** Lets a daemon claim up to `most` jobs and die, and returns the names of the jobs that it had begun. */
export async function dieWith(
	parts: JobParts,
	dialect: Dialect,
	daemonId: string,
	{ most, now, waitMs }: { most: number; now?: number; waitMs?: () => number },
): Promise<string[]> {
	const queue = queueStore(parts.database.knex, dialect);
	const at = now ?? Date.now();
	const begun: JobRow[] = [];
	for (let nth = 0; nth < most; nth++) {
		const claimant = { daemonId, now: at, leaseUntil: at + 1000, isBusy: begun.length > 0 };
		begun.push(...(await queue.claimAll(claimant, 1, SMALL)));
	}
	await queue.requeueExpired(null, at, { waitMs });
	return begun.map(({ name }) => name);
}
