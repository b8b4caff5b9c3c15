// Chooses the names of outputs, and frees those of earlier outputs and reports. If a name was uploaded several times (shapes §10), the output of the newest upload gets
// the name, and every other output a name with the id of its job. An output is never overwritten.

import type { Knex } from 'knex';
import type { Dialect } from '../../base/database/dialect.ts';
import type { JobId } from '../../base/database/ids.ts';
import { otherOutputName } from '../../base/openpgp/message-names.ts';
import { nameWith } from '../drops/drop-names.ts';
import { type DropFolder, dropStore, placeOf } from '../drops/drop-store.ts';
import { type JobRow, latestReportName, outputStore, placeIn, reportFolder, reportName } from './job.ts';
import { jobStore } from './job-store.ts';

/**
 * Frees a name in a folder by renaming the output that has it to a name with its job's id. Call this while holding the
 * lock of the name.
 */
export async function clearName(transaction: Knex.Transaction, folder: DropFolder, name: string): Promise<void> {
	const store = dropStore(transaction);
	for (;;) {
		const there = await store.findVisible(folder, name);
		if (!there) return;
		// The update does nothing if a client renames or removes the output at this moment; the output is then looked up
		// again.
		const own = await findFreeName(transaction, folder, nameWith(name, there.job_id ?? there.blob_id));
		await store.update(there.id, { state: there.state, blob_id: there.blob_id, name }, { name: own });
	}
}

/**
 * Frees the names of the latest report for the job of a new upload. The earlier report keeps its name with the id of its
 * job. Call this while holding the lock of the name.
 */
export async function clearReportNames(transaction: Knex.Transaction, dialect: Dialect, job: JobRow): Promise<void> {
	const store = dropStore(transaction);
	const folder = reportFolder(job);
	const endings = ['json', 'csv'] as const;
	const places = endings.map((ending) => placeIn(folder, latestReportName(job, ending)));
	const there = await store.listVisible(places, dialect);
	for (const [nth, ending] of endings.entries()) {
		const latest = there.get(placeOf(places[nth]));
		if (!latest) continue;
		const name = reportName({ name: job.name, id: latest.job_id ?? (latest.blob_id as JobId) }, ending);
		const own = await store.findVisible(folder, name);
		const expected = { blob_id: latest.blob_id, name: latest.name };
		// The bytes stay under the name with the id. If a client has removed that name, the report gets it again.
		if (own?.blob_id === latest.blob_id) await store.remove(latest.id, expected);
		else await store.update(latest.id, expected, { name: await findFreeName(transaction, folder, name) });
	}
}

/**
 * Frees every name that the output of a job may get, so that a client that later finds an output under one of them gets
 * that of this job. The outputs of files with another name keep theirs.
 */
export async function clearOutputNames(transaction: Knex.Transaction, dialect: Dialect, job: JobRow): Promise<void> {
	const folder = outputStore(job);
	const other = otherOutputName(job.name);
	const there = await dropStore(transaction).listVisible(
		[job.name, other].map((name) => placeIn(folder, name)),
		dialect,
	);
	if (there.has(placeOf(placeIn(folder, job.name)))) await clearName(transaction, folder, job.name);
	const jobId = there.get(placeOf(placeIn(folder, other)))?.job_id;
	const earlier = jobId == null ? undefined : await jobStore(transaction).findById(jobId);
	if (earlier?.name === job.name) await clearName(transaction, folder, other);
}

/**
 * Returns a free name for the output of a job, if possible the wanted one. If a later upload of the same name was accepted, the job's output gets a
 * name with the id of the job. Call this while holding the lock of the name.
 */
export async function outputName(transaction: Knex.Transaction, job: JobRow, wanted: string): Promise<string> {
	const folder = outputStore(job);
	if ((await jobStore(transaction).listOvertaken([job])).outputs.has(job.id))
		return findFreeName(transaction, folder, nameWith(wanted, job.id));
	// The name is in use only if a client has renamed an output to it since the upload was accepted.
	await clearName(transaction, folder, wanted);
	return wanted;
}

/**
 * Returns the wanted name or, if a file already has it, that name with a number. The wanted name contains a job's id, so
 * another file has it only if a client has renamed a file to it or uploaded one under it.
 */
async function findFreeName(transaction: Knex.Transaction, folder: DropFolder, wanted: string): Promise<string> {
	const store = dropStore(transaction);
	for (let number = 1; ; number++) {
		const name = number === 1 ? wanted : nameWith(wanted, number);
		if (!(await store.findVisible(folder, name))) return name;
	}
}
