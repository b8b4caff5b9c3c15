import type { Worker } from 'node:worker_threads';
import { type Reason, ServiceError } from '../../errors.ts';
import { startLimitedThread } from '../../limited-thread.ts';
import { ThreadHolder } from '../../thread-holder.ts';
import type { BodyResult, BodyTask, FromBodyThread, ToBodyThread } from './body-task.ts';

/** An idle thread ends after this time, because each takes some 40 MB. */
const IDLE_MS = 60_000;
/** The limits of a thread's heap. It is small, because it holds the values found in bodies, but not the bodies. */
const LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 112 } as const;

/** This error means that a thread failed while it worked on a body. */
class BodyThreadError extends Error {
	override readonly name = 'BodyThreadError';
}

/** Manages one thread: it is started when needed, and ended when it takes too long or is idle. */
export class BodySlot {
	readonly #maxMs: number;
	readonly #thread = new ThreadHolder(startThread);
	#idle: NodeJS.Timeout | undefined;
	isBusy = false;

	constructor(maxMs: number) {
		this.#maxMs = maxMs;
	}

	/**
	 * Runs a task in the thread.
	 * @throws ServiceError if the task throws one, or if it takes too long or needs too much memory
	 */
	async run(task: BodyTask, bytes: Uint8Array<ArrayBuffer>): Promise<BodyResult> {
		this.isBusy = true;
		clearTimeout(this.#idle);
		try {
			return await this.#ask(this.#thread.take(), { task, bytes });
		} finally {
			this.isBusy = false;
			this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
		}
	}

	async close(): Promise<void> {
		clearTimeout(this.#idle);
		// The thread is forgotten before it has ended, so that a body that arrives meanwhile gets a new thread.
		const worker = this.#thread.running;
		this.#thread.release();
		await worker?.terminate();
	}

	#ask(worker: Worker, message: ToBodyThread): Promise<BodyResult> {
		return new Promise((resolve, reject) => {
			const onMessage = (answer: FromBodyThread) => {
				stop();
				if (answer.kind === 'done') resolve(answer.result);
				else if (answer.kind === 'refused') {
					reject(new ServiceError(answer.reason as Reason, { moreInfo: answer.moreInfo }));
				} else reject(new BodyThreadError(`a body could not be read: ${answer.name}`));
			};
			const onError = (cause: Error & { code?: string }) => {
				stop();
				if (cause.code !== 'ERR_WORKER_OUT_OF_MEMORY') reject(new BodyThreadError('the thread died', { cause }));
				else reject(tooMuch('more memory'));
			};
			const onExit = () => {
				stop();
				reject(new ServiceError('too-many-calls'));
			};
			const timer = setTimeout(() => {
				stop();
				reject(tooMuch('longer'));
				void worker.terminate();
				this.#thread.release();
			}, this.#maxMs);
			const stop = () => {
				clearTimeout(timer);
				worker.off('message', onMessage);
				worker.off('error', onError);
				worker.off('exit', onExit);
			};
			worker.on('message', onMessage);
			worker.on('error', onError);
			worker.on('exit', onExit);
			worker.postMessage(message, [message.bytes.buffer]);
		});
	}
}

function startThread(): Worker {
	const worker = startLimitedThread(new URL('./body-thread.ts', import.meta.url), LIMITS);
	// The thread does not keep the process alive. Only a running task does, through its timer.
	worker.unref();
	return worker;
}

function tooMuch(what: string): ServiceError {
	return new ServiceError('bad-input-data', { moreInfo: `body: takes ${what} to be searched than is available` });
}
