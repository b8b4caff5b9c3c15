// Lets callers that write at the same moment share a transaction and its statements, because a commit and the round trips
// to the database take longer than the writes of each caller.

import type { Knex } from 'knex';
import { type Dialect, transact, transactAnew } from './dialect.ts';
import { untilNoneArrive } from './gather.ts';

/** Defines how work items of one kind are done in one transaction. */
export interface WorksTogether<Work, Result> {
	/**
	 * Returns a text by which the work items of a transaction are sorted, so that transactions of several daemons lock the
	 * same rows in the same order and cannot deadlock. Two items with the same text never share a transaction.
	 */
	orderOf(work: Work): string;
	/**
	 * Does all of these work items, or throws and thereby does none of them. It may be called again with the same items
	 * after their transaction was rolled back.
	 */
	doAll(transaction: Knex.Transaction, works: readonly Work[]): Promise<readonly Result[]>;
}

interface Waiting<Work, Result> {
	readonly work: Work;
	readonly order: string;
	resolve(result: Result): void;
	reject(error: unknown): void;
}

/** The largest number of work items in one transaction. With more, other writers would wait too long. */
const MOST_WORKS = 16;

export class SharedTransactions<Work, Result> {
	readonly #database: { readonly knex: Knex; readonly dialect: Dialect };
	readonly #together: WorksTogether<Work, Result>;
	#waiting: Waiting<Work, Result>[] = [];
	#isRunning = false;

	constructor(database: { readonly knex: Knex; readonly dialect: Dialect }, together: WorksTogether<Work, Result>) {
		this.#database = database;
		this.#together = together;
	}

	/**
	 * Does a work item in a transaction, which is durable when this resolves. If a shared transaction fails, each of its
	 * items is done in a transaction of its own, so that one failing item does not make the others fail.
	 */
	run(work: Work): Promise<Result> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ work, order: this.#together.orderOf(work), resolve, reject });
			void this.#runWaiting();
		});
	}

	async #runWaiting(): Promise<void> {
		if (this.#isRunning) return;
		this.#isRunning = true;
		while (this.#waiting.length > 0) {
			await untilNoneArrive(() => this.#waiting.length);
			const group = this.#takeGroup();
			if (group.length === 1) await this.#runAlone(group[0]);
			else await this.#runTogether(group);
		}
		this.#isRunning = false;
	}

	/** Removes the work items of the next transaction from the waiting ones, and returns them sorted. */
	#takeGroup(): Waiting<Work, Result>[] {
		const group = new Map<string, Waiting<Work, Result>>();
		this.#waiting = this.#waiting.filter((waiting) => {
			if (group.size === MOST_WORKS || group.has(waiting.order)) return true;
			group.set(waiting.order, waiting);
			return false;
		});
		return [...group.values()].toSorted((one, other) => (one.order < other.order ? -1 : 1));
	}

	async #runAlone({ work, resolve, reject }: Waiting<Work, Result>): Promise<void> {
		const doing = transactAnew(this.#database, (transaction) => this.#together.doAll(transaction, [work]));
		await doing.then(([result]) => resolve(result), reject);
	}

	async #runTogether(group: readonly Waiting<Work, Result>[]): Promise<void> {
		let areDone = false;
		try {
			const results = await transact(this.#database, async (transaction) => {
				const works = group.map(({ work }) => work);
				const done = await this.#together.doAll(transaction, works);
				areDone = true;
				return done;
			});
			for (const [nth, { resolve }] of group.entries()) resolve(results[nth]);
		} catch (error) {
			// If only the commit failed, nobody knows whether it happened, so the work items must not be done again.
			if (areDone) for (const { reject } of group) reject(error);
			else for (const each of group) await this.#runAlone(each);
		}
	}
}
