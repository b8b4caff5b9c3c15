// Runs the worker threads of one daemon. The job queue is in the database, and any number of daemons may claim jobs from
// it.

import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../../../base/clock.ts';
import type { JobId } from '../../../base/database/ids.ts';
import { type FailureLog, oncePerMinute } from '../../../base/log/repeated.ts';
import { AccountNames } from '../../../people/identity/accounts/account-names.ts';
import { accountStore } from '../../../people/identity/accounts/account-store.ts';
import type { JobRow } from '../job.ts';
import { jobStore } from '../job-store.ts';
import { KillsWorkerError, killsWorker, mustRunAlone, THREAD_GONE } from './crashes.ts';
import { queueStore, UNRECORDED } from './queue-store.ts';
import { judgeFailure } from './retry.ts';
import { type SettlingParts, settleFailure } from './settle.ts';
import type { WorkerStart } from './worker-messages.ts';
import { type Ended, InterruptedError, SHARING, UnsettledError, WorkerCrashError, WorkerSlot } from './worker-slot.ts';

export interface PoolLogger {
	info(details: object, message: string): void;
	warn(details: object, message: string): void;
	error(details: object, message: string): void;
}

export interface PoolOptions {
	/**
	 * The objects with which the pool records the outcome of jobs whose worker thread died. They include no engine,
	 * because only worker threads process files.
	 */
	readonly settling: SettlingParts;
	readonly daemonId: string;
	readonly workers: number;
	readonly start: WorkerStart;
	/** Jobs of a daemon that sends no sign of life for this long are taken over by another one. */
	readonly leaseMs: number;
	/** The queue is checked this often if nobody calls `wake`. */
	readonly pollMs?: number;
	/** A thread without a job ends after this time, in milliseconds, if another one has no job either. */
	readonly spareThreadMs?: number;
	readonly logger?: PoolLogger;
	/** Tells whether this daemon may begin jobs now, and take over those of others. */
	readonly mayBegin?: () => boolean;
	/** This function is called when a job has ended or waits for another attempt. */
	readonly onSettled?: (jobId: JobId, state: string) => void;
}

const POLL_MS = 1_000;
const PROGRESS_MS = 1_000;
const SPARE_THREAD_MS = 60_000;
/**
 * While files keep arriving, the queue is checked no more often than this, so that small jobs are begun and ended
 * together. The first file after a pause does not wait.
 */
const GATHER_MS = 100;
/**
 * While all threads are busy, the queue is checked again after this time, so that by then the threads have space for
 * several jobs.
 */
const BUSY_GATHER_MS = 10;

/**
 * Claims jobs from the queue and runs them in its threads. It is *open* until `close`, then *closing*, when it claims
 * nothing more and waits for the jobs that run, and *closed* when every thread has ended. A job that it has claimed is in
 * one of these states:
 * - *running*: its thread works on it, and `#keepUp` renews its lease. It ends there by itself, because its thread died,
 *   or because the pool cuts it off: when the pool closes, or when another daemon has taken the job over.
 * - *settled*: the outcome is in the database, written by the thread or, if that died, by the pool.
 * - *unrecorded*: the attempt is over, but the database did not take the outcome. `#keepUp` puts the job back into the
 *   queue when the database answers again.
 *
 * The lease of an unrecorded job is not renewed. If this process ends meanwhile, the lease runs out, and another daemon
 * takes the job.
 */
export class Pool {
	readonly #options: PoolOptions;
	/** Logs failures that may recur every second, at most once a minute. */
	readonly #failures: FailureLog | undefined;
	readonly #slots: WorkerSlot[];
	readonly #names: AccountNames;
	readonly #running = new Set<Promise<void>>();
	/** Jobs whose attempt is over although the database could not record how it ended. */
	readonly #unrecorded = new Set<JobRow>();
	readonly #upkeep: NodeJS.Timeout;
	readonly #loop: Promise<void>;
	#upkeepUnderWay: Promise<void> | undefined;
	#renewedAtMs = 0;
	#isClosing = false;
	#isWoken = false;
	#wakeUp: (() => void) | undefined;

	constructor(options: PoolOptions) {
		this.#options = options;
		this.#failures = options.logger && oncePerMinute(options.logger);
		this.#slots = Array.from({ length: options.workers }, () => new WorkerSlot(options.start));
		this.#names = new AccountNames(accountStore(options.settling.database.knex));
		const tick = () => {
			this.#upkeepUnderWay ??= this.#keepUp().finally(() => {
				this.#upkeepUnderWay = undefined;
			});
		};
		this.#upkeep = setInterval(tick, Math.min(PROGRESS_MS, options.leaseMs / 3));
		this.#loop = this.#dispatch();
	}

	get runningJobs(): JobId[] {
		return this.#slots.flatMap((slot) => slot.running.map(({ job }) => job.id));
	}

	/** Tells the pool that there may be work, so it checks the queue at once. */
	wake(): void {
		this.#isWoken = true;
		this.#wakeUp?.();
	}

	/**
	 * Starts a thread for a job that is about to come, unless one waits already, because starting one takes longer than
	 * processing most files. No thread is started earlier, because each takes some 60 MB and a daemon may never get a file.
	 */
	prepare(): void {
		if (this.#isClosing || this.#waitingSlots().length > 0) return;
		this.#slots.find((slot) => slot.takes === 'any')?.prepare();
	}

	/**
	 * Takes no more jobs and waits up to `drainMs` for the running ones. Then it interrupts them and puts them back into
	 * the queue: they start again on the next daemon, and the interrupted attempt is not counted.
	 */
	async close(drainMs = 0): Promise<void> {
		this.#isClosing = true;
		this.wake();
		await this.#loop;
		const drained = Promise.all(this.#running);
		if (this.#running.size > 0) await Promise.race([drained, sleep(drainMs, undefined, { ref: false })]);
		await Promise.all(this.#slots.map((slot) => (slot.takes === 'any' ? slot.close() : slot.terminate())));
		await Promise.all(this.#running);
		await Promise.all(this.#slots.map((slot) => slot.close()));
		clearInterval(this.#upkeep);
		await this.#upkeepUnderWay;
	}

	async #dispatch(): Promise<void> {
		while (!this.#isClosing) {
			this.#isWoken = false;
			const places = this.#places();
			const jobs = places === 0 || !this.#mayBegin() ? [] : await this.#claim(places);
			for (const job of jobs) this.#begin(job);
			if (jobs.length === 0) await this.#rest();
			else await sleep(jobs.length < places ? GATHER_MS : BUSY_GATHER_MS);
		}
	}

	#places(): number {
		const isReserved = this.#slots.some(({ running }) => running.some(({ job }) => mustRunAlone(job)));
		return isReserved ? 0 : this.#slots.reduce((sum, slot) => sum + slot.places, 0);
	}

	async #claim(places: number): Promise<JobRow[]> {
		const now = this.#now();
		const { daemonId, leaseMs } = this.#options;
		const sharing = this.#slots.some(({ takes }) => takes === 'any') ? undefined : SHARING;
		const claimant = { daemonId, now, leaseUntil: now + leaseMs, sharing, isBusy: this.#running.size > 0 };
		try {
			return await this.#queue().claimAll(claimant, places, SHARING);
		} catch (error) {
			this.#failures?.warn({ err: error }, 'the queue cannot be read');
			return [];
		}
	}

	#begin(job: JobRow): void {
		const slot = this.#slots.reduce((best, each) => (each.suits(job) > best.suits(job) ? each : best));
		const run = this.#run(slot, job).finally(() => {
			this.#running.delete(run);
			this.wake();
		});
		this.#running.add(run);
	}

	/** Waits until `wake` is called, or until it is time for the next regular check of the queue. */
	async #rest(): Promise<void> {
		if (this.#isWoken) return;
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, this.#options.pollMs ?? POLL_MS);
			this.#wakeUp = () => {
				clearTimeout(timer);
				resolve();
			};
		});
		this.#wakeUp = undefined;
	}

	async #run(slot: WorkerSlot, job: JobRow): Promise<void> {
		const { logger, onSettled } = this.#options;
		const about = { jobId: job.id, filter: job.filter, operation: job.operation, attempt: job.attempts };
		try {
			const { state, error } = await this.#attempt(slot, job);
			const who = { account: await this.#accountOf(job), file: job.name };
			if (error) {
				const why = { reason: error.reason, why: error.message, at: error.at };
				logger?.warn({ ...about, ...who, state, ...why }, 'attempt failed');
			} else logger?.info({ ...about, ...who, state }, 'attempt ended');
			onSettled?.(job.id, state);
		} catch (error) {
			// The outcome of the attempt could not be recorded. This daemon puts the job back into the queue when the
			// database answers again. If the daemon ends before, the first one that sees the lease run out does so.
			this.#unrecorded.add(job);
			logger?.error({ ...about, err: error }, 'attempt could not be settled');
		}
	}

	/** Returns the user ID of a job's account, or its number if the database does not answer. */
	async #accountOf({ account_id: id }: JobRow): Promise<string | number> {
		await this.#names.load([id]).catch(() => {});
		return this.#names.find(id) ?? id;
	}

	async #attempt(slot: WorkerSlot, job: JobRow): Promise<Ended> {
		const { settling } = this.#options;
		if (killsWorker(job)) return settleFailure(settling, job, new KillsWorkerError());
		try {
			return await slot.run(job);
		} catch (error) {
			if (error instanceof UnsettledError) throw error;
			if (error instanceof InterruptedError) {
				const isQueued = await this.#queue().requeue(job, this.#now());
				return { state: isQueued ? 'queued' : 'lost' };
			}
			this.#options.logger?.error({ jobId: job.id, err: error }, 'worker died');
			// A thread that could not go on without the database has not been ended by its file.
			const isCrash = error instanceof WorkerCrashError && judgeFailure(error).isUnexpected;
			return isCrash ? this.#giveBackCrashed(job, error) : settleFailure(settling, job, error);
		}
	}

	async #giveBackCrashed(job: JobRow, crash: WorkerCrashError): Promise<Ended> {
		const failure = { error: THREAD_GONE, at: this.#now(), isAlone: crash.isAlone };
		const isQueued = await this.#queue().requeueCrashed(job, failure, { waitMs: this.#options.settling.backoffMs });
		return { state: isQueued ? 'queued' : 'lost', error: THREAD_GONE };
	}

	/**
	 * Saves progress, puts back jobs whose end could not be recorded, renews leases and takes over jobs of dead daemons.
	 * If this fails, it is repeated a second later.
	 */
	async #keepUp(): Promise<void> {
		try {
			const now = this.#now();
			for (const { job, progress } of this.#slots.flatMap(({ running }) => running)) {
				if (progress) await this.#queue().writeProgress(job.id, this.#options.daemonId, progress);
			}
			this.#endSpareThreads();
			await this.#giveBackUnrecorded(now);
			if (now - this.#renewedAtMs < this.#options.leaseMs / 3) return;
			this.#renewedAtMs = now;
			await this.#renewLeases(now + this.#options.leaseMs);
			if (!this.#mayBegin()) return;
			const { daemonId: ownId, settling } = this.#options;
			const requeued = await this.#queue().requeueExpired(now, now, { ownId, waitMs: settling.backoffMs });
			if (requeued.length === 0) return;
			this.#options.logger?.warn({ jobs: requeued }, 'jobs of a silent daemon are queued again');
			this.wake();
		} catch (error) {
			this.#failures?.warn({ err: error }, 'leases cannot be renewed');
		}
	}

	#waitingSlots(): WorkerSlot[] {
		return this.#slots.filter(({ idleSinceMs }) => idleSinceMs !== undefined);
	}

	/** Ends threads that have waited for a while although another one waits too. */
	#endSpareThreads(): void {
		const before = performance.now() - (this.#options.spareThreadMs ?? SPARE_THREAD_MS);
		const [, ...spare] = this.#waitingSlots();
		for (const slot of spare) if (slot.idleSinceMs! < before) void slot.close();
	}

	async #giveBackUnrecorded(now: number): Promise<void> {
		for (const job of this.#unrecorded) {
			const isQueued = await this.#queue().requeue(job, now, { error: UNRECORDED, at: now });
			this.#unrecorded.delete(job);
			if (isQueued) this.wake();
		}
	}

	async #renewLeases(until: number): Promise<void> {
		const asked = this.#slots.flatMap((slot) => slot.running.map(({ job }) => ({ slot, job })));
		if (asked.length === 0) return;
		const kept = await this.#queue().renew(
			asked.map(({ job }) => job.id),
			this.#options.daemonId,
			until,
		);
		for (const { slot, job } of asked) {
			// A job whose lease could not be renewed has ended meanwhile, or was taken over by another daemon. The attempt
			// at a job that was taken over must not go on writing.
			if (kept.has(job.id) || !slot.runs(job)) continue;
			const row = await jobStore(this.#options.settling.database.knex).findById(job.id);
			const isTaken =
				row?.state === 'queued' || (row?.state === 'running' && row.claimed_by !== this.#options.daemonId);
			if (isTaken && slot.runs(job)) await slot.terminate();
		}
	}

	#queue() {
		const { knex, dialect } = this.#options.settling.database;
		return queueStore(knex, dialect);
	}

	#mayBegin(): boolean {
		return this.#options.mayBegin?.() ?? true;
	}

	#now(): number {
		return (this.#options.settling.clock ?? systemClock).now().getTime();
	}
}
