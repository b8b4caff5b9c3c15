// Turns a complete upload into a job. A second file of the same name becomes a job of its own: it waits until the first has
// ended (queue/claim-store.ts), and the earlier output gives up its name to it (output-name.ts).

import type { Knex } from 'knex';
import { type Clock, systemClock } from '../../base/clock.ts';
import { transact, transactAnew } from '../../base/database/dialect.ts';
import type { JobId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { makeUlid } from '../../base/database/ulid.ts';
import type { RowSeal } from '../../base/keys/rows/row-seals.ts';
import { removeUnnamedBlobs } from '../drops/drop-blobs.ts';
import type { InputArea } from '../drops/drop-names.ts';
import { type DropFile, dropStore } from '../drops/drop-store.ts';
import type { Drops, SealedUpload } from '../drops/drops.ts';
import { type Upload, UploadError } from '../drops/upload.ts';
import { requeueFailed } from './attempts/publish.ts';
import type { JobRow } from './job.ts';
import { jobStore, sealedJobs } from './job-store.ts';
import { clearOutputNames, clearReportNames } from './output-name.ts';
import { lockNames } from './queue/name-lock-store.ts';

export interface IntakeOptions {
	readonly database: Database;
	readonly drops: Drops;
	readonly clock?: Clock;
	/** Called once a job is durable, so that the job starts before the next regular check of the queue. */
	readonly onAccepted?: (job: JobRow) => void;
}

export interface Acceptance {
	readonly name?: string;
	/** The options that apply to this job only. */
	readonly options?: unknown;
	/** The file that had the final name before. It is removed in the transaction that stores the job. */
	readonly replaces?: DropFile;
	/** The route that has collected the file; its folder is then the one for files of routes. */
	readonly route?: { readonly id: string; readonly filter: string };
	/** Work of the caller that runs in the transaction that stores the job. */
	readonly alongside?: (job: JobRow, transaction: Knex.Transaction) => Promise<void>;
}

/** Turns a complete upload into a job. Once the upload is acknowledged, it will be processed even after a crash. */
export type Intake = ReturnType<typeof openIntake>;

export function openIntake({ database, drops, clock = systemClock, onAccepted }: IntakeOptions) {
	/**
	 * Stores the file, its job and the bytes of a small upload in one transaction, so that none exists without the others.
	 * An earlier output with the same name is renamed in that transaction, and an earlier report too, so that a client that
	 * later finds an output or a report under the name gets the one of this file.
	 */
	const enqueue = async (
		file: DropFile,
		{ name = file.name, options, replaces, route, alongside }: Acceptance,
		sealed?: SealedUpload,
	): Promise<JobRow> => {
		const now = clock.now().getTime();
		const id = makeUlid(now) as JobId;
		const sealer = await drops.store.keyRing.seals.sealer();
		const job = await transactAnew(database, async (transaction) => {
			const filter = route?.filter ?? file.filter;
			await lockNames(transaction, database.dialect, [{ ...file, filter, name }]);
			if (replaces)
				await dropStore(transaction).remove(replaces.id, { state: replaces.state, blob_id: replaces.blob_id });
			const changes = { name, size: file.size, job_id: id, modified_at: now };
			const released = { state: 'accepted' as const, writer: null, held_by: null, held_until: null };
			const isOurs = await dropStore(transaction).update(
				file.id,
				{ writer: file.writer, blob_id: file.blob_id, state: 'receiving' },
				{ ...changes, ...released },
			);
			if (!isOurs) throw new UploadError('superseded', 'another upload of the same name has taken over');
			await sealed?.storeWithin(transaction);
			const row = { ...newJob(id, { ...file, filter, name }, options, now), route_id: route?.id ?? null };
			const inserted = await jobStore(transaction).insert({ ...row, ...sealer.seal(sealedJobs, row) });
			await clearOutputNames(transaction, database.dialect, inserted);
			await clearReportNames(transaction, database.dialect, inserted);
			await alongside?.(inserted, transaction);
			return inserted;
		});
		if (replaces) await removeUnnamedBlobs({ database, blobs: drops.store.blobs }, [replaces.blob_id]);
		onAccepted?.(job);
		return job;
	};
	return {
		/**
		 * Seals an upload and accepts it. If this throws, nothing is accepted and the upload stays paused.
		 * @throws UploadError and the errors of store and database
		 */
		async accept(upload: Upload, acceptance: Acceptance = {}): Promise<JobRow> {
			let sealed: SealedUpload;
			try {
				sealed = await drops.seal(upload);
			} catch (error) {
				await drops.pause(upload).catch(() => {});
				throw error;
			}
			let job: JobRow;
			try {
				job = await enqueue(sealed.file, acceptance, sealed);
			} catch (error) {
				await drops.settle(sealed, false).catch(() => {});
				throw error;
			}
			await drops.settle(sealed, true);
			return job;
		},
		/** Accepts a paused upload under the final name that `acceptance` contains. */
		async acceptPartial(file: DropFile, acceptance: Acceptance): Promise<JobRow> {
			const finished = await drops.finishPartial(file);
			try {
				return await enqueue(finished, acceptance);
			} catch (error) {
				await drops.release(finished).catch(() => {});
				throw error;
			}
		},
		/** Removes an accepted file with its job, unless the job has begun; it then ends as usual. */
		async withdraw(file: DropFile): Promise<void> {
			const isWithdrawn = await transact(database, async (transaction) => {
				if (!(await jobStore(transaction).removeQueued(file.job_id!))) return false;
				return dropStore(transaction).remove(file.id, { state: 'accepted', job_id: file.job_id });
			});
			if (isWithdrawn) await removeUnnamedBlobs({ database, blobs: drops.store.blobs }, [file.blob_id]);
		},
		/** Accepts a failed job again with its kept input; returns false if it has not failed or the input is gone. */
		async retry(job: JobRow, alongside?: (transaction: Knex.Transaction) => Promise<void>): Promise<boolean> {
			const isQueued = await requeueFailed(database, job, clock.now().getTime(), alongside);
			if (isQueued) onAccepted?.(job);
			return isQueued;
		},
	};
}

function newJob(
	id: JobId,
	file: DropFile,
	options: unknown,
	now: number,
): Omit<JobRow, 'seq' | 'route_id' | keyof RowSeal> {
	const ends = { started_at: null, finished_at: null, output_id: null, report_id: null, summary: null };
	const why = { error_reason: null, error_message: null, error_code: null, error_parameters: null };
	const error = { ...why, error_offset: null, error_line: null, error_record: null };
	const last = { last_reason: null, last_message: null, last_failed_at: null };
	const counts = {
		cards: 0,
		refused: 0,
		warned: 0,
		other_numbers: 0,
		other_codes: 0,
		bytes_read: 0,
		bytes_total: file.size,
	};
	return {
		id,
		account_id: file.account_id,
		user_id: file.created_by,
		operation: file.area as InputArea,
		filter: file.filter,
		name: file.name,
		input_id: file.id,
		state: 'queued',
		created_at: now,
		next_run_at: now,
		options: options === undefined ? null : JSON.stringify(options),
		attempts: 0,
		crashes: 0,
		crashes_alone: 0,
		claimed_by: null,
		lease_until: null,
		...ends,
		...error,
		...last,
		...counts,
	};
}
