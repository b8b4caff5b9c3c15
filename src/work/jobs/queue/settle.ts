import { systemClock } from '../../../base/clock.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import { type AttemptReport, writeReports } from '../attempts/attempt-report.ts';
import { failedDocument, publishFailed } from '../attempts/publish.ts';
import { ReportBook } from '../attempts/report-book.ts';
import { type JobError, type JobRow, reportFolder } from '../job.ts';
import { jobStore } from '../job-store.ts';
import type { AttemptParts } from '../worker-parts.ts';
import { backoffMs, countedAttempts } from './crashes.ts';
import { LeaseLostError } from './lease-lost.ts';
import { queueStore } from './queue-store.ts';
import { judgeFailure } from './retry.ts';

/** The outcome of an attempt. `lost` means that the job no longer belonged to this daemon, so nothing was changed. */
export interface Settlement {
	readonly state: 'done' | 'failed' | 'queued' | 'lost';
	/** The error of the failed attempt; it is also set if another attempt follows. */
	readonly error?: JobError;
	/** The thrown error if it is a bug. It is logged, and the worker thread is replaced. */
	readonly unexpected?: unknown;
}

/**
 * The objects that are needed to record the outcome of an attempt. The ledgers are absent if the worker that had them
 * died; then the next attempt drops the pages that the failed attempt has stored.
 */
export type SettlingParts = Omit<AttemptParts, 'engine' | 'ledgers' | 'ends' | 'messages'> &
	Partial<Pick<AttemptParts, 'ledgers'>>;

/** The lease is extended by this time: dropping a large attempt takes a while, in which it is not renewed. */
const SETTLING_MS = 60_000;

/**
 * Records that an attempt failed: its job is either queued for a later attempt or ended with a report that says why.
 * `told` holds what the attempt reported before it failed, if that is to be in the report.
 */
export async function settleFailure(
	parts: SettlingParts,
	job: JobRow,
	error: unknown,
	told?: AttemptReport,
): Promise<Settlement> {
	const { database, clock = systemClock } = parts;
	const verdict = judgeFailure(error);
	const unexpected = verdict.isUnexpected ? { unexpected: error } : {};
	// The error may have come after a commit whose answer was lost. Updating the row waits for a commit in progress and
	// shows whether this attempt still owns the job; only then may its pages be dropped.
	const { claimed_by, attempts, lease_until } = job;
	const isOurs = await jobStore(database.knex).update(
		job.id,
		{ state: 'running', claimed_by, attempts },
		{ lease_until: Math.max(lease_until ?? 0, clock.now().getTime() + SETTLING_MS) },
	);
	if (!isOurs) {
		const isDone = (await jobStore(database.knex).findById(job.id))?.state === 'done';
		return { state: isDone ? 'done' : 'lost', ...unexpected };
	}
	try {
		await parts.ledgers?.drop(job);
	} catch (error) {
		if (error instanceof LeaseLostError) return { state: 'lost', ...unexpected };
		throw error;
	}
	const counted = countedAttempts(job);
	if (verdict.isRetryable && counted < parts.maxAttempts) {
		const at = clock.now().getTime();
		const nextRunAt = at + (parts.backoffMs ?? backoffMs)(counted);
		const error = { ...verdict.error, message: whyAgain(verdict.error.message) };
		const isQueued = await queueStore(database.knex, database.dialect).requeue(job, nextRunAt, { error, at });
		return { state: isQueued ? 'queued' : 'lost', error, ...unexpected };
	}
	return { state: await failJob(parts, job, verdict.error, told), error: verdict.error, ...unexpected };
}

/**
 * Rewords an error message for a job that gets another attempt. The messages are written for reports of failed jobs, so
 * some speak of every attempt; the reworded one speaks only of the attempt that has just failed.
 */
function whyAgain(message: string): string {
	return message.replace(' at every attempt', '').replace('ended every attempt', 'ended the attempt');
}

async function failJob(
	parts: SettlingParts,
	job: JobRow,
	error: JobError,
	told: AttemptReport = { book: new ReportBook(), hasCsv: false },
): Promise<'failed' | 'lost'> {
	const nowMs = (parts.clock ?? systemClock).now().getTime();
	const head = { job: failedDocument(job, error, nowMs), counts: null };
	const blobIds: string[] = [];
	const makeBlobId = () => {
		const id = makeUlid(nowMs);
		blobIds.push(id);
		return id;
	};
	try {
		const held = { ...parts, blobs: parts.blobs.holding() };
		const reports = await writeReports(held, reportFolder(job), head, { told, makeBlobId });
		await publishFailed(held, job, reports, { error, nowMs });
		return 'failed';
	} catch (cause) {
		// Unless the error says that the lease was lost, the commit may have happened although no answer came. The
		// blobs are then kept, because they may belong to a published report. If they do not, they are removed later as
		// orphans.
		if (!(cause instanceof LeaseLostError)) throw cause;
		for (const id of blobIds) await parts.blobs.remove(id).catch(() => {});
		return 'lost';
	}
}
