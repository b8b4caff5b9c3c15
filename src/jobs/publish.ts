// Ends a job in one of two ways, each in one transaction: output, report, input and job are changed together or not at
// all.

import type { Knex } from 'knex';
import { REFUSALS } from '../card/verdict.ts';
import { transact, transactAnew } from '../database/dialect.ts';
import type { Database } from '../database/open.ts';
import type { HoldingStore } from '../drops/blob-store.ts';
import { type DropFile, dropStore, type NewDropFile } from '../drops/drop-store.ts';
import { removeUnnamedBlobs } from '../drops/remove-blobs.ts';
import type { SpoolRooms } from '../drops/spool.ts';
import type { Summary } from '../transfer/report.ts';
import { keepFailedInput, takeBackInput } from './failed-input.ts';
import { inputFolder, type JobDocument, type JobError, type JobRow, jobDocument, outputFolder } from './job.ts';
import { jobStore } from './job-store.ts';
import { lockName } from './name-lock-store.ts';
import { outputName } from './output-name.ts';
import { putReports } from './put-reports.ts';
import { lastFailure } from './queue-store.ts';
import type { CountedText } from './report-book.ts';
import type { AttemptRooms, JobLedger } from './rooms.ts';

/**
 * This error is thrown if the job no longer belongs to this attempt, because its lease ran out or another attempt ended
 * it. Nothing was published.
 */
export class LeaseLostError extends Error {
	override readonly name = 'LeaseLostError';
	constructor(job: JobRow) {
		super(`job ${job.id} is no longer this daemon's`);
	}
}

/** Describes a finished sealed file and its name. */
export interface Product {
	readonly blobId: string;
	readonly size: number;
	/** For an output with CVVs, the time when the first of their policies ends. */
	readonly expiresAt?: number;
}

export interface Products {
	readonly output?: Product;
	readonly jsonReport: Product;
	readonly csvReport?: Product;
}

interface PublishRooms extends SpoolRooms {
	readonly database: Database;
	/** Holds the new blobs of the attempt. */
	readonly blobs: HoldingStore;
}

/** Returns the finished job, because the report shows it before it is written. */
export function doneDocument(job: JobRow, summary: Summary, nowMs: number): JobDocument {
	return jobDocument({ ...job, ...doneChanges(summary), state: 'done', finished_at: nowMs });
}

/** Returns the failed job. */
export function failedDocument(job: JobRow, error: JobError, nowMs: number): JobDocument {
	return jobDocument({ ...job, ...failedChanges(error), finished_at: nowMs });
}

/**
 * Publishes the output, ends the job and its ledger, and removes the input.
 * @throws LeaseLostError
 */
export async function publishDone(
	rooms: PublishRooms & Pick<AttemptRooms, 'transactions'>,
	job: JobRow,
	products: Products & { readonly output: Product },
	result: {
		readonly summary: Summary;
		/** Why cards were refused, as the report counts it. */
		readonly refusals?: readonly Pick<CountedText, 'text' | 'cards'>[];
		readonly nowMs: number;
		readonly ledger: JobLedger;
	},
): Promise<void> {
	const { summary, refusals = [], nowMs, ledger } = result;
	const { cards, refused, otherNumbers } = summary;
	const pass = {
		...{ cards, details: { refused, ...refusedFor(refusals) } },
		others: { filter: job.filter, otherNumbers },
	};
	let obsolete: string[] = [];
	const publish = async (transaction: Knex.Transaction) => {
		await endJob(transaction, job, { ...doneChanges(summary), finished_at: nowMs });
		await lockName(transaction, rooms.database.dialect, job);
		await rooms.blobs.write(transaction);
		const result = await outputFile(transaction, job, products.output, nowMs);
		const { added, replaced } = await putReports(transaction, job, products, nowMs);
		const [output, report] = await dropStore(transaction).insertAll([result, ...added]);
		await jobStore(transaction).update(job.id, {}, { output_id: output.id, report_id: report.id });
		const input = await dropStore(transaction).take(job.input_id);
		obsolete = await rooms.blobs.removeWithin(transaction, input === undefined ? replaced : [input, ...replaced]);
	};
	await rooms.transactions.run({
		order: `${job.account_id}/${job.filter}/${job.name}`,
		steps: [
			publish,
			(transaction) => ledger.settle(pass, transaction),
			(transaction) => ledger.record(pass, transaction),
		],
	});
	await removeUnnamedBlobs(rooms, obsolete);
}

/** Names the reasons for the audit trail as `luhn 3, expired 1`; their texts are in the report. */
function refusedFor(refusals: readonly Pick<CountedText, 'text' | 'cards'>[]): { reasons?: string } {
	const names = new Map<string, string>(Object.entries(REFUSALS).map(([name, text]) => [text, name]));
	const reasons = refusals.flatMap(({ text, cards }) => {
		const name = names.get(text);
		return name === undefined ? [] : `${name} ${cards}`;
	});
	return reasons.length === 0 ? {} : { reasons: reasons.join(', ') };
}

/**
 * Publishes why the job failed and keeps its input for a retry.
 * @throws LeaseLostError
 */
export async function publishFailed(
	rooms: PublishRooms & Pick<AttemptRooms, 'onFailed'>,
	job: JobRow,
	products: Products,
	failure: { readonly error: JobError; readonly nowMs: number },
): Promise<void> {
	const { error, nowMs } = failure;
	const obsolete = await transactAnew(rooms.database, async (transaction) => {
		await endJob(transaction, job, { ...failedChanges(error), finished_at: nowMs });
		await lockName(transaction, rooms.database.dialect, job);
		await rooms.blobs.write(transaction);
		const { added, replaced } = await putReports(transaction, job, products, nowMs);
		const [report] = await dropStore(transaction).insertAll(added);
		await jobStore(transaction).update(job.id, {}, { report_id: report.id });
		await keepFailedInput(transaction, job, nowMs);
		await rooms.onFailed?.(job, error, transaction);
		return replaced;
	});
	await removeUnnamedBlobs(rooms, obsolete);
}

/**
 * Puts a failed job back into the queue with its kept input; returns false if it has not failed or its input is gone.
 */
export async function requeueFailed(
	database: Database,
	job: JobRow,
	nowMs: number,
	/** This function runs in the same transaction; only the transaction may be queried inside. */
	alongside?: (transaction: Knex.Transaction) => Promise<void>,
): Promise<boolean> {
	return transact(database, async (transaction) => {
		if (!(await takeBackInput(transaction, job))) return false;
		const changes = { state: 'queued' as const, attempts: 0, next_run_at: nowMs, finished_at: null, ...NO_ERROR };
		const { error_reason: reason, error_message: message, finished_at: at } = job;
		const why = reason === null ? {} : lastFailure({ reason, message: message ?? '' }, at ?? nowMs);
		const isRequeued = await jobStore(transaction).update(job.id, { state: 'failed' }, { ...changes, ...why });
		if (!isRequeued) throw new Error(`internal error: job ${job.id} is not failed but its input is`);
		await alongside?.(transaction);
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
		other_codes: summary.otherCodes,
	};
	return { state: 'done' as const, ...counts, ...NO_ERROR, summary: JSON.stringify(summary) };
}

function failedChanges({ reason, message, at }: JobError) {
	const place = { error_offset: at?.offset ?? null, error_line: at?.line ?? null, error_record: at?.record ?? null };
	return { state: 'failed' as const, error_reason: reason, error_message: message, ...place };
}

/**
 * Ends a job. Only the attempt that holds the claim may do so. This comes first in the transaction, so that the row is
 * locked.
 */
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

/** Describes the output, under its job's name or, if a later upload has that, under a name with the job's id. */
async function outputFile(
	transaction: Knex.Transaction,
	job: JobRow,
	{ blobId, size, expiresAt }: Product,
	nowMs: number,
): Promise<NewDropFile> {
	const { accountId, area, filter } = outputFolder(job);
	return {
		...{ account_id: accountId, area, filter, name: await outputName(transaction, job), state: 'ready' },
		...{ blob_id: blobId, size, job_id: job.id, created_at: nowMs, modified_at: nowMs },
		...{ created_by: null, writer: null, held_by: null, held_until: null, expires_at: expiresAt ?? null },
	};
}

/** Returns the input file of a job in its folder. */
export async function findInput(database: Database, job: JobRow): Promise<DropFile | undefined> {
	const file = await dropStore(database.knex).findById(job.input_id);
	const { accountId, area } = inputFolder(job);
	return file?.account_id === accountId && file.area === area ? file : undefined;
}
