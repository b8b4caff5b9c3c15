// Writes rows into the database while the caller builds the next ones.

import type { BulkInsert } from '../database/bulk-insert.ts';

/**
 * At most this many transactions of one queue run at once. While they run, the next one waits, and with it the reading
 * of the file.
 */
const MAX_IN_FLIGHT = 2;

/** A queue of rows for one table. After a failed insert every later call fails with the same error. */
export class RowWriter {
	readonly #insert: BulkInsert;
	readonly #rowsPerTransaction: number;
	#waiting: (readonly unknown[])[] = [];
	readonly #inFlight = new Set<Promise<void>>();
	#failure: unknown;

	/**
	 * @param rowsPerTransaction is the number of rows that one transaction inserts. It should be large enough that the
	 * time for an fsync does not matter, but small enough that other writers need not wait long.
	 */
	constructor(insert: BulkInsert, rowsPerTransaction: number) {
		this.#insert = insert;
		this.#rowsPerTransaction = rowsPerTransaction;
	}

	/** Adds a row to the queue. If `isDue` returns true afterwards, the caller has to await `drain`. */
	add(row: readonly unknown[]): void {
		this.#waiting.push(row);
	}

	/** Returns whether so many rows wait that `drain` must be awaited before more are added. */
	isDue(): boolean {
		return this.#waiting.length >= this.#rowsPerTransaction;
	}

	/** Starts to insert the waiting rows, and returns before they are inserted. */
	start(): void {
		if (this.#failure) throw this.#failure;
		if (this.#waiting.length === 0) return;
		const rows = this.#waiting;
		this.#waiting = [];
		const insertion = this.#insert(rows)
			.catch((error: unknown) => {
				this.#failure ??= error;
			})
			.finally(() => {
				this.#inFlight.delete(insertion);
			});
		this.#inFlight.add(insertion);
	}

	/** Starts to insert the waiting rows. It resolves as soon as a further insert could be started. */
	async drain(): Promise<void> {
		this.start();
		while (this.#inFlight.size >= MAX_IN_FLIGHT) await Promise.race(this.#inFlight);
		if (this.#failure) throw this.#failure;
	}

	/** Resolves when every row added so far is durable. */
	async flush(): Promise<void> {
		this.start();
		while (this.#inFlight.size > 0) await Promise.all(this.#inFlight);
		if (this.#failure) throw this.#failure;
	}
}
