// Lets callers that end something at the same moment share a transaction and its statements, because a commit and the ways to
// the database and back take longer than what each caller writes.

import type { Knex } from 'knex';
import { type Dialect, transact, transactAnew } from './dialect.ts';
import { untilNoneArrive } from './gather.ts';

/** How works of one kind are done together. */
export interface WorksTogether<Work, Result> {
	/**
	 * Returns a text by which the works of a transaction are put in order, so that transactions of several daemons lock the
	 * same rows in the same order and none waits for another one that waits for it. Two works with the same text never share
	 * a transaction.
	 */
	orderOf(work: Work): string;
	/** Does all of these works or, by throwing, none. They may be done again after their transaction was rolled back. */
	doAll(transaction: Knex.Transaction, works: readonly Work[]): Promise<readonly Result[]>;
}

interface Waiting<Work, Result> {
	readonly work: Work;
	readonly order: string;
	resolve(result: Result): void;
	reject(error: unknown): void;
}

/** A transaction with more works would make the other writers wait for too long. */
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
	 * Does the work in a transaction, which is durable when this resolves. A work that fails takes no other along, because
	 * each is then done in a transaction of its own.
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

	/** Takes the works of the next transaction, in their order. */
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
			// If only the commit failed, nobody knows whether it happened, so the works must not be done again.
			if (areDone) for (const { reject } of group) reject(error);
			else for (const each of group) await this.#runAlone(each);
		}
	}
}
