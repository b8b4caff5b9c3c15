// Inserts the rows of a file or batch into the database while it is still being read.

import { type BulkInsert, bulkInsert } from '../../base/database/bulk-insert.ts';
import type { Database } from '../../base/database/open.ts';
import { CARD_COLUMNS, type CardTable } from './card-rows.ts';
import type { CommitPolicy } from './card-writer.ts';

/**
 * One transaction inserts so many rows that the time for an fsync does not matter, but so few that other writers need
 * not wait long.
 */
const PAGES_PER_TRANSACTION = 1024;
const SIDE_ROWS_PER_TRANSACTION = 4096;
/**
 * At most this many transactions for one table run at once. While they run, the next one waits, and with it the reading
 * of the file.
 */
const MAX_IN_FLIGHT = 2;

interface Queue {
	readonly insert: BulkInsert;
	readonly rowsPerTransaction: number;
	waiting: (readonly unknown[])[];
	readonly inFlight: Set<Promise<unknown>>;
}

/** Has a queue of rows for each table. After a failed insert, `drain` and `flush` always fail with the same error. */
export class BulkCommit implements CommitPolicy {
	readonly #queues: Map<CardTable, Queue>;
	#failure: unknown;

	constructor({ knex, dialect }: Pick<Database, 'knex' | 'dialect'>) {
		const queueOf = (table: CardTable): Queue => ({
			insert: bulkInsert(knex, dialect, table, CARD_COLUMNS[table]),
			rowsPerTransaction: table === 'pages' ? PAGES_PER_TRANSACTION : SIDE_ROWS_PER_TRANSACTION,
			waiting: [],
			inFlight: new Set(),
		});
		this.#queues = new Map((Object.keys(CARD_COLUMNS) as CardTable[]).map((table) => [table, queueOf(table)]));
	}

	add(table: CardTable, values: readonly unknown[]): void {
		this.#queues.get(table)!.waiting.push(values);
	}

	async drain(): Promise<void> {
		for (const queue of this.#queues.values()) {
			if (queue.waiting.length < queue.rowsPerTransaction) continue;
			this.#start(queue);
			while (queue.inFlight.size >= MAX_IN_FLIGHT) await Promise.race(queue.inFlight);
			if (this.#failure) throw this.#failure;
		}
	}

	async flush(): Promise<void> {
		// All inserts start before the first of them is awaited, so that they can share a transaction.
		for (const queue of this.#queues.values()) this.#start(queue);
		for (const { inFlight } of this.#queues.values()) while (inFlight.size > 0) await Promise.all(inFlight);
		if (this.#failure) throw this.#failure;
	}

	#start(queue: Queue): void {
		if (this.#failure) throw this.#failure;
		if (queue.waiting.length === 0) return;
		const insertion: Promise<unknown> = queue
			.insert(queue.waiting)
			.catch((error) => (this.#failure ??= error))
			.finally(() => queue.inFlight.delete(insertion));
		queue.waiting = [];
		queue.inFlight.add(insertion);
	}
}
