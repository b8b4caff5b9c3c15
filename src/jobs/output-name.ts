// Chooses the names of outputs. If a name was uploaded several times (shapes §10), the output of the newest upload gets
// the name, and every other output a name with the id of its job. An output is never overwritten.

import type { Knex } from 'knex';
import { nameOfJob } from '../drops/drop-names.ts';
import { type DropFolder, dropStore } from '../drops/drop-store.ts';
import { type JobRow, outputFolder } from './job.ts';
import { jobStore } from './job-store.ts';

/**
 * Frees a name in a folder by renaming the output that has it to a name with its job's id. Call this while holding the
 * lock of the name.
 */
export async function makeRoom(transaction: Knex.Transaction, folder: DropFolder, name: string): Promise<void> {
	const store = dropStore(transaction);
	for (;;) {
		const there = await store.findVisible(folder, name);
		if (!there) return;
		// The update does nothing if a client renames or removes the output at this moment; the output is then looked up
		// again.
		const own = await findFreeName(transaction, folder, nameOfJob(name, there.job_id ?? there.blob_id));
		await store.update(there.id, { state: there.state, blob_id: there.blob_id, name }, { name: own });
	}
}

/**
 * Returns a free name for the output of a job. If a later upload of the same name was accepted, the job's output gets a
 * name with the id of the job. Call this while holding the lock of the name.
 */
export async function outputName(transaction: Knex.Transaction, job: JobRow): Promise<string> {
	const folder = outputFolder(job);
	if ((await jobStore(transaction).listOvertaken([job])).has(job.id))
		return findFreeName(transaction, folder, nameOfJob(job.name, job.id));
	// The name is in use only if a client has renamed an output to it since the upload was accepted.
	await makeRoom(transaction, folder, job.name);
	return job.name;
}

/**
 * Returns the wanted name or, if a file already has it, that name with a number. The wanted name contains a job's id, so
 * another file has it only if a client has renamed a file to it or uploaded one under it.
 */
async function findFreeName(transaction: Knex.Transaction, folder: DropFolder, wanted: string): Promise<string> {
	const store = dropStore(transaction);
	for (let number = 1; ; number++) {
		const name = number === 1 ? wanted : nameOfJob(wanted, String(number));
		if (!(await store.findVisible(folder, name))) return name;
	}
}
