// Lists jobs with the names of their accounts, for commands.

import type { Database } from '../../base/database/open.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { parseDay } from '../../work/jobs/day.ts';
import { type FetchRow, fetchStore } from '../../work/jobs/fetch-store.ts';
import { type JobRow, type JobState, type ListedJob, listedJob } from '../../work/jobs/job.ts';
import { listNewestJobs } from '../../work/jobs/job-page-store.ts';
import { jobStore } from '../../work/jobs/job-store.ts';

export interface JobQuestion {
	readonly account?: string;
	readonly state?: JobState;
	readonly filter?: string;
	readonly name?: string;
	/** Selects the jobs of a day such as `2026-05-31`, `today` or `yesterday`, in UTC. */
	readonly day?: string;
	readonly limit: number;
}

/**
 * Lists jobs, newest first.
 * @throws ServiceError if there is no such account or day
 */
export async function listJobs(
	{ database, identity }: { database: Database; identity: Identity },
	question: JobQuestion,
): Promise<ListedJob[]> {
	const { account, day, name, ...rest } = question;
	const accountId = account === undefined ? undefined : (await identity.accounts.get(account)).id;
	const period = day === undefined ? {} : parseDay(day, new Date());
	const rows = await listNewestJobs(database, { ...rest, ...period, accountId, namePart: name });
	const userIds = await identity.accounts.userIdsOf([...new Set(rows.map((row) => row.account_id))]);
	return rows.map((row) => listedJob(row, userIds.get(row.account_id) ?? String(row.account_id)));
}

/** Returns everything about one job that is known without opening its report. */
export async function showJob({ database, identity }: { database: Database; identity: Identity }, row: JobRow) {
	const userIds = await identity.accounts.userIdsOf([row.account_id]);
	const fetches = await fetchStore(database.knex).listByJobs([row.id]);
	return {
		...listedJob(row, userIds.get(row.account_id) ?? String(row.account_id)),
		sentBy: row.user_id,
		counts: JSON.parse(row.summary ?? 'null') as unknown,
		fetched: fetches.map(shownFetch),
	};
}

/** @throws ServiceError if there is none with this id */
export async function getJob({ database }: { database: Database }, id: string): Promise<JobRow> {
	const row = await jobStore(database.knex).findById(id as JobRow['id']);
	if (!row) throw new ServiceError('uri-not-found', { moreInfo: 'there is no such job' });
	return row;
}

function shownFetch({ user_id, door, times, first_at, last_at }: FetchRow) {
	const iso = (ms: number) => new Date(Number(ms)).toISOString();
	return { by: user_id, door, times, firstAt: iso(first_at), lastAt: iso(last_at) };
}
