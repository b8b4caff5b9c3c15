import type { Knex } from 'knex';
import { type Dialect, forUpdateClause, rowsOf } from '../database/dialect.ts';
import type { AccountId, JobId } from '../database/ids.ts';
import { insertRow, updateRow, updateTogether } from '../database/kept-statements.ts';
import type { JobRow, JobState } from './job.ts';

export interface JobFilter {
	readonly accountId?: AccountId;
	readonly state?: JobState;
	/** Selects jobs accepted at or after this time. */
	readonly fromMs?: number;
	/** Selects jobs accepted before this time. */
	readonly toMs?: number;
	/** Selects jobs of this filter, which is the folder's name. */
	readonly filter?: string;
	/** Selects jobs whose name contains this text, in the same case. */
	readonly namePart?: string;
	/** This many of the newest jobs are skipped. */
	readonly offset?: number;
	readonly limit: number;
}

/** Describes a page of an account's jobs. */
export interface JobPage {
	readonly show?: 'waiting' | 'failed' | 'refused';
	readonly filter?: string;
	readonly beforeSeq?: number;
	readonly limit: number;
}

export type NewJobRow = Omit<JobRow, 'seq'>;

/** What says whose attempt a running job is. */
export type JobClaim = Pick<JobRow, 'id' | 'claimed_by' | 'attempts'>;

/** The columns that a job gets when it is done, with their types. */
const DONE_COLUMNS = {
	...{ bytes_read: 'bigint', cards: 'bigint', refused: 'bigint', warned: 'bigint', other_numbers: 'bigint' },
	...{ other_codes: 'bigint', summary: 'text', finished_at: 'bigint', output_id: 'bigint', report_id: 'bigint' },
} as const satisfies Partial<Record<keyof JobRow, string>>;

/** A done job, as `endDone` takes it. */
export type DoneRow = Pick<JobRow, 'id' | keyof typeof DONE_COLUMNS>;

/** Each method is a single statement over jobs. `knex` may be a transaction. */
export function jobStore(knex: Knex) {
	return {
		async insert(row: NewJobRow): Promise<JobRow> {
			return insertRow(knex, 'jobs', { ...row });
		},
		async findById(id: JobId): Promise<JobRow | undefined> {
			return knex<JobRow>('jobs').where({ id }).first();
		},
		async listByIds(ids: readonly JobId[]): Promise<JobRow[]> {
			return (await knex('jobs').whereIn('id', ids)) as JobRow[];
		},
		/**
		 * Returns the ids of those jobs of whose name a later upload was accepted. Under the lock of a name, the jobs of that
		 * name are numbered in order.
		 */
		async listOvertaken(jobs: readonly JobRow[]): Promise<Set<JobId>> {
			const sql = `select id from jobs job where id in (${jobs.map(() => '?')}) and (
				select seq from jobs later where later.account_id = job.account_id and later.operation = job.operation
				and later.filter = job.filter and later.name = job.name and later.seq > job.seq limit 1) is not null`;
			const ids = jobs.map(({ id }) => id);
			return new Set(rowsOf<{ id: JobId }>(await knex.raw(sql, ids)).map(({ id }) => id));
		},
		/** Locks the rows of jobs until the transaction ends, and returns the claims of those that are running. */
		async lockClaims(jobs: readonly JobRow[], dialect: Dialect): Promise<Map<JobId, JobClaim>> {
			// Two transactions lock rows in the same order, so that neither waits for the other.
			const sql = `select id, state, claimed_by, attempts from jobs where id in (${jobs.map(() => '?')})
				order by id ${forUpdateClause(dialect)}`;
			const ids = jobs.map(({ id }) => id);
			const rows = rowsOf<JobClaim & { readonly state: JobState }>(await knex.raw(sql, ids));
			return new Map(rows.filter(({ state }) => state === 'running').map((row) => [row.id, row]));
		},
		/** Ends jobs as done, in one statement. */
		async endDone(rows: readonly DoneRow[]): Promise<void> {
			await updateTogether(knex, 'jobs', {
				...{ rows, types: { id: 'text', ...DONE_COLUMNS } },
				others: `state = 'done', claimed_by = null, lease_until = null, error_reason = null, error_message = null,
					error_offset = null, error_line = null, error_record = null`,
			});
		},
		/** Lists jobs, newest first. */
		async list({ accountId, state, fromMs, toMs, filter, namePart, offset = 0, limit }: JobFilter): Promise<JobRow[]> {
			const query = knex<JobRow>('jobs').orderBy('seq', 'desc').limit(limit).offset(offset);
			if (accountId !== undefined) query.where({ account_id: accountId });
			if (state !== undefined) query.where({ state });
			if (fromMs !== undefined) query.where('created_at', '>=', fromMs);
			if (toMs !== undefined) query.where('created_at', '<', toMs);
			if (filter !== undefined) query.where({ filter });
			// This condition means the same on both databases, whatever characters the part contains.
			if (namePart) query.whereRaw(`replace(name, ?, '') <> name`, [namePart]);
			return (await query) as JobRow[];
		},
		/** Counts the jobs of an account that wait, at most `most` of them. */
		async countWaiting(accountId: AccountId, most: number): Promise<number> {
			const waiting = knex('jobs')
				.where({ account_id: accountId })
				.whereRaw(`state = 'queued'`)
				.limit(most)
				.select('seq');
			const [{ jobs }] = await knex.from(waiting.as('waiting')).count({ jobs: '*' });
			return Number(jobs);
		},
		/** Lists jobs of an account that were accepted before one of them, newest first. */
		async listBefore(accountId: AccountId, { beforeSeq, ...page }: JobPage): Promise<JobRow[]> {
			const query = knex<JobRow>('jobs').where({ account_id: accountId }).orderBy('seq', 'desc').limit(page.limit);
			if (page.show === 'refused') query.where('refused', '>', 0);
			// The state is written into the statement, so that SQLite uses the index for it.
			else if (page.show === 'failed') query.whereRaw(`state = 'failed'`);
			else if (page.show === 'waiting') query.whereIn('state', ['queued', 'running']);
			if (page.filter !== undefined) query.where({ filter: page.filter });
			if (beforeSeq !== undefined) query.where('seq', '<', beforeSeq);
			return (await query) as JobRow[];
		},
		/** Counts the jobs that wait and those under way, over indexes that hold no others; at most `most` of each. */
		async countOpen(most: number): Promise<{ waiting: number; running: number }> {
			const count = async (state: 'queued' | 'running') => {
				const open = knex('jobs').whereRaw(`state = '${state}'`).limit(most).select('account_id');
				const [{ jobs }] = await knex.from(open.as('open')).count({ jobs: '*' });
				return Number(jobs);
			};
			return { waiting: await count('queued'), running: await count('running') };
		},
		/** Counts the jobs in each state, for readiness and metrics. */
		async countByState(): Promise<Record<JobState, number>> {
			const counts: Record<JobState, number> = { queued: 0, running: 0, done: 0, failed: 0 };
			const rows: { state: JobState; jobs: number }[] = await knex('jobs')
				.groupBy('state')
				.select('state', knex.raw('count(*) as jobs'));
			for (const { state, jobs } of rows) counts[state] = Number(jobs);
			return counts;
		},
		/** Changes a job if its columns are still as in `expected`; returns whether it did. */
		async update(id: JobId, expected: Partial<JobRow>, changes: Partial<NewJobRow>): Promise<boolean> {
			return updateRow(knex, 'jobs', { ...expected, id }, changes);
		},
		/** Removes at most `limit` ended jobs older than `before`, and returns how many. */
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
