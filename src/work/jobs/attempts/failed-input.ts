// The input of a failed job gets another name, so that its own name is free for a corrected file (shapes §10).

import type { Knex } from 'knex';
import { failedName } from '../../drops/drop-names.ts';
import { type DropFile, dropStore } from '../../drops/drop-store.ts';
import { inputStore, type JobRow } from '../job.ts';
import { jobStore } from '../job-store.ts';

/**
 * Keeps the input of a job that has just failed. The newest input of a name is renamed to `<name>.failed`, and an older
 * one to a name with its job's id.
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

/**
 * Renames the input back to its own name to be processed again; returns false if it is gone or its job did not fail.
 */
export async function takeBackInput(transaction: Knex.Transaction, job: JobRow): Promise<boolean> {
	return dropStore(transaction).update(job.input_id, { state: 'failed' }, { state: 'accepted', name: job.name });
}
