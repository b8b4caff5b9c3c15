import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import type { JobId } from '../../../base/database/ids.ts';
import { startLimitedThread, ThreadHolder } from '../../../base/threads/thread-holder.ts';
import type { Progress } from '../../../engine/report.ts';
import type { JobRow } from '../job.ts';
import type { Settlement } from './settle.ts';
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts';

/** This error is thrown if the thread ended before it could run attempts, for example because keys cannot be read. */
class WorkerStartError extends Error {
	override readonly name = 'WorkerStartError';
}

/** This error is thrown if the thread ended in the middle of an attempt. */
export class WorkerCrashError extends Error {
	override readonly name = 'WorkerCrashError';
	/** True if the thread ran no other attempt. */
	readonly isAlone: boolean;

	constructor(message: string, isAlone: boolean, options: ErrorOptions) {
		super(message, options);
		this.isAlone = isAlone;
	}
}

export class InterruptedError extends Error {
	override readonly name = 'InterruptedError';
}

/** This error is thrown if the attempt ended, but neither its success nor its failure could be written. */
export class UnsettledError extends Error {
	override readonly name = 'UnsettledError';
}

export type Ended = Pick<Settlement, 'state' | 'error'>;

const CLOSE_WITHIN_MS = 5_000;

/**
 * The young generation of the heap is small, because ciphers and sealed pages hold memory that the garbage collector does
 * not see and frees only when it runs. With the default size a thread's memory would grow with its file.
 */
export const WORKER_LIMITS = { maxYoungGenerationSizeMb: 16 } as const;

/**
 * At most this many small jobs run in a thread at once. Each spends most of its time waiting for the database, and jobs
 * that run together share its statements and commits.
 */
const MOST_SHARING = 16;

/**
 * The limits of jobs that may share a thread. If a thread dies, each of its jobs gets a thread of its own from then on,
 * so that a file that kills its thread harms other jobs only once.
 */
export const SHARING = { mostBytes: 128 * 1024, mostAttempts: 1 } as const;

interface Running {
	readonly job: JobRow;
	readonly worker: Worker;
	progress: Progress | undefined;
	/** Resolves when the attempt is no longer among the running ones. */
	readonly ended: Promise<void>;
	resolve(ended: Ended): void;
	reject(error: unknown): void;
}

/**
 * Manages one thread: starts it when needed and replaces it after it died. The thread runs one attempt, or several of
 * small files. The slot is in one of these states:
 * - *empty*: there is no thread. `prepare` or `run` starts one.
 * - *starting*: the thread opens its keys and its database. If it ends now, its attempts fail with a `WorkerStartError`,
 *   because no file can be the cause. Its message `ready` makes it ready.
 * - *ready*: it runs attempts, or waits for one. If it ends by itself, its attempts fail with a `WorkerCrashError`, and
 *   the slot is empty.
 * - *spent*: an attempt has met a bug, and said so when it ended. The thread begins no further attempt, and is closed
 *   when the last one has ended.
 * - *terminated*: `terminate` has ended the thread, and its attempts fail with an `InterruptedError`.
 *
 * A slot never has two threads that begin attempts: one that is closed or has died is let go before the next is started.
 */
export class WorkerSlot {
	readonly #thread: ThreadHolder;
	readonly #running = new Map<JobId, Running>();
	#usedAtMs = 0;
	#closing: Promise<void> | undefined;
	/** True if the thread has met a bug. It is then closed as soon as its attempts have ended. */
	#isSpent = false;
	/** The threads that can run attempts, and those that `terminate` has ended. */
	readonly #ready = new WeakSet<Worker>();
	readonly #terminated = new WeakSet<Worker>();

	constructor(start: WorkerStart) {
		const file = new URL('./worker.ts', import.meta.url);
		this.#thread = new ThreadHolder(() => this.#listen(startLimitedThread(file, WORKER_LIMITS, { workerData: start })));
	}

	get running(): readonly { readonly job: JobRow; readonly progress: Progress | undefined }[] {
		return [...this.#running.values()];
	}

	/** Tells which jobs may begin now: any job, only jobs that may share the thread with those that run in it, or none. */
	get takes(): 'any' | 'sharing' | 'none' {
		if (this.#running.size === 0) return 'any';
		if (this.#isSpent || this.#running.size >= MOST_SHARING) return 'none';
		return this.running.every(({ job }) => mayShareThread(job)) ? 'sharing' : 'none';
	}

	/**
	 * The number of jobs that may begin now, if all of them may share the thread. It is 0 while the thread runs more
	 * than half of the jobs that it has space for, so that the next jobs begin together and share statements.
	 */
	get places(): number {
		const free = MOST_SHARING - this.#running.size;
		return this.takes === 'none' || free < MOST_SHARING / 2 ? 0 : free;
	}

	/**
	 * Tells how well this thread suits a job; 0 if it does not take the job. Files that may share a thread go where others
	 * are, so that they share statements, and few of them need no second thread.
	 */
	suits(job: JobRow): number {
		if (this.takes === 'none') return 0;
		if (this.takes === 'sharing') return mayShareThread(job) ? 3 : 0;
		return this.#thread.running ? 2 : 1;
	}

	/** Since when, by the clock of `performance`, the thread waits for a job; undefined if it runs one or there is none. */
	get idleSinceMs(): number | undefined {
		return this.#running.size > 0 || !this.#thread.running ? undefined : this.#usedAtMs;
	}

	/** Tells whether this thread runs the job under the claim of `job`, and not under another claim of it. */
	runs(job: JobRow): boolean {
		return this.#running.get(job.id)?.job === job;
	}

	/**
	 * Runs an attempt until its outcome is recorded.
	 * @throws WorkerStartError, WorkerCrashError or InterruptedError if the thread ended before that; UnsettledError if the
	 * outcome could not be recorded
	 */
	async run(job: JobRow): Promise<Ended> {
		// A job can be queued again, and claimed, before this thread is heard to have ended its last attempt.
		const before = this.#running.get(job.id);
		if (before) await before.ended;
		const worker = this.#thread.take();
		const ended = Promise.withResolvers<void>();
		try {
			return await new Promise((resolve, reject) => {
				this.#running.set(job.id, { job, worker, progress: undefined, ended: ended.promise, resolve, reject });
				worker.postMessage({ kind: 'run', job } satisfies ToWorker);
			});
		} finally {
			this.#running.delete(job.id);
			this.#usedAtMs = performance.now();
			if (this.#isSpent && this.#running.size === 0) {
				this.#isSpent = false;
				void this.close();
			}
			ended.resolve();
		}
	}

	/** Starts the thread before its first job, because opening its connections takes longer than most files do. */
	prepare(): void {
		this.#usedAtMs = performance.now();
		this.#thread.take();
	}

	/** Ends the thread at once, whatever it is doing. */
	async terminate(): Promise<void> {
		const worker = this.#thread.running;
		if (worker) this.#terminated.add(worker);
		await worker?.terminate();
	}

	/** Ends the idle thread after it has closed everything that it opened. */
	async close(): Promise<void> {
		const worker = this.#thread.running;
		if (worker) this.#closing = this.#end(worker);
		await this.#closing;
	}

	async #end(worker: Worker): Promise<void> {
		this.#thread.release();
		const exited = once(worker, 'exit');
		worker.postMessage({ kind: 'close' } satisfies ToWorker);
		const timer = setTimeout(() => void worker.terminate(), CLOSE_WITHIN_MS);
		// A thread that fails while it closes has ended too.
		await exited.catch(() => {});
		clearTimeout(timer);
	}

	#listen(worker: Worker): Worker {
		const died = (how: string, cause?: unknown) => {
			const affected = [...this.#running.values()].filter((running) => running.worker === worker);
			for (const { job, reject } of affected) {
				const message = `the thread of job ${job.id} ${how}`;
				if (this.#terminated.has(worker)) reject(new InterruptedError(message));
				else if (!this.#ready.has(worker)) reject(new WorkerStartError(message, { cause }));
				else reject(new WorkerCrashError(message, affected.length === 1, { cause }));
			}
		};
		worker.on('message', (message: FromWorker) => {
			if (message.kind === 'ready') this.#ready.add(worker);
			else this.#hear(message);
		});
		worker.on('error', (cause: unknown) => died('died', cause));
		worker.on('exit', (code: number) => died(`ended with code ${code}`));
		return worker;
	}

	#hear(message: Exclude<FromWorker, { kind: 'ready' }>): void {
		const running = this.#running.get(message.jobId);
		if (!running) return;
		if (message.kind === 'progress') running.progress = message.progress;
		else if (message.kind === 'unsettled') running.reject(new UnsettledError(String(message.error)));
		else {
			this.#isSpent ||= message.isSpent;
			running.resolve({ state: message.state, error: message.error });
		}
	}
}

function mayShareThread({ bytes_total, attempts }: JobRow): boolean {
	return bytes_total <= SHARING.mostBytes && attempts <= SHARING.mostAttempts;
}
