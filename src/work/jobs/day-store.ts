import type { Knex } from 'knex';
import type { AccountId } from '../../base/database/ids.ts';
import type { Direction } from '../../engine/format.ts';
import type { Day } from './day.ts';
import type { JobState } from './job.ts';

/** Counts the files of an account and folder that were accepted in a period and have the same state. */
export interface SentCount {
	readonly account_id: AccountId;
	readonly operation: Direction;
	readonly filter: string;
	readonly state: JobState;
	readonly files: number;
	readonly bytes: number;
	readonly cards: number;
	readonly refused: number;
	readonly warned: number;
	readonly other_numbers: number;
	readonly other_codes: number;
}

export interface WaitingCount {
	readonly account_id: AccountId;
	readonly state: 'queued' | 'running' | 'unfinished';
	readonly files: number;
	/** The time when the oldest of the counted files arrived. */
	readonly since: number;
}

const SUMS = ['cards', 'refused', 'warned', 'other_numbers', 'other_codes'] as const;

/** Sums up the files of a day by account in the database, because a day may have a hundred thousand files. */
export function dayStore(knex: Knex) {
	const jobs = (accountId?: AccountId) => {
		const query = knex('jobs');
		return accountId === undefined ? query : query.where({ account_id: accountId });
	};
	return {
		async countSent({ fromMs, toMs }: Day, accountId?: AccountId): Promise<SentCount[]> {
			const group = ['account_id', 'operation', 'filter', 'state'];
			const query = jobs(accountId).where('created_at', '>=', fromMs).andWhere('created_at', '<', toMs);
			query.groupBy(group).orderBy(group).select(group).count({ files: '*' }).sum({ bytes: 'bytes_total' });
			for (const name of SUMS) query.sum({ [name]: name });
			return numbered((await query) as SentCount[], ['files', 'bytes', ...SUMS]);
		},
		/** Counts, by account and state, the files that wait, are processed or are uploaded now, whenever they came. */
		async countWaiting(accountId?: AccountId): Promise<WaitingCount[]> {
			const queued = jobs(accountId).whereIn('state', ['queued', 'running']).groupBy('account_id', 'state');
			const rows = await queued.select('account_id', 'state').count({ files: '*' }).min({ since: 'created_at' });
			const files = knex('drop_files').whereIn('state', ['partial', 'receiving']).groupBy('account_id');
			if (accountId !== undefined) files.where({ account_id: accountId });
			const uploads = await files.select('account_id').count({ files: '*' }).min({ since: 'created_at' });
			return [...rows, ...uploads.map((row) => ({ ...row, state: 'unfinished' }))] as unknown as WaitingCount[];
		},
		/** Counts, by account, the files accepted in a period whose output is complete and was never opened. */
		async countUnfetched({ fromMs, toMs }: Day, accountId?: AccountId): Promise<Map<AccountId, number>> {
			const fetched = knex('job_fetches as f').whereRaw('f.job_id = jobs.id').select(knex.raw('1'));
			const rows = (await jobs(accountId)
				.where('jobs.created_at', '>=', fromMs)
				.andWhere('jobs.created_at', '<', toMs)
				.andWhere('jobs.state', 'done')
				.whereNotExists(fetched)
				.groupBy('account_id')
				.select('account_id')
				.count({ files: '*' })) as { account_id: AccountId; files: number }[];
			return new Map(rows.map((row) => [row.account_id, row.files]));
		},
	};
}

/** Converts the named columns to numbers, because PostgreSQL sums large integers to a type that the driver returns as text. */
function numbered<Row extends object>(rows: readonly Row[], names: readonly string[]): Row[] {
	return rows.map((row) => {
		const values = row as Record<string, unknown>;
		return { ...row, ...Object.fromEntries(names.map((name) => [name, Number(values[name] ?? 0)])) };
	});
}
