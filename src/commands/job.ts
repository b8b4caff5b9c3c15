import { type Command, Option } from 'commander';
import type { Database } from '../database/open.ts';
import type { JobRow, JobState } from '../jobs/job.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { type CommandContext, type Frame, table, wholeNumber } from './command.ts';

/** `job list|show|retry`. */
export function register(program: Command, frame: Frame): void {
	const job = program.command('job').description('files that are, were or will be processed');
	job
		.command('list')
		.description('jobs, youngest first')
		.option('--user-id <id>', 'of this account alone')
		.addOption(new Option('--state <state>', 'in this state alone').choices(['queued', 'running', 'done', 'failed']))
		.option('--limit <n>', 'at most this many', wholeNumber, 100)
		.action(
			frame.action<{ userId?: string; state?: JobState; limit: number }>(async (context, options) => {
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { jobStore } = await import('../jobs/job-store.ts');
				const { jobDocument } = await import('../jobs/job.ts');
				const { database, identity } = await openRooms(context);
				const { userId, state, limit } = options;
				const accountId = userId === undefined ? undefined : (await identity.accounts.get(userId)).id;
				const jobs = (await jobStore(database.knex).list({ accountId, state, limit })).map(jobDocument);
				const cells = jobs.map((each) => [
					...[each.id, each.state, each.operation, each.filter, each.name],
					...[String(each.cards), String(each.refused), String(each.otherNumbers), each.createdAt],
				]);
				const headings = [
					'job',
					'state',
					'operation',
					'filter',
					'name',
					'cards',
					'refused',
					'other numbers',
					'accepted',
				];
				context.output.show(jobs, table(headings, cells));
			}),
		);
	job
		.command('show')
		.description('one job, and what its report says')
		.argument('<id>', 'the job')
		.option('--report', 'the report too, every entry of it')
		.action(
			frame.action<{ report?: boolean }>(async (context, { report }, id) => {
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { jobDocument } = await import('../jobs/job.ts');
				const rooms = await openRooms(context);
				const row = await getJob(rooms.database, id as string);
				const document = { ...jobDocument(row), attempts: row.attempts, counts: JSON.parse(row.summary ?? 'null') };
				const value = report ? { ...document, report: await readReport(context, rooms, row) } : document;
				context.output.show(value, JSON.stringify(value, null, 2));
			}),
		);
	job
		.command('retry')
		.description('process the kept input of a failed job again')
		.argument('<id>', 'the job')
		.action(
			frame.action(async (context, _options, id) => {
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { requeueFailed } = await import('../jobs/publish.ts');
				const { ServiceError } = await import('../errors.ts');
				const { database } = await openRooms(context);
				const row = await getJob(database, id as string);
				if (!(await requeueFailed(database, row, Date.now()))) {
					// Asked again: somebody else may have been faster.
					const { state } = await getJob(database, id as string);
					const moreInfo =
						state === 'failed' ? 'the input of the job is gone' : `the job is ${state}, only a failed one is retried`;
					throw new ServiceError('bad-input-data', { moreInfo });
				}
				context.output.show({ id, state: 'queued' }, `Job ${id} is queued again.`);
			}),
		);
}

async function getJob(database: Database, id: string): Promise<JobRow> {
	const { jobStore } = await import('../jobs/job-store.ts');
	const { ServiceError } = await import('../errors.ts');
	const row = await jobStore(database.knex).findById(id as JobRow['id']);
	if (!row) throw new ServiceError('uri-not-found', { moreInfo: 'there is no such job' });
	return row;
}

async function readReport(
	{ settings }: CommandContext,
	{ database, keyRing }: { database: Database; keyRing: KeyRing },
	job: JobRow,
): Promise<unknown> {
	const { dropBlobs } = await import('../drops/drop-blobs.ts');
	const { dropStore } = await import('../drops/drop-store.ts');
	const { openSpool } = await import('../drops/spool.ts');
	const file = job.report_id === null ? undefined : await dropStore(database.knex).findById(job.report_id);
	if (!file) return null;
	const reader = await openSpool({ keyRing, blobs: dropBlobs(settings) }, file.blob_id);
	try {
		return JSON.parse((await reader.read(0, reader.size)).toString());
	} finally {
		await reader.close();
	}
}
