import { setTimeout as sleep } from 'node:timers/promises';
import { Option } from 'commander';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { JobQuestion } from '../../installation/files/job-listing.ts';
import { type CommandContext, EXIT, table, wholeNumber } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { JobRow, ListedJob } from '../../work/jobs/job.ts';

const WATCH_MS = 500;

export function register(program: FramedCommand): void {
	const job = program.subcommand('job', 'files that are, were or will be processed');
	job
		.subcommand('list', 'jobs, youngest first')
		.option('--account <id>', 'of this account alone')
		.option('--user-id <id>', 'the same')
		.addOption(new Option('--state <state>', 'in this state alone').choices(['queued', 'running', 'done', 'failed']))
		.option('--filter <filter>', 'of this folder alone')
		.option('--name <part>', 'with this in their name, as it is spelled there')
		.option('--day <day>', 'accepted on this day (UTC): 2026-05-31, today or yesterday')
		.option('--limit <n>', 'at most this many', wholeNumber, 100)
		.run<JobQuestion & { userId?: string }>(async (context, { userId, ...question }) => {
			const { listJobs } = await import('../../installation/files/job-listing.ts');
			const jobs = await listJobs(await context.parts(), { account: userId, ...question });
			context.output.show(jobs, table(HEADINGS, jobs.map(cellsOf)));
		});
	job
		.subcommand('show', 'one job, and what its report says')
		.argument('<id>', 'the job')
		.option('--report', 'the report too, every entry of it')
		.run<{ report?: boolean }>(async (context, { report }, id) => {
			const { getJob, showJob } = await import('../../installation/files/job-listing.ts');
			const parts = await context.parts();
			const row = await getJob(parts, id!);
			const document = await showJob(parts, row);
			const value = report ? { ...document, report: await readReport(context, parts, row) } : document;
			context.output.show(value, JSON.stringify(value, null, 2));
		});
	job
		.subcommand('watch', 'wait until a job has ended, with a bar on a terminal; exit code 1 when it failed')
		.argument('<id>', 'the job')
		.run(async (context, _options, id) => {
			const { getJob, showJob } = await import('../../installation/files/job-listing.ts');
			const parts = await context.parts();
			const progress = context.output.progress('processing', 'bytes');
			let row = await getJob(parts, id!);
			for (; row.state === 'queued' || row.state === 'running'; row = await getJob(parts, id!)) {
				progress.update(row.bytes_read, row.bytes_total);
				await sleep(WATCH_MS);
			}
			progress.end();
			const document = await showJob(parts, row);
			if (row.state === 'failed') context.exitCode = EXIT.failed;
			const { name, cards, refused, otherNumbers, error } = document;
			const counts = `${cards} cards, ${refused} refused, ${otherNumbers} other numbers`;
			context.output.show(document, `${name}: ${error ? `${error.reason}: ${error.message}` : counts}`);
		});
	job
		.subcommand('retry', 'process the kept input of a failed job again')
		.argument('<id>', 'the job')
		.run(async (context, _options, id) => {
			const { requeueFailed } = await import('../../work/jobs/attempts/publish.ts');
			const { retryNote } = await import('../../work/jobs/queue/retry-note.ts');
			const { ServiceError } = await import('../../base/errors.ts');
			const { getJob } = await import('../../installation/files/job-listing.ts');
			const { database, audit, actor } = await context.parts();
			const row = await getJob({ database }, id!);
			if (!(await requeueFailed(database, row, Date.now(), retryNote(audit, actor, row)))) {
				// The job could not be queued again. Its state is read anew for the message, because it may have changed
				// after the first reading.
				const { state } = await getJob({ database }, id!);
				const moreInfo =
					state === 'failed' ? 'the input of the job is gone' : `the job is ${state}, only a failed one is retried`;
				throw new ServiceError('bad-input-data', { moreInfo });
			}
			context.output.show({ id, state: 'queued' }, `Job ${id} is queued again.`);
		});
}

const HEADINGS = [
	...['job', 'account', 'state', 'operation', 'filter', 'name', 'cards', 'refused', 'warned'],
	...['other numbers', 'other codes', 'reason', 'accepted'],
];

function cellsOf(job: ListedJob): (string | number)[] {
	const { id, account, state, operation, filter, name, cards, refused, warned, otherNumbers, otherCodes } = job;
	// A job that waits for another attempt is shown with the reason why the last attempt failed.
	const why = job.error?.reason ?? (state === 'done' ? undefined : job.lastFailure?.reason);
	return [
		...[id, account, state, operation, filter, name, cards, refused, warned, otherNumbers, otherCodes],
		...[why ?? '', job.createdAt],
	];
}

async function readReport(
	{ settings }: CommandContext,
	{ database, keyRing }: { database: Database; keyRing: KeyRing },
	job: JobRow,
): Promise<unknown> {
	const { dropBlobs } = await import('../../work/drops/drop-blobs.ts');
	const { dropStore } = await import('../../work/drops/drop-store.ts');
	const { openSpool } = await import('../../base/blobs/spool.ts');
	const { reportFolder } = await import('../../work/jobs/job.ts');
	const file = job.report_id === null ? undefined : await dropStore(database.knex).findById(job.report_id);
	if (!file) return null;
	const reader = await openSpool(
		{ keyRing, blobs: dropBlobs(settings, database) },
		{ id: file.blob_id, folder: reportFolder(job) },
	);
	try {
		return JSON.parse((await reader.read(0, reader.size)).toString());
	} finally {
		await reader.close();
	}
}
