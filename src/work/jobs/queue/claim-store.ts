// Claims jobs from the queue: of an account the oldest, and of one account, folder and name only one at a time. The time
// that a claim takes depends on how many accounts have queued jobs, and not on how many jobs are queued, because every part
// of the query reads only a few entries of an index. So thousands of small files in the queue do not slow each other down.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import {
	byIndex,
	type Dialect,
	isUniqueViolation,
	joinEach,
	skipLockedClause,
} from '../../../base/database/dialect.ts';
import { transactUnsynced } from '../../../base/database/plain-transaction.ts';
import { queryRows, type SqlTarget } from '../../../base/database/sql.ts';
import type { JobRow } from '../job.ts';
import { mustRunAlone } from './crashes.ts';

/** The limits within which a job may share a worker thread with others. */
export interface Sharing {
	/** The size of the largest file that may share a thread, in bytes. */
	readonly mostBytes: number;
	/** A job that has already had this many attempts runs alone. */
	readonly mostAttempts: number;
}

export interface Claimant {
	readonly daemonId: string;
	readonly now: number;
	readonly leaseUntil: number;
	/** The limits of the first claimed job if it will share a thread with running jobs; absent if one is idle. */
	readonly sharing?: Sharing;
	/** True if the daemon runs jobs, so that it may not begin one that must run alone in it. */
	readonly isBusy?: boolean;
}

/**
 * The columns that decide whether a queued job is claimed now: its place in the queue, its size, and the numbers of its
 * attempts and crashes.
 */
type Candidate = Pick<JobRow, 'seq' | 'bytes_total' | 'attempts' | 'crashes' | 'crashes_alone'>;

const ANY: Sharing = { mostBytes: Number.MAX_SAFE_INTEGER, mostAttempts: 2 ** 31 - 1 };
const CLAIM_TRIES = 3;
const CLAIM_AGAIN_MS = 5;

/**
 * Claims jobs from the queue: first of the account with the fewest running jobs, then the oldest. Only the oldest job of
 * an account, folder and name may run.
 */
export function claimStore(knex: Knex, dialect: Dialect) {
	const due = byIndex(dialect, 'jobs', 'jobs_due');
	const isDueSql = `select 1 from ${due} where state = 'queued' and next_run_at <= ? limit 1`;
	const take = async (on: SqlTarget, claimant: Claimant, most: number, sharing: Sharing) => {
		const { daemonId, now, leaseUntil } = claimant;
		const found = await queryRows<Candidate>(on, candidatesSql(dialect, most), [now, now]);
		const fitting = chooseFitting(found, claimant, sharing);
		if (fitting.length === 0) return { jobs: [], isLost: false };
		const seqs = fitting.map(({ seq }) => seq);
		const bindings = [daemonId, leaseUntil, now, ...seqs];
		const taken = await queryRows<JobRow>(on, takeSql(dialect, seqs.length), bindings);
		const rows = new Map(taken.map((row) => [row.seq, row]));
		return { jobs: seqs.flatMap((seq) => rows.get(seq) ?? []), isLost: rows.size === 0 };
	};
	const takeOnPostgres = async (...claim: [Claimant, number, Sharing]): Promise<JobRow[]> => {
		for (let tries = 1; ; tries++) {
			const { jobs, isLost } = await take(knex, ...claim).catch((error) => {
				// The unique index shows that another daemon has started a job of the same name at the same moment.
				if (isUniqueViolation(error)) return { jobs: [], isLost: true };
				throw error;
			});
			if (!isLost || tries === CLAIM_TRIES) return jobs;
			// Another daemon has claimed the same jobs at the same moment, so this one looks for the next jobs.
			await sleep(CLAIM_AGAIN_MS);
		}
	};
	const store = {
		async claim(claimant: Claimant): Promise<JobRow | undefined> {
			return (await store.claimAll(claimant, 1, ANY))[0];
		},
		/**
		 * Claims the next jobs that may run now, at most `most`. The claim ends before the first job that exceeds the
		 * limits `sharing`, which stays in the queue for the next claim. If the very first job exceeds them, it is
		 * claimed alone. If the claimant has no place for the very first job, nothing is claimed.
		 */
		async claimAll(claimant: Claimant, most: number, sharing: Sharing): Promise<JobRow[]> {
			if (dialect === 'postgres') return takeOnPostgres(claimant, most, sharing);
			// First a query without the right to write looks for a job that is due. Most calls find none, and would
			// wait in vain for the right to write.
			if ((await queryRows(knex, isDueSql, [claimant.now])).length === 0) return [];
			const { jobs } = await transactUnsynced({ knex, dialect }, (transaction) =>
				take(transaction, claimant, most, sharing),
			);
			return jobs;
		},
	};
	return store;
}

/**
 * Chooses those of the queued jobs `found`, from the first one on, that are claimed together. If the claimant has no
 * place for the first job, no job is claimed. If the job only exceeds the limits `others`, it is claimed alone. Otherwise
 * the choice ends before the first job that exceeds `others`.
 */
function chooseFitting(found: readonly Candidate[], { sharing: first = ANY, isBusy }: Claimant, others: Sharing) {
	if (found.length === 0 || !fits(found[0], first) || (isBusy && mustRunAlone(found[0]))) return [];
	if (!fits(found[0], others)) return found.slice(0, 1);
	const end = found.findIndex((candidate) => !fits(candidate, others));
	return end < 0 ? found : found.slice(0, end);
}

function fits({ bytes_total, attempts }: Candidate, { mostBytes, mostAttempts }: Sharing): boolean {
	return bytes_total <= mostBytes && attempts < mostAttempts;
}

/**
 * Returns the SQL that finds the next jobs, in order. Both of its bindings are the present time. The limits are literals,
 * because SQLite would plan the statement again for each bound limit. It contains scalar subqueries instead of `exists`,
 * because PostgreSQL turns `exists` into a join, which reads the whole queue as long as PostgreSQL has no statistics of
 * the table.
 */
export function candidatesSql(dialect: Dialect, most: number): string {
	const ofName =
		'o.account_id = c.account_id and o.operation = c.operation and o.filter = c.filter and o.name = c.name';
	const next = (account: string, limit: number) => `
		select c.seq from jobs c
		where c.account_id = ${account} and c.state = 'queued' and c.next_run_at <= ?
			and (select 1 from jobs o where ${ofName} and o.state = 'running' limit 1) is null
			and c.seq = (select min(o.seq) from jobs o where ${ofName} and o.state = 'queued')
		order by c.seq limit ${limit}`;
	const waiting = byIndex(dialect, 'jobs', 'jobs_waiting');
	const least = (where: string) =>
		`select account_id from ${waiting} where state = 'queued' ${where} order by account_id limit 1`;
	return `
		with recursive accounts(account_id) as (
			select * from (${least('')}) first
			union all
			select (${least('and account_id > a.account_id')}) from accounts a where a.account_id is not null
		), heads as materialized (
			select a.account_id, (${next('a.account_id', 1)}) as seq,
				(select count(*) from jobs r where r.account_id = a.account_id and r.state = 'running') as busy
			from accounts a where a.account_id is not null
		), chosen as (
			select account_id, busy from heads where seq is not null order by busy, seq limit ${most}
		), nearest as (
			select n.*, h.busy + row_number() over (partition by h.account_id order by n.seq) as place
			from chosen h ${joinEach(dialect, 'jobs', 'n', 'seq', next('h.account_id', most))}
		)
		select seq, bytes_total, attempts, crashes, crashes_alone from nearest order by place, seq limit ${most}`;
}

/** Returns the SQL that claims `count` jobs but those that another daemon has claimed meanwhile. */
function takeSql(dialect: Dialect, count: number): string {
	const places = Array(count).fill('?').join(', ');
	return `
		update jobs set state = 'running', claimed_by = ?, lease_until = ?,
			attempts = attempts + 1, started_at = ?, bytes_read = 0, cards = 0, refused = 0, warned = 0, other_numbers = 0, other_codes = 0,
			error_reason = null, error_message = null, error_code = null, error_parameters = null, error_offset = null, error_line = null, error_record = null
		where seq in (
			select seq from jobs where seq in (${places}) and state = 'queued' order by seq ${skipLockedClause(dialect)})
		returning *`;
}
