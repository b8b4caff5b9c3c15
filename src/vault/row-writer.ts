// Writes rows into the database while the caller builds the next ones.

import type { BulkInsert } from '../database/bulk-insert.ts';

/** At most this many transactions run at once; when more are needed, reading the file waits for the database. */
const MAX_IN_FLIGHT = 2;

/** A queue of rows for one table. After a failed insert every later call fails with the same error. */
export class RowWriter {
	readonly #insert: BulkInsert;
	readonly #rowsPerTransaction: number;
	#waiting: (readonly unknown[])[] = [];
	readonly #inFlight = new Set<Promise<void>>();
	#failure: unknown;

	/**
	 * @param rowsPerTransaction is large enough that the cost of an fsync does not matter, and small enough not to delay
	 * other writers.
	 */
	constructor(insert: BulkInsert, rowsPerTransaction: number) {
		this.#insert = insert;
		this.#rowsPerTransaction = rowsPerTransaction;
	}

	/** Adds a row to the queue. If `isDue` then returns true, `drain` has to be called. */
	add(row: readonly unknown[]): void {
		this.#waiting.push(row);
	}

	/** Returns whether `drain` must be awaited before more rows are added. */
	isDue(): boolean {
		return this.#waiting.length >= this.#rowsPerTransaction;
	}

	/** Starts an insert for the waiting rows. */
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

	/** Starts an insert for the waiting rows; resolves as soon as there is room for more. */
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
