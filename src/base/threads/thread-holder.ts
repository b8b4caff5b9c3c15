import type { Worker } from 'node:worker_threads';

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
