import type { Knex } from 'knex';
import { type Dialect, forUpdateClause, isUniqueViolation, transact } from '../../../base/database/dialect.ts';
import type { JobId } from '../../../base/database/ids.ts';
import { updateRow } from '../../../base/database/rows.ts';
import { queryRows } from '../../../base/database/sql.ts';
import type { JobError, JobRow } from '../job.ts';
import { type Claimant, claimStore } from './claim-store.ts';
import { afterCrash } from './crashes.ts';

/** The error that is recorded for an attempt whose daemon sends no sign of life. */
const SILENT: JobError = { reason: 'daemon-gone', message: 'the daemon that had begun it was gone' };

/** The error that is recorded for an attempt of a living daemon that the database did not let record its end. */
export const UNRECORDED: JobError = {
	reason: 'database-unavailable',
	message: 'the database could not record how the attempt ended',
};

/** The columns of a running job that are needed to put it back into the queue after a crash. */
export type CrashedJob = Pick<JobRow, 'id' | 'claimed_by' | 'attempts' | 'crashes' | 'crashes_alone'>;

export interface RequeueOptions {
	/** The id of the calling daemon, which is alive, so attempts of its own did not end in a crash. */
	readonly ownId?: string;
	/** Returns how long to wait after a number of crashes; see `backoffMs` for the default. */
	readonly waitMs?: (crashes: number) => number;
}

/** Returns the columns that record why an attempt failed. */
export function lastFailure({ reason, message }: JobError, at: number) {
	return { last_reason: reason, last_message: message, last_failed_at: at };
}

/**
 * Accesses the queue of jobs. Jobs are claimed first from the account with the fewest running jobs, then by age; only
 * the oldest job of an account, folder and name may run. A power failure may lose claims and leases that were just
 * written, because it ends the attempts as well.
 */
export function queueStore(knex: Knex, dialect: Dialect) {
	const requeued = { state: 'queued', claimed_by: null, lease_until: null } as const;
	const giveBack = (store: Knex, { id, claimed_by, attempts }: CrashedJob, changes: Partial<JobRow>) =>
		updateRow(store, 'jobs', { id, state: 'running', claimed_by, attempts }, { ...requeued, ...changes });
	return {
		...claimStore(knex, dialect),
		/** Claims this job, which is queued; returns undefined if another one has it, or one of its name runs. */
		async claimOne(job: JobRow, { daemonId, now, leaseUntil }: Claimant): Promise<JobRow | undefined> {
			const changes = {
				state: 'running' as const,
				claimed_by: daemonId,
				lease_until: leaseUntil,
				started_at: now,
				attempts: job.attempts + 1,
			};
			const expected = { id: job.id, state: 'queued', attempts: job.attempts };
			const isOurs = await updateRow(knex, 'jobs', expected, changes).catch((error) => {
				if (isUniqueViolation(error)) return false;
				throw error;
			});
			return isOurs ? { ...job, ...changes } : undefined;
		},
		/**
		 * Renews the leases of jobs that this daemon runs, and returns those that are still its own. A longer lease, as one has
		 * whose end is being recorded, stays.
		 */
		async renew(ids: readonly JobId[], daemonId: string, leaseUntil: number): Promise<Set<JobId>> {
			// The rows are locked in the order of their ids, as in `lockClaims`, so that a renewal cannot deadlock with
			// `lockClaims`. `is not distinct from` keeps PostgreSQL from using the index on the state, with which it might
			// read all running jobs (see `updateRow`).
			const rows = await queryRows<{ id: JobId }>(
				knex,
				`update jobs set lease_until = case when lease_until > ? then lease_until else ? end
				where id in (select id from jobs where id in (${ids.map(() => '?')}) order by id ${forUpdateClause(dialect)})
					and state is not distinct from 'running' and claimed_by is not distinct from ?
				returning id`,
				[leaseUntil, leaseUntil, ...ids, daemonId],
				'unsynced',
			);
			return new Set(rows.map(({ id }) => id));
		},
		async writeProgress(
			id: JobId,
			daemonId: string,
			progress: { bytesRead: number; cards: number; refused: number; warned: number },
		): Promise<void> {
			const { bytesRead, ...counts } = progress;
			const expected = { id, state: 'running', claimed_by: daemonId };
			await updateRow(knex, 'jobs', expected, { bytes_read: bytesRead, ...counts }, 'unsynced');
		},
		/**
		 * Puts running jobs whose lease ended before `before` back into the queue; if `before` is null, all running jobs.
		 * Their daemons count as dead. A job was alone if its daemon ran no other one.
		 */
		async requeueExpired(before: number | null, now: number, options: RequeueOptions = {}): Promise<JobId[]> {
			const running: JobRow[] = await knex('jobs')
				.whereRaw(`state = 'running'`)
				.orderBy('id')
				.select('id', 'claimed_by', 'lease_until', 'attempts', 'crashes', 'crashes_alone');
			const byDaemon = Map.groupBy(running, ({ claimed_by }) => claimed_by);
			const expired = running.filter(({ lease_until }) => before === null || (lease_until ?? 0) < before);
			if (expired.length === 0) return [];
			return transact({ knex, dialect }, async (transaction) => {
				const ids: JobId[] = [];
				for (const job of expired) {
					const isAlone = byDaemon.get(job.claimed_by)!.length === 1;
					const changes =
						job.claimed_by === options.ownId
							? { ...lastFailure(UNRECORDED, now), next_run_at: now }
							: { ...lastFailure(SILENT, now), ...afterCrash(job, isAlone, now, options.waitMs) };
					if (await giveBack(transaction, job, changes)) ids.push(job.id);
				}
				return ids;
			});
		},
		/**
		 * Puts a job of this daemon back into the queue because its thread died. `isAlone` says that the thread ran no
		 * other job. Returns false if the job is no longer the daemon's own.
		 */
		async requeueCrashed(
			job: CrashedJob,
			failure: { readonly error: JobError; readonly at: number; readonly isAlone: boolean },
			options: RequeueOptions = {},
		): Promise<boolean> {
			const { error, at, isAlone } = failure;
			return giveBack(knex, job, { ...lastFailure(error, at), ...afterCrash(job, isAlone, at, options.waitMs) });
		},
		/**
		 * Puts a job of this daemon back into the queue, and records why its attempt failed. An attempt that was
		 * interrupted from outside has not failed and does not count.
		 */
		async requeue(job: JobRow, nextRunAt: number, failure?: { error: JobError; at: number }): Promise<boolean> {
			const attempts = failure ? job.attempts : job.attempts - 1;
			const why = failure && lastFailure(failure.error, failure.at);
			return giveBack(knex, job, { ...why, next_run_at: nextRunAt, attempts });
		},
		/** Counts the running jobs of each daemon, with the time when the last of their leases ends. */
		async countByDaemon(): Promise<{ id: string; jobs: number; leaseUntil: number }[]> {
			const running = knex('jobs').whereRaw(`state = 'running'`).whereNotNull('claimed_by').groupBy('claimed_by');
			const counted = running.select({ id: 'claimed_by' }).count({ jobs: '*' }).max({ leaseUntil: 'lease_until' });
			return (await counted) as unknown as { id: string; jobs: number; leaseUntil: number }[];
		},
		/** Returns the time when the oldest of the running attempts began, or undefined if none runs. */
		async findOldestStart(): Promise<number | undefined> {
			const row = await knex('jobs').where({ state: 'running' }).min({ at: 'started_at' }).first();
			return row?.at ?? undefined;
		},
		async findNextRunAt(): Promise<number | undefined> {
			const row = await knex('jobs').where({ state: 'queued' }).min({ at: 'next_run_at' }).first();
			return row?.at ?? undefined;
		},
	};
}
