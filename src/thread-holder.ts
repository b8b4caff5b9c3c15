import type { Worker } from 'node:worker_threads';

/** Holds one thread. The thread is started when it is first needed, and again after it has ended. */
export class ThreadHolder {
	readonly #start: () => Worker;
	#worker: Worker | undefined;

	constructor(start: () => Worker) {
		this.#start = start;
	}

	/** Returns the thread if it is running. */
	get running(): Worker | undefined {
		return this.#worker;
	}

	/** Returns the thread, and starts it if it is not running. */
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
		// The code that waits for the work of the thread also gets the error. This listener is needed because an
		// `error` event without a listener would end the process.
		worker.on('error', forget);
		return worker;
	}
}
