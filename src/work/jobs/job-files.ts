import type { Database } from '../../base/database/open.ts';
import { type DropFile, dropStore } from '../drops/drop-store.ts';
import type { Drops } from '../drops/drops.ts';
import { type JobRow, latestReportName, reportFolder, reportName } from './job.ts';

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
