import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Dialect, isUniqueViolation, rowsOf, skipLockedClause } from '../database/dialect.ts';
import type { JobId } from '../database/ids.ts';
import { type PlainTransaction, transactUnsynced } from '../database/plain-transaction.ts';
import { UNSYNCED } from '../database/sqlite-client.ts';
import type { JobError, JobRow } from './job.ts';

/** The error that is recorded for an attempt whose daemon sends no sign of life. */
const SILENT: JobError = { reason: 'daemon-gone', message: 'the daemon that had begun it was gone' };

/** Returns the columns that record why an attempt failed. */
export function lastFailure({ reason, message }: JobError, at: number) {
	return { last_reason: reason, last_message: message, last_failed_at: at };
}

const ANY = { mostBytes: Number.MAX_SAFE_INTEGER, mostAttempts: 2 ** 31 - 1 };
const DUE_SQL = `select 1 from jobs where state = 'queued' and next_run_at <= ? limit 1`;
const CLAIM_TRIES = 3;
const CLAIM_AGAIN_MS = 5;

export interface Claimant {
	readonly daemonId: string;
	readonly now: number;
	readonly leaseUntil: number;
	/** The next job is taken only if it is no larger and had fewer attempts; absent if any may be taken. */
	readonly sharing?: { readonly mostBytes: number; readonly mostAttempts: number };
}

/**
 * The queue. An account with fewer running jobs comes first, then the older job. Of one account, folder and name only
 * the oldest job may run. Claims and leases need not survive a power failure, which ends the attempts as well.
 */
export function queueStore(knex: Knex, dialect: Dialect) {
	const lock = skipLockedClause(dialect).replace('for update', 'for update of j');
	const sameName =
		'o.account_id = c.account_id and o.operation = c.operation and o.filter = c.filter and o.name = c.name';
	const claimSql = `
		update jobs set state = 'running', claimed_by = ?, lease_until = ?,
			attempts = attempts + 1, started_at = ?, bytes_read = 0, cards = 0, refused = 0, warned = 0, other_numbers = 0, other_codes = 0,
			error_reason = null, error_message = null, error_offset = null, error_line = null, error_record = null
		where state = 'queued' and seq = (
			select j.seq from (select distinct account_id from jobs where state = 'queued') a
			join jobs j on j.seq = (
				select c.seq from jobs c
				where c.account_id = a.account_id and c.state = 'queued' and c.next_run_at <= ?
					and not exists (select 1 from jobs o where ${sameName} and o.state = 'running')
					and not exists (select 1 from jobs o where ${sameName} and o.state = 'queued' and o.seq < c.seq)
				order by c.seq limit 1)
			left join (select account_id, count(*) as busy from jobs where state = 'running' group by account_id) r
				on r.account_id = a.account_id
			order by coalesce(r.busy, 0), j.seq
			limit 1 ${lock})
			and bytes_total <= ? and attempts < ?
		returning *`;
	const requeued = { state: 'queued', claimed_by: null, lease_until: null } as const;
	const claimWithin = async (
		transaction: Pick<PlainTransaction, 'raw'>,
		{ daemonId, now, leaseUntil, sharing = ANY }: Claimant,
	): Promise<JobRow | undefined> => {
		const bindings = [daemonId, leaseUntil, now, now, sharing.mostBytes, sharing.mostAttempts];
		return rowsOf<JobRow>(await transaction.raw(claimSql, bindings))[0];
	};
	const unsynced: Pick<PlainTransaction, 'raw'> = {
		raw: (sql, bindings) => knex.raw(sql, bindings as Knex.RawBinding[]).queryContext(UNSYNCED),
	};
	const claimOnce = async (claimant: Claimant): Promise<JobRow | undefined> => {
		try {
			return await claimWithin(unsynced, claimant);
		} catch (error) {
			// Another daemon started an older job of the same name at the same moment.
			if (isUniqueViolation(error)) return undefined;
			throw error;
		}
	};
	const store = {
		/** Takes the next job, if it may run now. */
		async claim(claimant: Claimant): Promise<JobRow | undefined> {
			for (let tries = 1; ; tries++) {
				const job = await claimOnce(claimant);
				if (job || dialect === 'sqlite' || tries === CLAIM_TRIES || claimant.sharing) return job;
				// Another daemon may be taking the first job of the only account at this moment, so a second one is tried.
				const nextRunAt = await store.findNextRunAt();
				if (nextRunAt === undefined || nextRunAt > claimant.now) return undefined;
				await sleep(CLAIM_AGAIN_MS);
			}
		},
		/**
		 * Takes the next jobs that may run now, at most `most`. All but the first fit `sharing`, whatever the claimant's own
		 * is: the first one that does not stays in the queue for the next claim. On SQLite this is a single transaction.
		 */
		async claimAll(claimant: Claimant, most: number, sharing: NonNullable<Claimant['sharing']>): Promise<JobRow[]> {
			const claimWith = async (claim: (claimant: Claimant) => Promise<JobRow | undefined>) => {
				const jobs: JobRow[] = [];
				while (jobs.length < most) {
					const job = await claim(jobs.length === 0 ? claimant : { ...claimant, sharing });
					if (job) jobs.push(job);
					if (!job || job.bytes_total > sharing.mostBytes || job.attempts > sharing.mostAttempts) break;
				}
				return jobs;
			};
			if (dialect === 'postgres') return claimWith((each) => store.claim(each));
			// Looking takes no turn in writing, which most looks at the queue would take for nothing.
			if (rowsOf(await knex.raw(DUE_SQL, [claimant.now])).length === 0) return [];
			return transactUnsynced({ knex, dialect }, (transaction) => claimWith((each) => claimWithin(transaction, each)));
		},
		/** Renews the leases of jobs that this daemon runs, and returns those that are still its own. */
		async renew(ids: readonly JobId[], daemonId: string, leaseUntil: number): Promise<Set<JobId>> {
			const rows = await knex('jobs')
				.whereIn('id', ids as JobId[])
				.where({ state: 'running', claimed_by: daemonId })
				.update({ lease_until: leaseUntil })
				.returning('id')
				.queryContext(UNSYNCED);
			return new Set(rows.map((row) => row.id as JobId));
		},
		async writeProgress(
			id: JobId,
			daemonId: string,
			progress: { bytesRead: number; cards: number; refused: number; warned: number },
		): Promise<void> {
			const { bytesRead, ...counts } = progress;
			await knex('jobs')
				.where({ id, state: 'running', claimed_by: daemonId })
				.update({ bytes_read: bytesRead, ...counts })
				.queryContext(UNSYNCED);
		},
		/**
		 * Puts running jobs whose lease ended before `before` back into the queue; if `before` is null, all running jobs.
		 */
		async requeueExpired(before: number | null, now: number): Promise<JobId[]> {
			const query = knex('jobs').where({ state: 'running' });
			if (before !== null) query.andWhere('lease_until', '<', before);
			const rows = await query.update({ ...requeued, ...lastFailure(SILENT, now), next_run_at: now }).returning('id');
			return rows.map((row) => row.id as JobId);
		},
		/**
		 * Puts a job of this daemon back into the queue, and records why its attempt failed. An attempt that was
		 * interrupted from outside has not failed and does not count.
		 */
		async requeue(job: JobRow, nextRunAt: number, failure?: { error: JobError; at: number }): Promise<boolean> {
			const attempts = failure ? job.attempts : job.attempts - 1;
			const why = failure && lastFailure(failure.error, failure.at);
			const changed = await knex('jobs')
				.where({ id: job.id, state: 'running', claimed_by: job.claimed_by, attempts: job.attempts })
				.update({ ...requeued, ...why, next_run_at: nextRunAt, attempts });
			return changed === 1;
		},
		/** Counts the running jobs of each daemon, and says until when at most they are its own. */
		async countByDaemon(): Promise<{ id: string; jobs: number; leaseUntil: number }[]> {
			const running = knex('jobs').whereRaw(`state = 'running'`).whereNotNull('claimed_by').groupBy('claimed_by');
			const counted = running.select('claimed_by').count({ jobs: '*' }).max({ lease: 'lease_until' });
			const rows = (await counted) as unknown as { claimed_by: string; jobs: unknown; lease: unknown }[];
			return rows.map((row) => ({ id: String(row.claimed_by), jobs: Number(row.jobs), leaseUntil: Number(row.lease) }));
		},
		/** Returns when the longest running attempt began, or undefined if none runs. */
		async findOldestStart(): Promise<number | undefined> {
			const row = await knex('jobs').where({ state: 'running' }).min({ at: 'started_at' }).first();
			return row?.at == null ? undefined : Number(row.at);
		},
		/** Returns when the next queued job may run, or undefined if none waits. */
		async findNextRunAt(): Promise<number | undefined> {
			const row = await knex('jobs').where({ state: 'queued' }).min({ at: 'next_run_at' }).first();
			return row?.at == null ? undefined : Number(row.at);
		},
	};
	return store;
}
