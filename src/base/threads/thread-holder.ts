import { setFlagsFromString } from 'node:v8';
import { type ResourceLimits, Worker, type WorkerOptions } from 'node:worker_threads';

/**
 * The old generation is first collected when it has this size. A thread that has just started has 30 MB, and what a file leaves
 * comes on top of that.
 */
const FIRST_OLD_GENERATION_MB = 40;

/**
 * Starts a thread whose heap keeps to `limits`. The daemon is started with sizes for the heap of its main thread, and V8 takes
 * those flags for every later thread too, whatever the limits of the thread say. So they are changed first; the main thread
 * keeps its sizes.
 */
export function startLimitedThread(
	file: URL,
	limits: ResourceLimits,
	options: Omit<WorkerOptions, 'resourceLimits'> = {},
): Worker {
	setFlagsFromString('--max-semi-space-size=0');
	setFlagsFromString(`--initial-old-space-size=${FIRST_OLD_GENERATION_MB}`);
	return new Worker(file, { ...options, resourceLimits: limits });
}

/** Holds one thread, which is started when it is first needed. If it has ended, the next use starts a new one. */
export class ThreadHolder {
	readonly #start: () => Worker;
	#worker: Worker | undefined;

	constructor(start: () => Worker) {
		this.#start = start;
	}

	get running(): Worker | undefined {
		return this.#worker;
	}

	take(): Worker {
		return this.#worker ?? this.#spawn();
	}

	/** Forgets the thread, so that the next use starts a new one. */
	release(): void {
		this.#worker = undefined;
	}

	#spawn(): Worker {
		const worker = this.#start();
		this.#worker = worker;
		const forget = () => {
			if (this.#worker === worker) this.#worker = undefined;
		};
		worker.once('exit', forget);
		// Code that waits for a result of the thread listens for errors too. This listener is for the times when nobody
		// waits, because an `error` event without any listener would end the process.
		worker.on('error', forget);
		return worker;
	}
}
