import type { Worker } from 'node:worker_threads';

/** Holds one thread: it is started when it is needed, and another one takes the place of one that ended. */
export class ThreadHolder {
	readonly #start: () => Worker;
	#worker: Worker | undefined;

	constructor(start: () => Worker) {
		this.#start = start;
	}

	/** Returns the thread that runs, if one does. */
	get running(): Worker | undefined {
		return this.#worker;
	}

	/** Returns the thread that runs, or starts one. */
	take(): Worker {
		return this.#worker ?? this.#spawn();
	}

	/** Gives the thread up: the next one to need a thread gets another. */
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
		// Whoever waits for the work of the thread gets the error; without a listener it would end the process.
		worker.on('error', forget);
		return worker;
	}
}
