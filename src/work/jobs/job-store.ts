import type { Knex } from 'knex';
import { beginsWith, byteOrdered, type Dialect, firstRow, forUpdateClause } from '../../base/database/dialect.ts';
import type { AccountId, JobId } from '../../base/database/ids.ts';
import { insertRow, updateRow } from '../../base/database/rows.ts';
import { execute, queryRows } from '../../base/database/sql.ts';
import type { RowShape } from '../../base/keys/rows/row-seals.ts';
import type { FilePlace } from '../drops/drop-store.ts';
import type { JobRow, JobState } from './job.ts';

export type NewJobRow = Omit<JobRow, 'seq'>;

/** The ids of jobs whose output, or whose report, a later upload of the name replaces. */
export interface Overtaken {
	readonly outputs: ReadonlySet<JobId>;
	readonly reports: ReadonlySet<JobId>;
}

/** The columns that identify the attempt to which a running job belongs. */
export type JobClaim = Pick<JobRow, 'id' | 'claimed_by' | 'attempts'>;

/** The columns that are set when a job is done, with their SQL types. */
const DONE_COLUMNS = {
	bytes_read: 'bigint',
	cards: 'bigint',
	refused: 'bigint',
	warned: 'bigint',
	other_numbers: 'bigint',
	other_codes: 'bigint',
	summary: 'text',
	finished_at: 'bigint',
	output_id: 'bigint',
	report_id: 'bigint',
} as const satisfies Partial<Record<keyof JobRow, string>>;

/** The columns of a done job that `endDone` needs. */
export type DoneRow = Pick<JobRow, 'id' | keyof typeof DONE_COLUMNS>;

/**
 * The seal covers everything that decides for which account a file is processed, and how. A job's name and progress are
 * not covered, because they change while it waits.
 */
export const sealedJobs: RowShape = {
	table: 'jobs',
	id: ['id'],
	columns: ['account_id', 'user_id', 'operation', 'filter', 'options', 'input_id'],
	freshness: {
		by: 'nothing',
		because:
			'it would process a file of its account once more, into a folder that only those see who may send the file',
	},
};

/** Reads and writes the rows of jobs. `knex` may be a transaction. */
export function jobStore(knex: Knex) {
	return {
		async insert(row: NewJobRow): Promise<JobRow> {
			return insertRow(knex, { table: 'jobs', key: 'seq' }, { ...row });
		},
		async findById(id: JobId): Promise<JobRow | undefined> {
			return firstRow(knex('jobs').where({ id }));
		},
		async listByIds(ids: readonly JobId[]): Promise<JobRow[]> {
			return (await knex('jobs').whereIn('id', ids)) as JobRow[];
		},
		async findLastSent(
			{ account_id, area, filter, name }: FilePlace,
			userId: string,
			sinceMs: number,
		): Promise<JobRow | undefined> {
			const sql = `select * from jobs where account_id = ? and filter = ? and name = ? and operation = ?
				and user_id = ? and created_at >= ? order by seq desc limit 1`;
			return (await queryRows<JobRow>(knex, sql, [account_id, filter, name, area, userId, sinceMs]))[0];
		},
		/**
		 * Returns the ids of those jobs for whose name a later upload was accepted: in the same direction (`outputs`), or in
		 * either of them, which share a report (`reports`). A later upload has a higher `seq`, because the jobs of a name are
		 * inserted under the lock of that name.
		 */
		async listOvertaken(jobs: readonly JobRow[]): Promise<Overtaken> {
			const later = `select seq from jobs later where later.account_id = job.account_id
				and later.filter = job.filter and later.name = job.name and later.seq > job.seq`;
			const sql = `select id, (${later} and later.operation = job.operation limit 1) is not null as has_output,
				(${later} limit 1) is not null as has_report from jobs job where id in (${jobs.map(() => '?')})`;
			const ids = jobs.map(({ id }) => id);
			const rows = await queryRows<{ id: JobId; has_output: unknown; has_report: unknown }>(knex, sql, ids);
			return {
				outputs: new Set(rows.filter(({ has_output }) => has_output).map(({ id }) => id)),
				reports: new Set(rows.filter(({ has_report }) => has_report).map(({ id }) => id)),
			};
		},
		/** Locks the rows of jobs for the transaction. Returns, for those that run, which attempt has claimed them. */
		async lockClaims(jobs: readonly JobRow[], dialect: Dialect): Promise<Map<JobId, JobClaim>> {
			// The rows are locked in the order of their ids, so that two transactions cannot deadlock.
			const sql = `select id, state, claimed_by, attempts from jobs where id in (${jobs.map(() => '?')})
				order by id ${forUpdateClause(dialect)}`;
			const ids = jobs.map(({ id }) => id);
			const rows = await queryRows<JobClaim & { readonly state: JobState }>(knex, sql, ids);
			return new Map(rows.filter(({ state }) => state === 'running').map((row) => [row.id, row]));
		},
		async endDone(rows: readonly DoneRow[]): Promise<void> {
			const columnTypes: Readonly<Record<string, string>> = { id: 'text', ...DONE_COLUMNS };
			const columns = Object.keys(columnTypes) as (keyof DoneRow)[];
			// PostgreSQL takes the types of all rows from the first one.
			const first = `(${columns.map((column) => `cast(? as ${columnTypes[column]})`)})`;
			const others = rows.slice(1).map(() => `(${columns.map(() => '?')})`);
			const changes = Object.keys(DONE_COLUMNS).map((column) => `${column} = changed.${column}`);
			await execute(
				knex,
				`with changed (${columns}) as (values ${[first, ...others]})
				update jobs set ${changes}, state = 'done', claimed_by = null, lease_until = null, error_reason = null,
					error_message = null, error_code = null, error_parameters = null, error_offset = null, error_line = null,
					error_record = null
				from changed where jobs.id = changed.id`,
				rows.flatMap((row) => columns.map((column) => row[column])),
			);
		},
		/** Counts the jobs accepted at or after a time that failed, by who sent the file and by reason; most first. */
		async countFailed(fromMs: number): Promise<{ userId: string | null; reason: string; jobs: number }[]> {
			const rows: { user_id: string | null; error_reason: string; jobs: number }[] = await knex('jobs')
				.where({ state: 'failed' })
				.where('created_at', '>=', fromMs)
				.groupBy('user_id', 'error_reason')
				.select('user_id', 'error_reason', knex.raw('count(*) as jobs'))
				.orderBy('jobs', 'desc');
			return rows.map((row) => ({ userId: row.user_id, reason: row.error_reason, jobs: row.jobs }));
		},
		/** Lists jobs of an account whose file names begin with a text, in the order of the names. */
		async listNamed(dialect: Dialect, accountId: AccountId, text: string, limit: number): Promise<JobRow[]> {
			return knex<JobRow>('jobs')
				.where({ account_id: accountId })
				.whereRaw(...beginsWith(dialect, 'name', text))
				.orderByRaw(`${byteOrdered(dialect, 'name')}, seq desc`)
				.limit(limit);
		},
		/** Lists jobs of an account whose ids begin with a text, which has no other characters than ids have. */
		async listWithId(accountId: AccountId, text: string, limit: number): Promise<JobRow[]> {
			// In the order of every language a `z` stands behind each character of an id.
			const ids = [text, text.padEnd(27, 'z')] as const;
			// The plus keeps SQLite from reading all jobs of the account by its index.
			return knex<JobRow>('jobs')
				.whereRaw('+account_id = ?', [accountId])
				.whereBetween('id', ids as never)
				.orderBy('id')
				.limit(limit);
		},
		async countWaiting(accountId: AccountId, most: number): Promise<number> {
			const waiting = knex('jobs')
				.where({ account_id: accountId })
				.whereRaw(`state = 'queued'`)
				.limit(most)
				.select('seq');
			const [{ jobs }] = await knex.from(waiting.as('waiting')).count({ jobs: '*' });
			return Number(jobs);
		},
		/** Counts the queued and the running jobs, each up to `most` and in an index that has no other jobs. */
		async countOpen(most: number): Promise<{ waiting: number; running: number }> {
			const count = async (state: 'queued' | 'running') => {
				const open = knex('jobs').whereRaw(`state = '${state}'`).limit(most).select('account_id');
				const [{ jobs }] = await knex.from(open.as('open')).count({ jobs: '*' });
				return Number(jobs);
			};
			return { waiting: await count('queued'), running: await count('running') };
		},
		async countByState(): Promise<Record<JobState, number>> {
			const counts: Record<JobState, number> = { queued: 0, running: 0, done: 0, failed: 0 };
			const rows: { state: JobState; jobs: number }[] = await knex('jobs')
				.groupBy('state')
				.select('state', knex.raw('count(*) as jobs'));
			for (const { state, jobs } of rows) counts[state] = jobs;
			return counts;
		},
		/** Changes a job if its columns are still as in `expected`; returns whether it did. */
		async update(id: JobId, expected: Partial<JobRow>, changes: Partial<NewJobRow>): Promise<boolean> {
			return updateRow(knex, 'jobs', { ...expected, id }, changes);
		},
		/** Removes a job that no attempt has been made at; returns whether it did. */
		async removeQueued(id: JobId): Promise<boolean> {
			return (await knex('jobs').where({ id, state: 'queued', attempts: 0 }).delete()) === 1;
		},
		/** Removes at most `limit` jobs that ended before `before`, with their downloads. Returns how many. */
		async removeEnded(before: number, limit: number): Promise<number> {
			const ended = knex('jobs')
				.whereIn('state', ['done', 'failed'])
				.andWhere('finished_at', '<', before)
				.orderBy('finished_at')
				.limit(limit)
				.select('id');
			const ids = await ended.then((rows) => rows.map((row) => row.id as JobId));
			await knex('job_fetches').whereIn('job_id', ids).delete();
			return knex('jobs').whereIn('id', ids).delete();
		},
	};
}
