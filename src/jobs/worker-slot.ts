import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ThreadHolder } from '../thread-holder.ts';
import type { Progress } from '../transfer/report.ts';
import type { JobRow } from './job.ts';
import type { Settlement } from './settle.ts';
import type { FromWorker, ToWorker, WorkerStart } from './worker-messages.ts';

/** This error is thrown if the thread ended in the middle of an attempt. */
class WorkerCrashError extends Error {
	override readonly name = 'WorkerCrashError';
}

/** This error is thrown if the attempt ended, but neither its success nor its failure could be written. */
export class UnsettledError extends Error {
	override readonly name = 'UnsettledError';
}

/** Tells how an attempt ended. */
export type Ended = Pick<Settlement, 'state' | 'error'>;

const CLOSE_WITHIN_MS = 5_000;

/**
 * The young generation is small, because ciphers and sealed pages hold memory that the collector does not see and frees
 * only when it runs. With the default a thread's memory grows with its file; with this it does not.
 */
export const WORKER_LIMITS = { maxYoungGenerationSizeMb: 16 } as const;

/** Manages one thread: it is started when needed and replaced when it died. It runs one attempt at a time. */
export class WorkerSlot {
	readonly #thread: ThreadHolder;
	/** The job that is running now. */
	job: JobRow | undefined;
	progress: Progress | undefined;

	constructor(start: WorkerStart) {
		const options = { workerData: start, resourceLimits: WORKER_LIMITS };
		this.#thread = new ThreadHolder(() => new Worker(new URL('./worker.ts', import.meta.url), options));
	}

	/**
	 * Runs an attempt until it is settled.
	 * @throws WorkerCrashError, UnsettledError
	 */
	async run(job: JobRow): Promise<Ended> {
		this.job = job;
		this.progress = undefined;
		try {
			return await this.#attempt(this.#thread.take(), job);
		} finally {
			this.job = undefined;
			this.progress = undefined;
		}
	}

	/** Starts the thread before its first job, because opening its connections takes longer than most files do. */
	prepare(): void {
		this.#thread.take();
	}

	/** Ends the thread at once, whatever it is doing. */
	async terminate(): Promise<void> {
		await this.#thread.running?.terminate();
	}

	/** Ends a thread that is idle, after it has closed what it opened. */
	async close(): Promise<void> {
		const worker = this.#thread.running;
		if (!worker) return;
		this.#thread.release();
		const exited = once(worker, 'exit');
		worker.postMessage({ kind: 'close' } satisfies ToWorker);
		const timer = setTimeout(() => void worker.terminate(), CLOSE_WITHIN_MS);
		await exited;
		clearTimeout(timer);
	}

	#attempt(worker: Worker, job: JobRow): Promise<Ended> {
		return new Promise((resolve, reject) => {
			const onMessage = (message: FromWorker) => {
				if (message.kind === 'progress') {
					this.progress = message.progress;
					return;
				}
				stop();
				if (message.kind === 'unsettled') reject(new UnsettledError(String(message.error)));
				else {
					if (message.isSpent) void this.close();
					resolve({ state: message.state, error: message.error });
				}
			};
			const onError = (cause: unknown) => {
				stop();
				reject(new WorkerCrashError(`the thread of job ${job.id} died`, { cause }));
			};
			const onExit = (code: number) => {
				stop();
				reject(new WorkerCrashError(`the thread of job ${job.id} ended with code ${code}`));
			};
			const stop = () => {
				worker.off('message', onMessage);
				worker.off('error', onError);
				worker.off('exit', onExit);
			};
			worker.on('message', onMessage);
			worker.on('error', onError);
			worker.on('exit', onExit);
			worker.postMessage({ kind: 'run', job } satisfies ToWorker);
		});
	}
}
