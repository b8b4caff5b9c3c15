// Several outputs can belong to one name (shapes §10): that of the newest upload has the name, every other output is
// named after its job. Nothing here overwrites an output.

import type { Knex } from 'knex';
import { nameOfJob } from '../drops/drop-names.ts';
import { type DropFolder, dropStore } from '../drops/drop-store.ts';
import { type JobRow, outputFolder } from './job.ts';
import { jobStore } from './job-store.ts';

/** Frees a name by naming the present output after its job. Call this with the name's lock. */
export async function makeRoom(transaction: Knex.Transaction, folder: DropFolder, name: string): Promise<void> {
	const store = dropStore(transaction);
	for (;;) {
		const there = await store.findVisible(folder, name);
		if (!there) return;
		// A client may rename or remove the output at this moment; then it is looked up again.
		const own = await findFreeName(transaction, folder, nameOfJob(name, there.job_id ?? there.blob_id));
		await store.update(there.id, { state: there.state, blob_id: there.blob_id, name }, { name: own });
	}
}

/**
 * Returns a free name for the output of a job. A job that ends after a later upload of its name was accepted does not
 * get the name itself. Call this with the name's lock.
 */
export async function outputName(transaction: Knex.Transaction, job: JobRow): Promise<string> {
	const folder = outputFolder(job);
	if ((await jobStore(transaction).listOvertaken([job])).has(job.id))
		return findFreeName(transaction, folder, nameOfJob(job.name, job.id));
	// The name can only be taken if a client has renamed an output to it since the upload was accepted.
	await makeRoom(transaction, folder, job.name);
	return job.name;
}

/**
 * Returns a name that is free. The job's own name can only be taken if a client has renamed a file to it or uploaded
 * one under it.
 */
async function findFreeName(transaction: Knex.Transaction, folder: DropFolder, wanted: string): Promise<string> {
	const store = dropStore(transaction);
	for (let number = 1; ; number++) {
		const name = number === 1 ? wanted : nameOfJob(wanted, String(number));
		if (!(await store.findVisible(folder, name))) return name;
	}
}
