import { systemClock } from '../clock.ts';
import { makeUlid } from '../drops/ulid.ts';
import { type AttemptReport, writeReports } from './attempt-report.ts';
import { type JobError, type JobRow, reportFolder } from './job.ts';
import { jobStore } from './job-store.ts';
import { failedDocument, LeaseLostError, publishFailed } from './publish.ts';
import { queueStore } from './queue-store.ts';
import { ReportBook } from './report-book.ts';
import { backoffMs, judgeFailure } from './retry.ts';
import type { AttemptRooms } from './rooms.ts';

/** What became of an attempt. `lost`: the job was not this daemon's any more, and nothing was changed. */
export interface Settlement {
	readonly state: 'done' | 'failed' | 'queued' | 'lost';
	/** Why the attempt failed; of one that is tried again as well. */
	readonly error?: JobError;
	/** Present when the cause was a bug: to be logged, and its worker to be replaced. */
	readonly unexpected?: unknown;
}

/** Settling needs no engine where a dead worker took it along: the next attempt drops what was left. */
export type SettleRooms = Omit<AttemptRooms, 'engine'> & Partial<Pick<AttemptRooms, 'engine'>>;

/** Dropping the pages of a large attempt takes a while, and nobody renews the lease meanwhile. */
const SETTLING_MS = 60_000;

/**
 * Decides over a job whose attempt failed: another attempt later, or the end with a report that says why. `told` is what the
 * attempt found in the file before it failed, where that is to be reported.
 */
export async function settleFailure(
	rooms: SettleRooms,
	job: JobRow,
	error: unknown,
	told?: AttemptReport,
): Promise<Settlement> {
	const { database, clock = systemClock } = rooms;
	const verdict = judgeFailure(error);
	const unexpected = verdict.isUnexpected ? { unexpected: error } : {};
	// The error may have come after a commit whose answer was lost. Touching the row waits for one still under way, and
	// says whether the job is this attempt's to settle; only then may its pages be dropped.
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
	await rooms.engine?.discard(job.id);
	if (verdict.isRetryable && job.attempts < rooms.maxAttempts) {
		const at = clock.now().getTime();
		const nextRunAt = at + (rooms.backoffMs ?? backoffMs)(job.attempts);
		const error = { ...verdict.error, message: whyAgain(verdict.error.message) };
		const isQueued = await queueStore(database.knex, database.dialect).requeue(job, nextRunAt, { error, at });
		return { state: isQueued ? 'queued' : 'lost', error, ...unexpected };
	}
	return { state: await failJob(rooms, job, verdict.error, told), error: verdict.error, ...unexpected };
}

/** The texts are made for the end, when no attempt is left. */
function whyAgain(message: string): string {
	return message.replace(' on every attempt', '').replace('ended every attempt', 'ended the attempt');
}

async function failJob(
	rooms: SettleRooms,
	job: JobRow,
	error: JobError,
	told: AttemptReport = { book: new ReportBook(), hasCsv: false },
): Promise<'failed' | 'lost'> {
	const nowMs = (rooms.clock ?? systemClock).now().getTime();
	const head = { job: failedDocument(job, error, nowMs), counts: null };
	const blobIds: string[] = [];
	const makeBlobId = () => {
		const id = makeUlid(nowMs);
		blobIds.push(id);
		return id;
	};
	try {
		const reports = await writeReports(rooms, reportFolder(job), head, { told, makeBlobId });
		await publishFailed(rooms, job, reports, { error, nowMs });
		return 'failed';
	} catch (cause) {
		// Any other failure may hide a commit that happened: the blobs then are the report's, or orphans to be swept.
		if (!(cause instanceof LeaseLostError)) throw cause;
		for (const id of blobIds) await rooms.blobs.remove(id).catch(() => {});
		return 'lost';
	}
}
