import { isMainThread, threadId } from 'node:worker_threads';

/**
 * A turn is taken from a thread that has kept it for so long, because the thread may have ended in a transaction. That
 * does no harm if it has not: SQLite's own lock still admits one writer at a time.
 */
const LONGEST_TURN_MS = 1_000;

/** A thread with files waits no longer than this for the doors, so that it goes on however much they write. */
const LONGEST_PRECEDENCE_MS = 20;

const NOBODY = 0;
/** What the shared memory holds: the thread whose turn it is, and whether the main thread waits for one. */
const HOLDER = 0;
const DOORS_WAIT = 1;

/**
 * Lets the threads of a daemon write to a SQLite database in turn. SQLite has one writer, and a thread that finds it
 * locked sleeps and looks again, so that it does nothing else meanwhile and sleeps on when the lock is free. Here it
 * waits without sleeping and is woken. The main thread, for which clients wait, comes before threads with files. Other
 * processes take no part in this and use SQLite's lock alone.
 */
export class WriteTurn {
	/** Is passed to the other threads. */
	readonly shared: SharedArrayBuffer;
	readonly #state: Int32Array<SharedArrayBuffer>;
	/** The number of this thread, which differs from `NOBODY`. */
	readonly #self = threadId + 1;

	constructor(shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
		this.shared = shared;
		this.#state = new Int32Array(shared);
	}

	/** Resolves when it is this thread's turn. A thread may ask for one turn at a time. */
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
		// Whoever is woken first takes the turn. All are woken, because the main thread need not be the first that waits.
		Atomics.notify(this.#state, HOLDER, Atomics.load(this.#state, DOORS_WAIT) === 1 ? Infinity : 1);
	}

	/** Waits until a value changes; resolves to false if that takes too long. */
	async #changes(index: number, value: number, withinMs: number): Promise<boolean> {
		const waiting = Atomics.waitAsync(this.#state, index, value, withinMs);
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
