import type { AccountId, JobId } from '../../base/database/ids.ts';
import type { Told } from '../../base/errors.ts';
import { type Failure, failureOf } from '../../base/failures.ts';
import type { RowSeal } from '../../base/keys/rows/row-seals.ts';
import type { Direction } from '../../engine/format.ts';
import { heldFolder, OUTPUT_AREA } from '../drops/drop-names.ts';
import type { DropFolder, FilePlace } from '../drops/drop-store.ts';

export type JobState = 'queued' | 'running' | 'done' | 'failed';

/** A job processes one file. It may need several attempts, but only one of them takes effect. */
export interface JobRow extends RowSeal {
	readonly seq: number;
	readonly id: JobId;
	readonly account_id: AccountId;
	/** The user id of the sender; null if nobody logged in to send it. */
	readonly user_id: string | null;
	/** The route that has collected the file; null for an upload. */
	readonly route_id: string | null;
	readonly operation: Direction;
	readonly filter: string;
	readonly name: string;
	readonly options: string | null;
	readonly state: JobState;
	readonly input_id: number;
	readonly output_id: number | null;
	readonly report_id: number | null;
	readonly attempts: number;
	/** Counts the attempts that ended because their process or thread died; see `crashes.ts`. */
	readonly crashes: number;
	/** Counts those of them at which no other job ran beside it. */
	readonly crashes_alone: number;
	readonly claimed_by: string | null;
	readonly lease_until: number | null;
	readonly next_run_at: number;
	readonly bytes_read: number;
	readonly bytes_total: number;
	readonly cards: number;
	readonly refused: number;
	readonly warned: number;
	/** Counts the numbers that look like cards outside the card fields; known once the file is processed. */
	readonly other_numbers: number;
	/** Counts the security codes outside the card fields; known once the file is processed. */
	readonly other_codes: number;
	readonly summary: string | null;
	readonly error_reason: string | null;
	readonly error_message: string | null;
	/** The code of `src/base/failures.ts` for why the job failed, and its parameters as JSON. */
	readonly error_code: string | null;
	readonly error_parameters: string | null;
	readonly error_offset: number | null;
	readonly error_line: number | null;
	readonly error_record: number | null;
	/** The reason of the latest failure after which the job was queued again. */
	readonly last_reason: string | null;
	readonly last_message: string | null;
	readonly last_failed_at: number | null;
	readonly created_at: number;
	readonly started_at: number | null;
	readonly finished_at: number | null;
}

/** Tells why a job failed, and where in the file. It never contains content of the file. */
export interface JobError {
	readonly reason: string;
	readonly message: string;
	/** The same as a code with parameters; the reason stands for it if it is absent. It is in no report or answer. */
	readonly told?: Told;
	readonly at?: { readonly offset: number; readonly line?: number; readonly record?: number };
}

/** Describes a job as callers read it (shapes §11). */
export type JobDocument = ReturnType<typeof jobDocument>;

export function jobDocument(job: JobRow) {
	return {
		id: job.id,
		state: job.state,
		filter: job.filter,
		operation: job.operation,
		name: job.name,
		bytesRead: job.bytes_read,
		bytesTotal: job.bytes_total,
		cards: job.cards,
		refused: job.refused,
		warned: job.warned,
		otherNumbers: job.other_numbers,
		createdAt: new Date(job.created_at).toISOString(),
		finishedAt: job.finished_at === null ? null : new Date(job.finished_at).toISOString(),
		error: jobError(job),
	};
}

export type ListedJob = ReturnType<typeof listedJob>;

export function listedJob(job: JobRow, account: string) {
	const { last_reason: reason, last_message: message, last_failed_at: at } = job;
	return {
		...jobDocument(job),
		account,
		otherCodes: job.other_codes,
		attempts: job.attempts,
		/** The time when a waiting job may start; null for any other job. */
		nextAttemptAt: job.state === 'queued' ? new Date(job.next_run_at).toISOString() : null,
		/** The latest failure after which the job was queued again; null if there was none. */
		lastFailure: reason === null ? null : { reason, message: message ?? '', at: new Date(at ?? 0).toISOString() },
	};
}

function jobError(job: JobRow): JobError | null {
	if (job.error_reason === null) return null;
	const { error_offset: offset, error_line: line, error_record: record } = job;
	const place = { ...(line !== null && { line }), ...(record !== null && { record }) };
	return {
		reason: job.error_reason,
		message: job.error_message ?? '',
		...(offset !== null && { at: { offset, ...place } }),
	};
}

/** Returns why a job failed or waits, as a code with parameters and what to do next; undefined if it did neither. */
export function findFailure(job: JobRow): Failure | undefined {
	const { state, error_reason, error_code, error_parameters, last_reason } = job;
	if (error_reason !== null) {
		const parameters = JSON.parse(error_parameters ?? '{}') as Failure['parameters'];
		return failureOf({ code: error_code ?? error_reason, parameters });
	}
	return last_reason === null || state === 'done' ? undefined : failureOf({ code: last_reason });
}

export function inputFolder(job: JobRow): DropFolder {
	return { accountId: job.account_id, area: job.operation, filter: job.filter };
}

export function outputFolder(job: JobRow): DropFolder {
	return { accountId: job.account_id, area: OUTPUT_AREA[job.operation], filter: job.filter };
}

/** Returns the folder in which the input of a job is stored. The files of a route are stored in a folder that no door shows. */
export function inputStore(job: JobRow): DropFolder {
	return heldIf(job, inputFolder(job));
}

export function outputStore(job: JobRow): DropFolder {
	return heldIf(job, outputFolder(job));
}

function heldIf({ route_id }: JobRow, folder: DropFolder): DropFolder {
	return route_id === null ? folder : { ...folder, filter: heldFolder(folder.filter) };
}

export function reportFolder(job: JobRow): DropFolder {
	return { accountId: job.account_id, area: 'reports', filter: job.filter };
}

/** Returns the columns that say where a file is: those of its folder, and its name. */
export function placeIn({ accountId, area, filter }: DropFolder, name: string): FilePlace {
	return { account_id: accountId, area, filter, name };
}

/** The name of a job's own report has its id, so that the reports of all jobs of one file name are kept. */
export function reportName(job: Pick<JobRow, 'name' | 'id'>, ending: 'json' | 'csv'): string {
	return `${job.name}.${job.id}.${ending}`;
}

/** Returns the second name of a report, under which the report of the newest upload of a file name is found. */
export function latestReportName(job: JobRow, ending: 'json' | 'csv'): string {
	return `${job.name}.${ending}`;
}
