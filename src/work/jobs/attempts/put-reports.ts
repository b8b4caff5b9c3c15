// Stores the reports of jobs. A report has two names: one with the id of its job, and one for the latest report of a file
// name. Its bytes are stored once; each name can be removed without the other.

import type { Knex } from 'knex';
import { type DropFile, dropStore, type FilePlace, type NewDropFile, placeOf } from '../../drops/drop-store.ts';
import { type JobRow, latestReportName, placeIn, reportFolder, reportName } from '../job.ts';
import type { Overtaken } from '../job-store.ts';

export interface EndingJob {
	readonly job: JobRow;
	readonly products: Products;
	readonly nowMs: number;
}

export function reportPlaces(job: JobRow): FilePlace[] {
	const names = (['json', 'csv'] as const).flatMap((kind) => [reportName(job, kind), latestReportName(job, kind)]);
	return names.map((name) => placeIn(reportFolder(job), name));
}

/**
 * Removes the rows of the files that the reports of ending jobs replace. `present` holds the files that exist at the
 * `reportPlaces` of these jobs, and `overtaken` those of them after which a later upload of the name was accepted.
 * Returns for each job, in the given order, which files to add and which blobs were
 * replaced.
 */
export async function putReports(
	transaction: Knex.Transaction,
	ending: readonly EndingJob[],
	present: ReadonlyMap<string, DropFile>,
	overtaken: Overtaken,
) {
	const store = dropStore(transaction);
	const find = (job: JobRow, name: string) => present.get(placeOf(placeIn(reportFolder(job), name)));
	const putOf = async ({ job, products, nowMs }: EndingJob) => {
		const { jsonReport, csvReport } = products;
		/** The files to insert. The first is the JSON report under the name with the job's id. */
		const added: NewDropFile[] = [];
		/** The ids of the blobs of replaced files, which may no longer be needed. */
		const replaced: string[] = [];
		const put = async (name: string, product: Product | undefined) => {
			const older = find(job, name);
			if (older && (await store.remove(older.id))) replaced.push(older.blob_id);
			if (product) added.push(productFile(job, placeIn(reportFolder(job), name), product, nowMs));
		};
		await put(reportName(job, 'json'), jsonReport);
		await put(reportName(job, 'csv'), csvReport);
		// From the moment a later upload of the name is accepted, the second name is free for the report on that upload.
		if (!overtaken.reports.has(job.id)) {
			await put(latestReportName(job, 'json'), jsonReport);
			// If this job has no CSV report, the one of an earlier job is removed, because it would describe another file.
			await put(latestReportName(job, 'csv'), csvReport);
		}
		return { added, replaced };
	};
	return Array.fromAsync(ending, putOf);
}

/** Returns the row of a file that a job has made: its output, or one of its reports. */
export function productFile(
	job: JobRow,
	place: FilePlace,
	{ blobId, size, expiresAt }: Product,
	nowMs: number,
): NewDropFile {
	return {
		...place,
		state: 'ready',
		blob_id: blobId,
		size,
		job_id: job.id,
		created_at: nowMs,
		modified_at: nowMs,
		created_by: null,
		writer: null,
		held_by: null,
		held_until: null,
		expires_at: expiresAt ?? null,
	};
}

/** Describes a complete sealed file by the id of its blob and its size. */
export interface Product {
	readonly blobId: string;
	readonly size: number;
	/** The name of an output that is decrypted or encrypted, if it differs from that of the job. */
	readonly name?: string;
	/** Present only if CVVs are in the output: the earliest time after which one of them may no longer be kept. */
	readonly expiresAt?: number;
}

export interface Products {
	readonly output?: Product;
	readonly jsonReport: Product;
	readonly csvReport?: Product;
}
