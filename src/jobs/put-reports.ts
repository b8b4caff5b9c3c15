// A report has two names: its job's, and one for the latest report of a file name. Its bytes are stored once; each name
// can be removed without the other.

import type { Knex } from 'knex';
import { type DropFile, dropStore, type NewDropFile } from '../drops/drop-store.ts';
import { type JobRow, latestReportName, reportFolder, reportName } from './job.ts';
import { jobStore } from './job-store.ts';
import type { Product, Products } from './publish.ts';

/**
 * Makes room in their folder for the reports of a job that ends. Returns the files to insert, of which the first is the
 * JSON under the job's name, and the blobs that may no longer be needed.
 */
export async function putReports(
	transaction: Knex.Transaction,
	job: JobRow,
	{ jsonReport, csvReport }: Products,
	nowMs: number,
): Promise<{ added: NewDropFile[]; replaced: string[] }> {
	const replaced: string[] = [];
	const store = dropStore(transaction);
	const latest = latestReportName(job, 'json');
	const names = (['json', 'csv'] as const).flatMap((kind) => [reportName(job, kind), latestReportName(job, kind)]);
	const present = new Map((await store.listVisible(reportFolder(job), names)).map((file) => [file.name, file]));
	const isLatest = await isLatestReport(transaction, job, present.get(latest));
	const added: NewDropFile[] = [];
	const put = async (name: string, product: Product | undefined) => {
		const older = present.get(name);
		if (older && (await store.remove(older.id))) replaced.push(older.blob_id);
		if (product) added.push(reportFile(job, name, product, nowMs));
	};
	await put(reportName(job, 'json'), jsonReport);
	await put(reportName(job, 'csv'), csvReport);
	if (isLatest) {
		await put(latest, jsonReport);
		// If this job has no CSV report, the one of an earlier job is removed, because it would describe another file.
		await put(latestReportName(job, 'csv'), csvReport);
	}
	return { added, replaced };
}

/** If a retried job ends after a later upload of the name, the later upload's report stays the latest. */
async function isLatestReport(
	transaction: Knex.Transaction,
	job: JobRow,
	latest: DropFile | undefined,
): Promise<boolean> {
	if (!latest || latest.job_id === null) return true;
	const owner = await jobStore(transaction).findById(latest.job_id);
	return !owner || owner.seq <= job.seq;
}

function reportFile(job: JobRow, name: string, { blobId, size }: Product, nowMs: number): NewDropFile {
	const { accountId, area, filter } = reportFolder(job);
	return {
		...{ account_id: accountId, area, filter, name, state: 'ready', blob_id: blobId, size, job_id: job.id },
		...{ created_at: nowMs, modified_at: nowMs, created_by: null, writer: null, held_by: null, held_until: null },
	};
}
