// The workers of one daemon. The queue is the database's; any number of daemons may take from it.

import { setTimeout as sleep } from 'node:timers/promises';
import { systemClock } from '../clock.ts';
import type { JobId } from '../database/ids.ts';
import { accountStore } from '../identity/account-store.ts';
import { type FailureLog, oncePerMinute } from '../log/repeated.ts';
import type { JobRow } from './job.ts';
import { jobStore } from './job-store.ts';
import { queueStore } from './queue-store.ts';
import { type SettleRooms, settleFailure } from './settle.ts';
import type { WorkerStart } from './worker-messages.ts';
import { type Ended, UnsettledError, WorkerSlot } from './worker-slot.ts';

export interface PoolLogger {
	info(details: object, message: string): void;
	warn(details: object, message: string): void;
	error(details: object, message: string): void;
}

export interface PoolOptions {
	/** Settles jobs whose thread died; has no engine. */
	readonly rooms: SettleRooms;
	readonly daemonId: string;
	readonly workers: number;
	readonly start: WorkerStart;
	/** Jobs of a daemon silent this long go to another one. */
	readonly leaseMs: number;
	/** How often the queue is looked at where nobody calls `wake`. */
	readonly pollMs?: number;
	readonly logger?: PoolLogger;
	/** Called when a job has ended, or waits for another attempt. */
	readonly onSettled?: (jobId: JobId, state: string) => void;
}

const POLL_MS = 1_000;
const PROGRESS_MS = 1_000;

export class Pool {
	readonly #options: PoolOptions;
	/** For what is met again every second. */
	readonly #failures: FailureLog | undefined;
	readonly #slots: WorkerSlot[];
	readonly #running = new Set<Promise<void>>();
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
		const tick = () => {
			this.#upkeepUnderWay ??= this.#keepUp().finally(() => {
				this.#upkeepUnderWay = undefined;
			});
		};
		this.#upkeep = setInterval(tick, Math.min(PROGRESS_MS, options.leaseMs / 3));
		this.#loop = this.#dispatch();
	}

	/** Jobs that run in this process now. */
	get runningJobs(): JobId[] {
		return this.#slots.flatMap((slot) => slot.job?.id ?? []);
	}

	/** Says that there may be work: the queue is looked at right away. */
	wake(): void {
		this.#isWoken = true;
		this.#wakeUp?.();
	}

	/**
	 * Has a thread ready, for when a job is about to come: starting one takes longer than most files do. Not done before,
	 * since each takes some 50 MB, and a daemon may never see a file.
	 */
	prepare(): void {
		if (!this.#isClosing) this.#slots.find((slot) => slot.job === undefined)?.prepare();
	}

	/**
	 * Takes no more jobs, gives those under way `drainMs`, then cuts them off and puts them back into the queue: they
	 * start anew on the next daemon and lose no attempt by it.
	 */
	async close(drainMs = 0): Promise<void> {
		this.#isClosing = true;
		this.wake();
		await this.#loop;
		const drained = Promise.all(this.#running);
		if (this.#running.size > 0) await Promise.race([drained, sleep(drainMs, undefined, { ref: false })]);
		await Promise.all(this.#slots.map((slot) => (slot.job ? slot.terminate() : slot.close())));
		await Promise.all(this.#running);
		await Promise.all(this.#slots.map((slot) => slot.close()));
		clearInterval(this.#upkeep);
		await this.#upkeepUnderWay;
	}

	async #dispatch(): Promise<void> {
		while (!this.#isClosing) {
			this.#isWoken = false;
			const slot = this.#slots.find((each) => each.job === undefined);
			const job = slot && (await this.#claim());
			if (!job) {
				await this.#rest();
				continue;
			}
			const run = this.#run(slot, job).finally(() => {
				this.#running.delete(run);
				this.wake();
			});
			this.#running.add(run);
			this.prepare();
		}
	}

	async #claim(): Promise<JobRow | undefined> {
		const now = this.#now();
		const { daemonId, leaseMs } = this.#options;
		try {
			return await this.#queue().claim({ daemonId, now, leaseUntil: now + leaseMs });
		} catch (error) {
			this.#failures?.warn({ err: error }, 'the queue cannot be read');
			return undefined;
		}
	}

	/** Until somebody calls `wake`, or for a while. */
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
			// Its lease runs out, and whoever sees that first requeues it.
			logger?.error({ ...about, err: error }, 'attempt could not be settled');
		}
	}

	/** As people know it; by its number where the database does not answer. */
	async #accountOf({ account_id: id }: JobRow): Promise<string | number> {
		const { knex } = this.#options.rooms.database;
		return (
			(
				await accountStore(knex)
					.findById(id)
					.catch(() => undefined)
			)?.user_id ?? id
		);
	}

	async #attempt(slot: WorkerSlot, job: JobRow): Promise<Ended> {
		const { rooms } = this.#options;
		// Attempts that ended with their whole daemon were counted and never settled: such a file must not go on for ever.
		if (job.attempts > rooms.maxAttempts) {
			return settleFailure(rooms, job, new Error('every attempt ended with its daemon'));
		}
		try {
			return await slot.run(job);
		} catch (error) {
			if (error instanceof UnsettledError) throw error;
			if (this.#isClosing) {
				await this.#queue().requeue(job, this.#now());
				return { state: 'queued' };
			}
			this.#options.logger?.error({ jobId: job.id, err: error }, 'worker died');
			return await settleFailure(rooms, job, error);
		}
	}

	/** Shows progress, keeps leases and takes over those of dead daemons. A failure is met again a second later. */
	async #keepUp(): Promise<void> {
		try {
			const now = this.#now();
			for (const { job, progress } of this.#slots) {
				if (job && progress) await this.#queue().writeProgress(job.id, this.#options.daemonId, progress);
			}
			if (now - this.#renewedAtMs < this.#options.leaseMs / 3) return;
			this.#renewedAtMs = now;
			await this.#renewLeases(now + this.#options.leaseMs);
			const requeued = await this.#queue().requeueExpired(now, now);
			if (requeued.length === 0) return;
			this.#options.logger?.warn({ jobs: requeued }, 'jobs of a silent daemon are queued again');
			this.wake();
		} catch (error) {
			this.#failures?.warn({ err: error }, 'leases cannot be renewed');
		}
	}

	async #renewLeases(until: number): Promise<void> {
		const busy = this.#slots.filter((slot) => slot.job !== undefined);
		if (busy.length === 0) return;
		const asked = busy.map((slot) => slot.job!);
		const kept = await this.#queue().renew(
			asked.map((job) => job.id),
			this.#options.daemonId,
			until,
		);
		for (const [i, slot] of busy.entries()) {
			// Ended meanwhile, or taken away: an attempt nobody waits for must not go on writing.
			if (kept.has(asked[i].id) || slot.job !== asked[i]) continue;
			const row = await jobStore(this.#options.rooms.database.knex).findById(asked[i].id);
			const isTaken =
				row?.state === 'queued' || (row?.state === 'running' && row.claimed_by !== this.#options.daemonId);
			if (isTaken && slot.job === asked[i]) await slot.terminate();
		}
	}

	#queue() {
		const { knex, dialect } = this.#options.rooms.database;
		return queueStore(knex, dialect);
	}

	#now(): number {
		return (this.#options.rooms.clock ?? systemClock).now().getTime();
	}
}
