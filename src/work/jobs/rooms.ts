// Lists the objects that jobs work with, and how a worker gets them. A job only moves bytes to and from the engine and
// publishes the result.

import type { Knex } from 'knex';
import type { SpoolRooms } from '../../base/blobs/spool.ts';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { TransferEngine } from '../../engine/engine.ts';
import type { PageOwner } from '../../vault/pages/page-owner.ts';
import type { Ledger, PassEnd } from '../ledger/ledger.ts';
import type { JobEnds } from './attempts/end-jobs.ts';
import type { JobError, JobRow } from './job.ts';

/** These objects are needed for one attempt at a job. */
export interface AttemptRooms extends SpoolRooms {
	readonly database: Database;
	/** Ends the jobs whose attempts succeed. */
	readonly ends: JobEnds;
	readonly engine: Pick<TransferEngine, 'run'>;
	readonly ledgers: JobLedgers;
	readonly clock?: Clock;
	/** A job fails after this many attempts at its file, without those that ended in a crash. */
	readonly maxAttempts: number;
	/** Returns how long to wait after an attempt; see `backoff.ts` for the default. */
	readonly backoffMs?: (attempts: number) => number;
	/** This function is called as the last step of the transaction that ends a job as failed. */
	readonly onFailed?: (job: JobRow, error: JobError, transaction: Knex.Transaction) => Promise<void>;
}

/** Opens the ledgers of jobs (`src/work/ledger`). */
export interface JobLedgers {
	/** Opens the ledger of one attempt. */
	open(job: JobRow): Promise<JobLedger>;
	/** Ends the passes of jobs, as the last step of the transaction that ends the jobs. */
	end(ends: readonly PassEnd[], transaction: Knex.Transaction): Promise<void>;
	/**
	 * Drops the pages that attempts at a job have stored, unless they were adopted.
	 * @throws LeaseLostError if the job no longer belongs to the attempt that has claimed it
	 */
	drop(job: JobRow): Promise<void>;
}

/** The ledger of one attempt, with the pass that owns its pages. */
export type JobLedger = Pick<Ledger, 'begin' | 'endBroken' | 'endOf' | 'findWarning'> & PageOwner;

/** A worker thread opens these objects for itself: its own database connection, keys and engine. */
export interface WorkerRooms extends AttemptRooms {
	/** Reports an error that is a bug. No caller sees such an error. */
	onUnexpected?(error: unknown, jobId: string): void;
	close(): Promise<void>;
}

/**
 * A module that a worker thread loads by its URL, to open the objects with which it runs attempts. They are opened in
 * the thread, because functions cannot be sent to threads. `setup` is a copy of the `setup` that the pool was given.
 */
export interface RoomsModule {
	openWorkerRooms(setup: unknown): Promise<WorkerRooms>;
}
