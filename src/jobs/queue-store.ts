import type { Knex } from 'knex';
import type { Dialect } from '../database/dialect.ts';
import type { JobId } from '../database/ids.ts';
import { updateRow } from '../database/kept-statements.ts';
import { UNSYNCED } from '../database/sqlite-client.ts';
import { claimStore } from './claim-store.ts';
import type { JobError, JobRow } from './job.ts';

/** The error that is recorded for an attempt whose daemon sends no sign of life. */
const SILENT: JobError = { reason: 'daemon-gone', message: 'the daemon that had begun it was gone' };

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
	return {
		...claimStore(knex, dialect),
		/** Renews the leases of jobs that this daemon runs, and returns those that are still its own. */
		async renew(ids: readonly JobId[], daemonId: string, leaseUntil: number): Promise<Set<JobId>> {
			// The rows are locked in the order of their ids, as in `lockClaims`, so that a renewal cannot deadlock with
			// `lockClaims`. `is not distinct from` keeps PostgreSQL from using the index on the state, with which it might
			// read all running jobs (see `updateRow`).
			const rows = await knex('jobs')
				.whereIn(
					'id',
					knex('jobs')
						.whereIn('id', ids as JobId[])
						.orderBy('id')
						.forUpdate()
						.select('id'),
				)
				.whereRaw(`state is not distinct from 'running' and claimed_by is not distinct from ?`, [daemonId])
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
			const expected = { id, state: 'running', claimed_by: daemonId };
			await updateRow(knex, 'jobs', expected, { bytes_read: bytesRead, ...counts }, UNSYNCED);
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
		/**
		 * Counts the running jobs of each daemon, and returns with each count the time when the last of their leases ends.
		 */
		async countByDaemon(): Promise<{ id: string; jobs: number; leaseUntil: number }[]> {
			const running = knex('jobs').whereRaw(`state = 'running'`).whereNotNull('claimed_by').groupBy('claimed_by');
			const counted = running.select('claimed_by').count({ jobs: '*' }).max({ lease: 'lease_until' });
			const rows = (await counted) as unknown as { claimed_by: string; jobs: unknown; lease: unknown }[];
			return rows.map((row) => ({ id: String(row.claimed_by), jobs: Number(row.jobs), leaseUntil: Number(row.lease) }));
		},
		/** Returns the time when the oldest of the running attempts began, or undefined if none runs. */
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
}
