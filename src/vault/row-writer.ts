// Brings rows into the database while the next ones are being made.

import type { BulkInsert } from '../database/bulk-insert.ts';

/** Transactions under way at once; beyond, the file waits for the database. */
const MAX_IN_FLIGHT = 2;

/** A queue of rows for one table. A failed insert fails every later call with the same error. */
export class RowWriter {
	private readonly insert: BulkInsert;
	private readonly rowsPerTransaction: number;
	private waiting: (readonly unknown[])[] = [];
	private readonly inFlight = new Set<Promise<void>>();
	private failure: unknown;

	/** @param rowsPerTransaction large enough that an fsync does not matter, small enough not to hold others up. */
	constructor(insert: BulkInsert, rowsPerTransaction: number) {
		this.insert = insert;
		this.rowsPerTransaction = rowsPerTransaction;
	}

	/** Takes a row over; `isDue` says when to drain. */
	add(row: readonly unknown[]): void {
		this.waiting.push(row);
	}

	/** Whether `drain` must be awaited before more rows are made. */
	isDue(): boolean {
		return this.waiting.length >= this.rowsPerTransaction;
	}

	/** Starts an insert for what waits; settles as soon as there is room for more. */
	async drain(): Promise<void> {
		this.start();
		while (this.inFlight.size >= MAX_IN_FLIGHT) await Promise.race(this.inFlight);
		if (this.failure) throw this.failure;
	}

	/** Settles when every row added so far is durable. */
	async flush(): Promise<void> {
		this.start();
		while (this.inFlight.size > 0) await Promise.all(this.inFlight);
		if (this.failure) throw this.failure;
	}

	private start(): void {
		if (this.failure) throw this.failure;
		if (this.waiting.length === 0) return;
		const rows = this.waiting;
		this.waiting = [];
		const insertion = this.insert(rows)
			.catch((error: unknown) => {
				this.failure ??= error;
			})
			.finally(() => {
				this.inFlight.delete(insertion);
			});
		this.inFlight.add(insertion);
	}
}
