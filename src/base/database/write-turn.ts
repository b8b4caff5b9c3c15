import { isMainThread, threadId } from 'node:worker_threads';

/**
 * A thread that has kept its turn for longer than this loses it, because it may have ended in the middle of a
 * transaction. If it is still running, this does no harm, because SQLite's own lock admits only one writer at a time.
 */
const LONGEST_TURN_MS = 1_000;

/**
 * A worker thread lets the main thread write first for no longer than this, so that it makes progress however much the
 * main thread writes.
 */
const LONGEST_PRECEDENCE_MS = 20;

const NOBODY = 0;
/**
 * The indexes of two values in the shared memory. At `HOLDER` is the number of the thread that has the turn; at
 * `DOORS_WAIT` is 1 while the main thread waits for a turn, and 0 otherwise.
 */
const HOLDER = 0;
const DOORS_WAIT = 1;

/** The index of the value that is 1 once a sync has failed in any thread, and 0 until then (`WalSync`). */
export const SYNC_FAILED = 2;

/** Returns memory that the threads of a process share: three values, each of which is 0. */
export function threadMemory(): SharedArrayBuffer {
	return new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT);
}

/**
 * Lets the threads of a daemon write to a SQLite database in turn. SQLite admits one writer. A thread that finds the
 * database locked sleeps and checks again, so that it is blocked meanwhile and may still sleep when the lock is free.
 * With this class it waits without blocking and is woken. The main thread, for which clients wait, has precedence over
 * worker threads. Other processes do not take turns and rely on SQLite's lock alone.
 */
export class WriteTurn {
	readonly #state: Int32Array<SharedArrayBuffer>;
	/** The number of this thread, which differs from `NOBODY`. */
	readonly #self = threadId + 1;

	constructor(shared: SharedArrayBuffer) {
		this.#state = new Int32Array(shared);
	}

	/** Resolves when it is this thread's turn. A thread may wait for only one turn at a time. */
	async take(): Promise<void> {
		if (isMainThread) Atomics.store(this.#state, DOORS_WAIT, 1);
		try {
			for (;;) {
				if (!isMainThread) await this.#changes(DOORS_WAIT, 1, LONGEST_PRECEDENCE_MS);
				const holder = Atomics.compareExchange(this.#state, HOLDER, NOBODY, this.#self);
				if (holder === NOBODY) return;
				if (await this.#changes(HOLDER, holder, LONGEST_TURN_MS)) continue;
				if (Atomics.compareExchange(this.#state, HOLDER, holder, this.#self) === holder) return;
			}
		} finally {
			if (isMainThread) {
				Atomics.store(this.#state, DOORS_WAIT, 0);
				Atomics.notify(this.#state, DOORS_WAIT);
			}
		}
	}

	/** Ends the turn, unless another thread has taken it meanwhile. */
	giveBack(): void {
		if (Atomics.compareExchange(this.#state, HOLDER, this.#self, NOBODY) !== this.#self) return;
		// The first thread that is woken takes the turn. If the main thread waits, all threads are woken, because
		// waking only the one that has waited longest might miss the main thread.
		Atomics.notify(this.#state, HOLDER, Atomics.load(this.#state, DOORS_WAIT) === 1 ? Infinity : 1);
	}

	/**
	 * Waits until the shared value at `index` is no longer `value`. Resolves to false if it does not change within
	 * `withinMs`.
	 */
	async #changes(index: number, value: number, withinMs: number): Promise<boolean> {
		const waiting = Atomics.waitAsync(this.#state, index, value, withinMs);
		if (!waiting.async) return waiting.value === 'not-equal';
		// A process or thread whose only work is to wait for shared memory would end, so a timer keeps it running.
		const keepAlive = setInterval(() => {}, LONGEST_TURN_MS);
		try {
			return (await waiting.value) === 'ok';
		} finally {
			clearInterval(keepAlive);
		}
	}
}
