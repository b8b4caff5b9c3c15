// Records who read the output of a job, so that people can find out what an account has fetched.

import type { Knex } from 'knex';
import type { Clock } from '../../base/clock.ts';
import type { AccountId, JobId } from '../../base/database/ids.ts';

export interface Fetch {
	readonly jobId: JobId;
	/** The user ID of the login that opened the file, or the name of the route that delivered it. */
	readonly userId: string;
	readonly door: 'sftp' | 'http' | 'route';
}

export interface FetchRow {
	readonly job_id: JobId;
	readonly user_id: string;
	readonly door: Fetch['door'];
	/** Counts how often the file was opened; some clients open it several times for one download. */
	readonly times: number;
	readonly first_at: number;
	readonly last_at: number;
}

/** Counts a download. If that fails, only the record is lost and the file is still sent. */
export async function noteFetch(
	knex: Knex,
	{ jobId, userId, door }: Fetch,
	{ clock, logger }: { readonly clock: Clock; readonly logger: { warn(details: object, message: string): void } },
): Promise<void> {
	const at = clock.now().getTime();
	try {
		await knex('job_fetches')
			.insert({ job_id: jobId, user_id: userId, door, times: 1, first_at: at, last_at: at })
			.onConflict(['job_id', 'user_id', 'door'])
			.merge({ times: knex.raw('job_fetches.times + 1'), last_at: at } as never);
	} catch (error) {
		logger.warn({ err: error, jobId }, 'a download could not be noted');
	}
}

export function fetchStore(knex: Knex) {
	return {
		async listByJobs(ids: readonly JobId[]): Promise<FetchRow[]> {
			return (await knex('job_fetches')
				.whereIn('job_id', ids as JobId[])
				.orderBy('first_at')) as FetchRow[];
		},
		/** Returns how many outputs were fetched in a period, and when last, by account, direction, user and listener. */
		async countByUser(fromMs: number, toMs: number, accountId?: AccountId): Promise<FetchCount[]> {
			const query = knex('job_fetches as f')
				.join('jobs as j', 'j.id', 'f.job_id')
				.where('f.last_at', '>=', fromMs)
				.andWhere('f.first_at', '<', toMs)
				.groupBy('j.account_id', 'j.operation', 'f.user_id', 'f.door')
				.select('j.account_id', 'j.operation', 'f.user_id', 'f.door')
				.select(knex.raw('count(*) as files'), knex.raw('max(f.last_at) as last_at'));
			if (accountId !== undefined) query.where('j.account_id', accountId);
			return (await query) as FetchCount[];
		},
	};
}

export interface FetchCount extends Pick<FetchRow, 'user_id' | 'door' | 'last_at'> {
	readonly account_id: AccountId;
	readonly operation: 'tokenize' | 'detokenize';
	readonly files: number;
}
