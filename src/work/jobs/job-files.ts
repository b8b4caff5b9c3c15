import type { Database } from '../../base/database/open.ts';
import { type DropFile, type DropFolder, dropStore } from '../drops/drop-store.ts';
import type { Drops } from '../drops/drops.ts';
import { type JobRow, latestReportName, outputStore, reportFolder, reportName } from './job.ts';

/**
 * Returns the files that an ended job has left: its input if it failed, its output, and its reports under each of their
 * names. Files that other jobs have left under the same names are not among them.
 */
export async function jobFiles(
	{ database, drops }: { readonly database: Database; readonly drops: Pick<Drops, 'find'> },
	job: JobRow,
): Promise<DropFile[]> {
	if (job.state !== 'done' && job.state !== 'failed') return [];
	const store = dropStore(database.knex);
	const byId = [job.input_id, job.output_id].filter((id) => id !== null).map((id) => store.findById(id));
	const names = (['json', 'csv'] as const).flatMap((ending) => [
		reportName(job, ending),
		latestReportName(job, ending),
	]);
	const reports = names.map((name) => drops.find(reportFolder(job), name));
	const found = await Promise.all([...byId, ...reports]);
	return found.filter((file): file is DropFile => file?.job_id === job.id && file.account_id === job.account_id);
}

/** A file, and the folder of its account to which it must belong. A file of any other folder is not opened. */
export interface StoredFile {
	readonly folder: DropFolder;
	readonly file: DropFile;
}

/** Returns the output of a job, or undefined if it has none or the retention of the output has ended. */
export async function findOutput(
	{ database }: { readonly database: Pick<Database, 'knex'> },
	job: JobRow,
): Promise<StoredFile | undefined> {
	const file = job.output_id === null ? undefined : await dropStore(database.knex).findById(job.output_id);
	return file?.job_id === job.id ? { folder: outputStore(job), file } : undefined;
}

/** Returns undefined if the job has not ended, or has no report in the requested format. */
export async function findReport(
	{ database, drops }: { readonly database: Pick<Database, 'knex'>; readonly drops: Pick<Drops, 'find'> },
	job: JobRow,
	format: 'json' | 'csv',
): Promise<StoredFile | undefined> {
	const isEnded = job.state === 'done' || job.state === 'failed';
	if (!isEnded || job.report_id === null) return undefined;
	const file =
		format === 'csv'
			? await drops.find(reportFolder(job), reportName(job, 'csv'))
			: await dropStore(database.knex).findById(job.report_id);
	return file?.job_id === job.id ? { folder: reportFolder(job), file } : undefined;
}
