// Opens what the runs of routes work with, for a command.

import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../base/clock.ts';
import type { JobId } from '../../base/database/ids.ts';
import { withRenewedLease } from '../../base/database/renewed-lease.ts';
import { dropBlobs } from '../../work/drops/drop-blobs.ts';
import { Drops } from '../../work/drops/drops.ts';
import { runAttempt } from '../../work/jobs/attempts/attempt.ts';
import { openJobEnds } from '../../work/jobs/attempts/end-jobs.ts';
import { openIntake } from '../../work/jobs/intake.ts';
import { jobStore } from '../../work/jobs/job-store.ts';
import { queueStore } from '../../work/jobs/queue/queue-store.ts';
import { failureNote } from '../../work/jobs/queue/retry-note.ts';
import type { AttemptParts } from '../../work/jobs/worker-parts.ts';
import type { Messages } from '../../work/pgp/messages.ts';
import type { RunParts } from '../../work/routes/runs/carry-out.ts';
import type { CommandContext } from '../frame/command.ts';
import { accountMessages } from './account-directory.ts';
import { boundEngine, jobLedgers } from './bound-engine.ts';
import type { CommandOpening, InstallationParts } from './open-parts.ts';
import { routeParts } from './route-parts.ts';

/** Returns the parts of a run in this process, which processes its jobs itself if no daemon does. */
export function commandRuns(
	parts: Pick<InstallationParts, 'database' | 'keyRing' | 'audit' | 'identity'>,
	{ settings, logger, opened }: Pick<CommandContext, 'settings' | 'logger' | 'opened'>,
): RunParts {
	const { database, keyRing } = parts;
	const clock = systemClock;
	const maxFileBytes = settings.transfer.maxFileBytes ?? undefined;
	const drops = opened(
		'drops',
		new Drops({
			database,
			keyRing,
			clock,
			maxFileBytes,
			blobs: dropBlobs(settings, database),
			quotas: settings.drops,
			daemonId: `command:${process.pid}`,
		}),
	);
	const intake = openIntake({ database, drops, clock });
	const messages = accountMessages(parts, settings, opened);
	const processJob = commandJobs({ ...parts, messages }, { settings });
	return routeParts({ ...parts, messages, drops, intake, clock, logger, processJob }, settings);
}

const LEASE_MS = 60_000;
const WAIT_MS = 200;

/** Returns a function that processes a job, unless a daemon takes it first, and ends when the job has ended. */
function commandJobs(
	parts: Pick<InstallationParts, 'database' | 'keyRing' | 'identity' | 'audit'> & { readonly messages: Messages },
	{ settings }: Pick<CommandOpening, 'settings'>,
): (id: JobId) => Promise<void> {
	const { database, identity, audit } = parts;
	const openAttempt = async (): Promise<AttemptParts> => {
		const { engine, accounts } = await boundEngine(parts, settings);
		return {
			...parts,
			engine,
			ends: openJobEnds(database),
			blobs: dropBlobs(settings, database),
			ledgers: jobLedgers({ database, audit, allowance: identity.allowance, accounts, engine }),
			maxAttempts: settings.jobs.maxAttempts,
			onFailed: failureNote(audit),
		};
	};
	let opened: Promise<AttemptParts> | undefined;
	const queue = queueStore(database.knex, database.dialect);
	const daemonId = `command:${process.pid}`;
	return async (id) => {
		const attempt = await (opened ??= openAttempt());
		for (;;) {
			const job = await jobStore(database.knex).findById(id);
			if (!job || job.state === 'done' || job.state === 'failed') return;
			const now = Date.now();
			const claimed =
				job.state === 'queued' &&
				job.next_run_at <= now &&
				(await queue.claimOne(job, { daemonId, now, leaseUntil: now + LEASE_MS }));
			if (!claimed) await sleep(WAIT_MS);
			else
				await withRenewedLease(
					LEASE_MS,
					() => queue.renew([id], daemonId, Date.now() + LEASE_MS),
					() => runAttempt(attempt, claimed),
				);
		}
	};
}
