// Runs jobs that came in over HTTP, within the test.

import { accountDirectory } from '../../src/installation/opening/account-directory.ts';
import { jobLedgers } from '../../src/installation/opening/bound-engine.ts';
import { runAttempt } from '../../src/work/jobs/attempts/attempt.ts';
import { openJobEnds } from '../../src/work/jobs/attempts/end-jobs.ts';
import { queueStore } from '../../src/work/jobs/queue/queue-store.ts';
import type { HttpApp } from './http-app.ts';
import { messagesOf } from './messages.ts';

/** Runs the next job of the queue to its end and returns how it ended. */
export async function runNextJob(parts: HttpApp): Promise<string> {
	const { database, keyRing, engine, clock, drops, audit, identity } = parts;
	const now = clock.now().getTime();
	const claimant = { daemonId: 'test', now, leaseUntil: now + 60_000 };
	const job = await queueStore(database.knex, database.dialect).claim(claimant);
	if (!job) throw new Error('no job is waiting');
	const { blobs } = drops.store;
	const accounts = accountDirectory(identity);
	const ledgers = jobLedgers({ database, audit, engine, accounts, allowance: identity.allowance });
	const ends = openJobEnds(database);
	const attempt = { database, ends, keyRing, blobs, engine, ledgers, clock, maxAttempts: 1 };
	return (await runAttempt({ ...attempt, messages: messagesOf({ database, keyRing }) }, job)).state;
}
