// Names what jobs work with, and how a worker gets it. A job only moves bytes to and from the engine and
// publishes the result.

import type { Knex } from 'knex';
import type { SpoolStore } from '../../base/blobs/spool.ts';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { TransferEngine } from '../../engine/engine.ts';
import type { PageOwner } from '../../vault/pages/page-owner.ts';
import type { Ledger, PassEnd } from '../ledger/ledger.ts';
import type { Messages } from '../pgp/messages.ts';
import type { JobEnds } from './attempts/end-jobs.ts';
import type { JobError, JobRow } from './job.ts';

/** Is called as the last step of the transaction that ends a job as failed. */
export type OnFailed = (job: JobRow, error: JobError, transaction: Knex.Transaction) => Promise<void>;

/** What one attempt at a job works with. */
export interface AttemptParts extends SpoolStore {
	readonly database: Database;
	readonly ends: JobEnds;
	readonly engine: Pick<TransferEngine, 'run'>;
	readonly ledgers: JobLedgers;
	/** Decrypts inputs and encrypts outputs. */
	readonly messages: Messages;
	readonly clock?: Clock;
	/** A job fails after this many attempts at its file, without those that ended in a crash. */
	readonly maxAttempts: number;
	/** Returns how long to wait after an attempt; see `backoffMs` for the default. */
	readonly backoffMs?: (attempts: number) => number;
	readonly onFailed?: OnFailed;
}

export interface JobLedgers {
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

/** What a worker thread opens for itself: its own database connection, keys and engine. */
export interface WorkerParts extends AttemptParts {
	/** Reports an error that is a bug. No caller sees such an error. */
	onUnexpected?(error: unknown, jobId: string): void;
	close(): Promise<void>;
}

/**
 * A module that a worker thread loads by its URL, to open that with which it runs attempts. It is opened in
 * the thread, because functions cannot be sent to threads. `setup` is a copy of the `setup` that the pool was given.
 */
export interface WorkerModule {
	openWorkerParts(setup: unknown): Promise<WorkerParts>;
}
