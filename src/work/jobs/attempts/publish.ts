// Ends a job as done or as failed, in one transaction: output, report, input and job are changed together or not at all.

import type { Knex } from 'knex';
import type { HoldingStore } from '../../../base/blobs/blob-store.ts';
import { writeHeld } from '../../../base/blobs/small-blobs.ts';
import { transact, transactAnew } from '../../../base/database/dialect.ts';
import { gathered, perDatabase } from '../../../base/database/gather.ts';
import type { Database } from '../../../base/database/open.ts';
import { recordEvents } from '../../../base/outbox/record-events.ts';
import type { Summary } from '../../../engine/report.ts';
import { removeUnnamedBlobs } from '../../drops/drop-blobs.ts';
import { failedName } from '../../drops/drop-names.ts';
import { type DropFile, dropStore, placeOf } from '../../drops/drop-store.ts';
import { inputFolder, inputStore, type JobDocument, type JobError, type JobRow, jobDocument } from '../job.ts';
import { jobStore } from '../job-store.ts';
import { LeaseLostError } from '../queue/lease-lost.ts';
import { lockNames } from '../queue/name-lock-store.ts';
import { lastFailure } from '../queue/queue-store.ts';
import type { OnFailed } from '../worker-parts.ts';
import { doneCounts, failedEvent } from './end-jobs.ts';
import { type Products, putReports, reportPlaces } from './put-reports.ts';

/** Returns the document of a job as it will be once the job is done, because its report is written before that. */
export function doneDocument(job: JobRow, summary: Summary, nowMs: number): JobDocument {
	return jobDocument({ ...job, ...doneCounts(summary), ...NO_ERROR, state: 'done', finished_at: nowMs });
}

export function failedDocument(job: JobRow, error: JobError, nowMs: number): JobDocument {
	return jobDocument({ ...job, ...failedChanges(error), finished_at: nowMs });
}

/**
 * Publishes the report of a failed job, ends the job, and keeps its input for a retry.
 * @throws LeaseLostError
 */
export async function publishFailed(
	parts: {
		database: Database;
		/** Holds the small blobs of the attempt in memory until the transaction that ends the job stores them. */
		blobs: HoldingStore;
		onFailed?: OnFailed;
	},
	job: JobRow,
	products: Products,
	failure: { readonly error: JobError; readonly nowMs: number },
): Promise<void> {
	const { error, nowMs } = failure;
	const { dialect } = parts.database;
	const obsolete = await transactAnew(parts.database, async (transaction) => {
		await endJob(transaction, job, { ...failedChanges(error), finished_at: nowMs });
		await lockNames(transaction, dialect, [job]);
		await writeHeld(transaction, [parts.blobs]);
		const present = await dropStore(transaction).listVisible(reportPlaces(job), dialect);
		const overtaken = await jobStore(transaction).listOvertaken([job]);
		const [{ added, replaced }] = await putReports(transaction, [{ job, products, nowMs }], present, overtaken);
		const inserted = await dropStore(transaction).insertAll(added);
		await jobStore(transaction).update(job.id, {}, { report_id: inserted.get(placeOf(added[0]))!.id });
		await keepFailedInput(transaction, job, nowMs);
		await recordEvents(transaction, [failedEvent(job, error)], nowMs);
		await parts.onFailed?.(job, error, transaction);
		return replaced;
	});
	await removeUnnamedBlobs(parts, obsolete);
}

/** Puts a failed job back into the queue with its kept input; false if it has not failed or its input is gone. */
export async function requeueFailed(
	database: Database,
	job: JobRow,
	nowMs: number,
	/** This function runs in the transaction that requeues the job, and may query only that transaction. */
	alongside?: (transaction: Knex.Transaction) => Promise<void>,
): Promise<boolean> {
	return transact(database, async (transaction) => {
		const taken = { state: 'accepted' as const, name: job.name };
		if (!(await dropStore(transaction).update(job.input_id, { state: 'failed' }, taken))) return false;
		const counts = { attempts: 0, crashes: 0, crashes_alone: 0 };
		const changes = { state: 'queued' as const, ...counts, next_run_at: nowMs, finished_at: null, ...NO_ERROR };
		const { error_reason: reason, error_message: message, finished_at: at } = job;
		const why = reason === null ? {} : lastFailure({ reason, message: message ?? '' }, at ?? nowMs);
		const isRequeued = await jobStore(transaction).update(job.id, { state: 'failed' }, { ...changes, ...why });
		if (!isRequeued) throw new Error(`internal error: job ${job.id} is not failed but its input is`);
		await alongside?.(transaction);
		return true;
	});
}

const NO_ERROR = {
	error_reason: null,
	error_message: null,
	error_code: null,
	error_parameters: null,
	error_offset: null,
	error_line: null,
	error_record: null,
};

function failedChanges({ reason, message, told, at }: JobError) {
	const place = { error_offset: at?.offset ?? null, error_line: at?.line ?? null, error_record: at?.record ?? null };
	const code = { error_code: told?.code ?? reason, error_parameters: JSON.stringify(told?.parameters ?? {}) };
	return { state: 'failed' as const, error_reason: reason, error_message: message, ...code, ...place };
}

/** Ends a job for the attempt that holds the claim. Call this first, because it locks the row of the job. */
async function endJob(transaction: Knex.Transaction, job: JobRow, changes: Partial<JobRow>): Promise<void> {
	const { claimed_by, attempts } = job;
	const released = { claimed_by: null, lease_until: null };
	const isOurs = await jobStore(transaction).update(
		job.id,
		{ state: 'running', claimed_by, attempts },
		{ ...changes, ...released },
	);
	if (!isOurs) throw new LeaseLostError(job);
}

/** Finds files by their ids. Jobs that begin at the same moment share one query for their inputs. */
const filesById = perDatabase(({ knex }: Database) =>
	gathered(async (ids: readonly number[]) => {
		const files = await dropStore(knex).listByIds(ids);
		return new Map(files.map((file) => [file.id, file]));
	}),
);

/** Returns the input file of a job, or undefined if it is gone or belongs to another account or area. */
export async function findInput(database: Database, job: JobRow): Promise<DropFile | undefined> {
	const file = await filesById(database)(job.input_id);
	const { accountId, area } = inputFolder(job);
	return file?.account_id === accountId && file.area === area ? file : undefined;
}

/**
 * Keeps the input of a job that has just failed. The newest input of a name is renamed to `<name>.failed`, and an older
 * one to a name with its job's id, so that its own name is free for a corrected file (shapes §10).
 */
export async function keepFailedInput(transaction: Knex.Transaction, job: JobRow, nowMs: number): Promise<void> {
	const store = dropStore(transaction);
	const plain = failedName(job.name);
	let name = plain;
	const giveOwnName = ({ id, job_id, blob_id }: DropFile) =>
		store.update(id, { state: 'failed', name: plain }, { name: failedName(job.name, job_id ?? blob_id) });
	for (const there of await store.listFailed(inputStore(job), plain)) {
		const other = there.job_id === null ? undefined : await jobStore(transaction).findById(there.job_id);
		if (other && other.seq > job.seq) name = failedName(job.name, job.id);
		// The update changes nothing if the earlier input has just been removed or its job is being retried.
		else await giveOwnName(there);
	}
	await store.update(job.input_id, { state: 'accepted' }, { state: 'failed', name, modified_at: nowMs });
}
