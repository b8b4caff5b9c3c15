import { threadId } from 'node:worker_threads';

/**
 * A turn is taken from a thread that has kept it for so long, because the thread may have ended in a transaction. That
 * does no harm if it has not: SQLite's own lock still admits one writer at a time.
 */
const LONGEST_TURN_MS = 1_000;

const NOBODY = 0;

/**
 * Lets the threads of a daemon write to a SQLite database in turn. SQLite has one writer, and a thread that finds it
 * locked sleeps and looks again, so that it does nothing else meanwhile and sleeps on when the lock is free. Here it
 * waits without sleeping and is woken. Other processes take no part in this and use SQLite's lock alone.
 */
export class WriteTurn {
	/** Is passed to the other threads. It holds the thread whose turn it is. */
	readonly shared: SharedArrayBuffer;
	readonly #holder: Int32Array<SharedArrayBuffer>;
	/** The number of this thread, which differs from `NOBODY`. */
	readonly #self = threadId + 1;

	constructor(shared = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
		this.shared = shared;
		this.#holder = new Int32Array(shared);
	}

	/** Resolves when it is this thread's turn. A thread may ask for one turn at a time. */
	async take(): Promise<void> {
		for (;;) {
			const holder = Atomics.compareExchange(this.#holder, 0, NOBODY, this.#self);
			if (holder === NOBODY) return;
			if (await this.#changes(holder)) continue;
			if (Atomics.compareExchange(this.#holder, 0, holder, this.#self) === holder) return;
		}
	}

	/** Ends the turn, unless another thread has taken it meanwhile. */
	giveBack(): void {
		if (Atomics.compareExchange(this.#holder, 0, this.#self, NOBODY) === this.#self) {
			Atomics.notify(this.#holder, 0, 1);
		}
	}

	/** Waits until the turn is no longer `holder`'s; resolves to false if that takes too long. */
	async #changes(holder: number): Promise<boolean> {
		const waiting = Atomics.waitAsync(this.#holder, 0, holder, LONGEST_TURN_MS);
		if (!waiting.async) return waiting.value === 'not-equal';
		// Waiting for shared memory does not keep a process or thread from ending.
		const keepAlive = setInterval(() => {}, LONGEST_TURN_MS);
		try {
			return (await waiting.value) === 'ok';
		} finally {
			clearInterval(keepAlive);
		}
	}
}
