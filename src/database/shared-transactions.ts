// Lets callers that end something at the same moment share a transaction, because a commit takes longer than the few
// statements of each.

import type { Knex } from 'knex';
import { type Dialect, transact, transactAnew } from './dialect.ts';
import { untilNoneArrive } from './gather.ts';

/** What one caller does within a transaction. It may be done again in another one after the first was rolled back. */
export interface SharedWork {
	/**
	 * The works of a transaction are done in the order of these texts, so that transactions of several daemons lock the
	 * same rows in the same order and none waits for another one that waits for it.
	 */
	readonly order: string;
	/**
	 * Every work's first step is done before any second step, and so on. A lock that many wait for is taken in the last
	 * step, so that it is held as briefly as in a transaction of one work.
	 */
	readonly steps: readonly ((transaction: Knex.Transaction) => Promise<void>)[];
}

interface Waiting {
	readonly work: SharedWork;
	resolve(): void;
	reject(error: unknown): void;
}

/** A transaction with more works would make the other writers wait for too long. */
const MOST_WORKS = 16;

export class SharedTransactions {
	readonly #database: { readonly knex: Knex; readonly dialect: Dialect };
	#waiting: Waiting[] = [];
	#isRunning = false;

	constructor(database: { readonly knex: Knex; readonly dialect: Dialect }) {
		this.#database = database;
	}

	/**
	 * Does the work in a transaction, which is durable when this resolves. A work that fails takes no other along, because
	 * each is then done in a transaction of its own.
	 */
	run(work: SharedWork): Promise<void> {
		return new Promise((resolve, reject) => {
			this.#waiting.push({ work, resolve, reject });
			void this.#runWaiting();
		});
	}

	async #runWaiting(): Promise<void> {
		if (this.#isRunning) return;
		this.#isRunning = true;
		while (this.#waiting.length > 0) {
			await untilNoneArrive(() => this.#waiting.length);
			const group = this.#waiting.splice(0, MOST_WORKS);
			if (group.length === 1) await this.#runAlone(group[0]);
			else await this.#runTogether(group);
		}
		this.#isRunning = false;
	}

	async #runAlone({ work, resolve, reject }: Waiting): Promise<void> {
		await transactAnew(this.#database, (transaction) => doSteps([work], transaction)).then(resolve, reject);
	}

	async #runTogether(group: readonly Waiting[]): Promise<void> {
		const inOrder = group.toSorted((one, other) => (one.work.order < other.work.order ? -1 : 1));
		let areDone = false;
		try {
			await transact(this.#database, async (transaction) => {
				const works = inOrder.map(({ work }) => work);
				await doSteps(works, transaction);
				areDone = true;
			});
			for (const { resolve } of inOrder) resolve();
		} catch (error) {
			// If only the commit failed, nobody knows whether it happened, so the works must not be done again.
			if (areDone) for (const { reject } of inOrder) reject(error);
			else for (const each of inOrder) await this.#runAlone(each);
		}
	}
}

async function doSteps(works: readonly SharedWork[], transaction: Knex.Transaction): Promise<void> {
	const most = Math.max(...works.map(({ steps }) => steps.length));
	for (let number = 0; number < most; number++) {
		for (const { steps } of works) await steps[number]?.(transaction);
	}
}
