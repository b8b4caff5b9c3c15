// What jobs work with, and how a worker comes by it. A job only moves bytes to the engine and from it, and publishes what
// came out.

import type { Knex } from 'knex';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import type { SpoolRooms } from '../drops/spool.ts';
import type { TransferEngine } from '../transfer/engine.ts';
import type { JobError, JobRow } from './job.ts';

/** What one attempt at a job works with. */
export interface AttemptRooms extends SpoolRooms {
	readonly database: Database;
	readonly engine: TransferEngine;
	readonly clock?: Clock;
	/** Attempts at one file before its job fails. */
	readonly maxAttempts: number;
	/** How long to wait after the attempt of that number; see `retry.ts` for the default. */
	readonly backoffMs?: (attempts: number) => number;
	/** Called last in the transaction that ends a job as failed, with which it stands or falls. */
	readonly onFailed?: (job: JobRow, error: JobError, transaction: Knex.Transaction) => Promise<void>;
}

/** What a worker thread opens for itself: a database connection, keys and an engine of its own. */
export interface WorkerRooms extends AttemptRooms {
	/** Tells what no caller is told: errors that are bugs. */
	onUnexpected?(error: unknown, jobId: string): void;
	close(): Promise<void>;
}

/**
 * A module a worker thread loads by its URL, since functions do not travel between threads. `setup` is what the pool was
 * given, copied.
 */
export interface RoomsModule {
	openWorkerRooms(setup: unknown): Promise<WorkerRooms>;
}
