// The two ends of a job, each one transaction: output, report, input and job change together or not at all.

import type { Knex } from 'knex';
import { isUniqueViolation, transact } from '../database/dialect.ts';
import type { Database } from '../database/open.ts';
import { type DropFile, type DropFolder, dropStore } from '../drops/drop-store.ts';
import type { SpoolRooms } from '../drops/spool.ts';
import type { TransferEngine } from '../transfer/engine.ts';
import type { Summary } from '../transfer/report.ts';
import {
	inputFolder,
	type JobDocument,
	type JobError,
	type JobRow,
	jobDocument,
	outputFolder,
	reportFolder,
	reportName,
} from './job.ts';
import { jobStore } from './job-store.ts';

/** The job is not this attempt's any more: its lease ran out, or somebody else ended it. Nothing was published. */
export class LeaseLostError extends Error {
	override readonly name = 'LeaseLostError';
	constructor(job: JobRow) {
		super(`job ${job.id} is no longer this daemon's`);
	}
}

/** A finished sealed file, and what it is to be called. */
export interface Product {
	readonly blobId: string;
	readonly size: number;
}

export interface Products {
	readonly output?: Product;
	readonly jsonReport: Product;
	readonly csvReport?: Product;
}

interface PublishRooms extends SpoolRooms {
	readonly database: Database;
	readonly engine: TransferEngine;
}

/** How a finished job will read: the report shows it before it is so. */
export function doneDocument(job: JobRow, summary: Summary, nowMs: number): JobDocument {
	return jobDocument({ ...job, ...doneChanges(summary), state: 'done', finished_at: nowMs });
}

/** How a failed job will read. */
export function failedDocument(job: JobRow, error: JobError, nowMs: number): JobDocument {
	return jobDocument({ ...job, ...failedChanges(error), finished_at: nowMs });
}

/** Shows the output, ends the job, makes its pages count and lets the input go. @throws LeaseLostError */
export async function publishDone(
	rooms: PublishRooms,
	job: JobRow,
	products: Products & { readonly output: Product },
	result: { readonly summary: Summary; readonly nowMs: number },
): Promise<void> {
	const { summary, nowMs } = result;
	const obsolete = await transactAnew(rooms.database, async (transaction) => {
		await endJob(transaction, job, { ...doneChanges(summary), finished_at: nowMs });
		const output = await putReady(transaction, job, outputFolder(job), job.name, products.output, nowMs);
		const { report, replaced } = await putReports(transaction, job, products, nowMs);
		await jobStore(transaction).update(job.id, {}, { output_id: output.file.id, report_id: report.id });
		const input = await dropStore(transaction).findById(job.input_id);
		if (input) await dropStore(transaction).remove(input.id);
		await rooms.engine.adopt(transaction, job.id);
		return [output.replaced, input?.blob_id, ...replaced];
	});
	await removeBlobs(rooms, obsolete);
}

/** Shows why the job failed and keeps its input for a retry. @throws LeaseLostError */
export async function publishFailed(
	rooms: Omit<PublishRooms, 'engine'>,
	job: JobRow,
	products: Products,
	failure: { readonly error: JobError; readonly nowMs: number },
): Promise<void> {
	const { error, nowMs } = failure;
	const obsolete = await transactAnew(rooms.database, async (transaction) => {
		await endJob(transaction, job, { ...failedChanges(error), finished_at: nowMs });
		const { report, replaced } = await putReports(transaction, job, products, nowMs);
		await jobStore(transaction).update(job.id, {}, { report_id: report.id });
		const kept = { state: 'failed' as const, modified_at: nowMs };
		await dropStore(transaction).update(job.input_id, { state: 'accepted' }, kept);
		return replaced;
	});
	await removeBlobs(rooms, obsolete);
}

/** A failed job goes back into the queue with its kept input; false when it is not failed or its input is gone. */
export async function requeueFailed(database: Database, job: JobRow, nowMs: number): Promise<boolean> {
	return transact(database, async (transaction) => {
		const isKept = await dropStore(transaction).update(job.input_id, { state: 'failed' }, { state: 'accepted' });
		if (!isKept) return false;
		const changes = { state: 'queued' as const, attempts: 0, next_run_at: nowMs, finished_at: null, ...NO_ERROR };
		const isRequeued = await jobStore(transaction).update(job.id, { state: 'failed' }, changes);
		if (!isRequeued) throw new Error(`internal error: job ${job.id} is not failed but its input is`);
		return true;
	});
}

const NO_ERROR = { error_reason: null, error_message: null, error_offset: null, error_line: null, error_record: null };

function doneChanges(summary: Summary) {
	const counts = {
		bytes_read: summary.bytesRead,
		cards: summary.cards,
		refused: summary.refused,
		warned: summary.warned,
		other_numbers: summary.otherNumbers,
	};
	return { state: 'done' as const, ...counts, ...NO_ERROR, summary: JSON.stringify(summary) };
}

function failedChanges({ reason, message, at }: JobError) {
	const place = { error_offset: at?.offset ?? null, error_line: at?.line ?? null, error_record: at?.record ?? null };
	return { state: 'failed' as const, error_reason: reason, error_message: message, ...place };
}

const PUBLISH_TRIES = 3;

/** Again when a client took a name in between, by renaming a file to it: the next look finds and replaces that one. */
async function transactAnew<T>(database: Database, work: (transaction: Knex.Transaction) => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		try {
			return await transact(database, work);
		} catch (error) {
			if (!isUniqueViolation(error) || tries === PUBLISH_TRIES) throw error;
		}
	}
}

/** The fence: only the attempt that holds the claim ends the job, and first of all, so that the row is locked. */
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

async function putReports(transaction: Knex.Transaction, job: JobRow, products: Products, nowMs: number) {
	const folder = reportFolder(job);
	const json = await putReady(transaction, job, folder, reportName(job, 'json'), products.jsonReport, nowMs);
	const replaced = [json.replaced];
	if (products.csvReport) {
		const csv = await putReady(transaction, job, folder, reportName(job, 'csv'), products.csvReport, nowMs);
		replaced.push(csv.replaced);
	}
	return { report: json.file, replaced };
}

/** Puts a file under its name in place of an older one, whose blob is returned. */
async function putReady(
	transaction: Knex.Transaction,
	job: JobRow,
	folder: DropFolder,
	name: string,
	product: Product,
	nowMs: number,
): Promise<{ file: DropFile; replaced: string | undefined }> {
	const store = dropStore(transaction);
	const older = await store.findVisible(folder, name);
	if (older) await store.remove(older.id);
	const unheld = { created_by: null, writer: null, held_by: null, held_until: null };
	const file = await store.insert({
		...{ account_id: folder.accountId, area: folder.area, filter: folder.filter, name, state: 'ready' },
		...{ blob_id: product.blobId, size: product.size, job_id: job.id, created_at: nowMs, modified_at: nowMs },
		...unheld,
	});
	return { file, replaced: older?.blob_id };
}

/** After the commit; what stays behind by a failure is swept up as an orphan. */
async function removeBlobs(rooms: SpoolRooms, ids: readonly (string | undefined)[]): Promise<void> {
	for (const id of ids) if (id !== undefined) await rooms.blobs.remove(id).catch(() => {});
}

/** The input as it lies in its folder. */
export async function findInput(database: Database, job: JobRow): Promise<DropFile | undefined> {
	const file = await dropStore(database.knex).findById(job.input_id);
	const { accountId, area } = inputFolder(job);
	return file?.account_id === accountId && file.area === area ? file : undefined;
}
