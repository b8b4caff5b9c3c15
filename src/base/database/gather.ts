// Lets callers that want the same kind of thing from the database at the same moment share the work: writes share a
// transaction (`gather`), and look-ups share a query (`shared`, `gathered`). A caller joins only before the work starts, so
// that no answer is older than its question.

import type { Knex } from 'knex';
import { type Dialect, transact, transactAnew } from './dialect.ts';

/** Stands in the place of a result for work that failed, while the rest of its group did not. It is not done again. */
export class Failed {
	readonly error: unknown;
	constructor(error: unknown) {
		this.error = error;
	}
}

export interface Together<Work, Result> {
	/** The largest number of works in a group; any number by default. With more, other writers would wait too long. */
	readonly maxGroup?: number;
	/**
	 * Returns a text by which the works of a group are sorted, so that several daemons lock the same rows in the same order
	 * and cannot deadlock. Two works with the same text are never in one group. By default works keep their order.
	 */
	orderOf?(work: Work): string;
	/**
	 * Does all of these works and returns their results in the same order, or throws and thereby does none of them. The next
	 * group does not wait for a result that is a promise.
	 */
	doAll(works: readonly Work[]): Promise<readonly (Result | Promise<Result> | Failed)[]>;
	/**
	 * What happens when `doAll` throws. `all`: all works of the group fail, which is the default. `split`: each is done in
	 * a group of its own, so that it does not fail because of another one.
	 */
	readonly onFailure?: 'all' | 'split';
}

interface Waiting<Work, Result> {
	readonly work: Work;
	readonly order: string | undefined;
	resolve(result: Result | Promise<Result>): void;
	reject(error: unknown): void;
}

/**
 * Returns a function that does a work item together with others. It does one group after the other: what arrives
 * meanwhile waits for the next group. Without groups, callers could write no more often than the database can commit.
 */
export function gather<Work, Result>(together: Together<Work, Result>): (work: Work) => Promise<Result> {
	const { maxGroup = Infinity, onFailure = 'all' } = together;
	let waiting: Waiting<Work, Result>[] = [];
	let isRunning = false;

	const takeGroup = (): Waiting<Work, Result>[] => {
		if (!together.orderOf) return waiting.splice(0, Math.min(maxGroup, waiting.length));
		const group = new Map<string, Waiting<Work, Result>>();
		waiting = waiting.filter((each) => {
			if (group.size === maxGroup || group.has(each.order!)) return true;
			group.set(each.order!, each);
			return false;
		});
		return [...group.values()].sort((one, other) => (one.order! < other.order! ? -1 : 1));
	};
	const runGroup = async (group: readonly Waiting<Work, Result>[]): Promise<void> => {
		try {
			const results = await together.doAll(group.map(({ work }) => work));
			for (const [nth, { resolve, reject }] of group.entries()) {
				const result = results[nth];
				if (result instanceof Failed) reject(result.error);
				else resolve(result);
			}
		} catch (error) {
			if (onFailure === 'split' && group.length > 1) for (const each of group) await runGroup([each]);
			else for (const { reject } of group) reject(error);
		}
	};
	const runWaiting = async (): Promise<void> => {
		isRunning = true;
		while (waiting.length > 0) {
			await untilNoneArrive(() => waiting.length);
			await runGroup(takeGroup());
		}
		isRunning = false;
	};

	return (work) =>
		new Promise((resolve, reject) => {
			waiting.push({ work, order: together.orderOf?.(work), resolve, reject });
			if (!isRunning) void runWaiting();
		});
}

/** Returns a function like that of `gather`, but works with different keys neither share a group nor wait for each other. */
export function gatherByKey<Work, Result>(
	keyOf: (work: Work) => unknown,
	together: Together<Work, Result>,
): (work: Work) => Promise<Result> {
	const gathers = new Map<unknown, { readonly run: (work: Work) => Promise<Result>; works: number }>();
	return async (work) => {
		const key = keyOf(work);
		const own = gathers.get(key) ?? { run: gather(together), works: 0 };
		gathers.set(key, own);
		own.works++;
		try {
			return await own.run(work);
		} finally {
			if (--own.works === 0) gathers.delete(key);
		}
	};
}

/** The largest number of works in one transaction of `gatherTransactions`. */
const MOST_WORKS = 16;

/**
 * Returns a function that does a work item in a transaction, which is durable when the promise resolves, together with
 * others that come at the same moment. If a shared transaction fails, each of its items is done in one of its own.
 */
export function gatherTransactions<Work, Result>(
	database: { readonly knex: Knex; readonly dialect: Dialect },
	parts: {
		orderOf(work: Work): string;
		/** Does all of these works, or throws. It may be called again with the same works after a rollback. */
		doAll(transaction: Knex.Transaction, works: readonly Work[]): Promise<readonly Result[]>;
	},
): (work: Work) => Promise<Result> {
	const { orderOf, doAll } = parts;
	return gather({
		...{ maxGroup: MOST_WORKS, orderOf, onFailure: 'split' },
		async doAll(works: readonly Work[]): Promise<readonly (Result | Failed)[]> {
			if (works.length === 1) return transactAnew(database, (transaction) => doAll(transaction, works));
			let areDone = false;
			try {
				return await transact(database, async (transaction) => {
					const results = await doAll(transaction, works);
					areDone = true;
					return results;
				});
			} catch (error) {
				// If only the commit failed, nobody knows whether it happened, so the works must not be done again.
				if (areDone) return works.map(() => new Failed(error));
				throw error;
			}
		},
	});
}

/**
 * `untilNoneArrive` waits for at most this many turns of the event loop, which are some tenths of a millisecond under
 * load.
 */
const MAX_TURNS = 20;

/**
 * `untilNoneArrive` returns after this many turns of the event loop in a row without a new request. A request needs
 * about as many turns from its arrival to its commit, because its credential is checked first and the rest of it is
 * read afterwards.
 */
const QUIET_TURNS = 3;

/**
 * Waits while the turns of the event loop bring more requests, so that requests that arrive together share a commit.
 * SQLite blocks the process while it commits. Without this wait the next commit would contain only the request that was
 * read first, and each commit would serve half as many requests.
 */
async function untilNoneArrive(count: () => number): Promise<void> {
	let before = count();
	for (let turn = 0, quiet = 0; quiet < QUIET_TURNS && turn < MAX_TURNS; turn++) {
		await new Promise(setImmediate);
		quiet = count() > before ? 0 : quiet + 1;
		before = count();
	}
}

/**
 * Lets equal look-ups of the same moment share one query. If the query fails, it fails only for these callers.
 * `keyOf` returns the same key for equal look-ups.
 */
export function shared<Wanted, Value>(
	load: (wanted: Wanted) => Promise<Value>,
	keyOf: (wanted: Wanted) => unknown = (wanted) => wanted,
): (wanted: Wanted) => Promise<Value> {
	const waiting = new Map<unknown, Promise<Value>>();
	const start = async (key: unknown, wanted: Wanted) => {
		await new Promise(setImmediate);
		waiting.delete(key);
		return load(wanted);
	};
	return (wanted) => {
		const key = keyOf(wanted);
		let answer = waiting.get(key);
		if (!answer) waiting.set(key, (answer = start(key, wanted)));
		return answer;
	};
}

/** Lets look-ups of different keys at the same moment share one query. If the query fails, it fails for all of them. */
export function gathered<Key, Value>(
	load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
	let wanted = new Set<Key>();
	const loadWanted = shared(() => {
		const keys = [...wanted];
		wanted = new Set();
		return load(keys);
	});
	return async (key) => {
		wanted.add(key);
		return (await loadWanted(undefined)).get(key);
	};
}

/**
 * Returns a function that calls `open` for a database at the first use, and returns the same result for that database
 * from then on.
 */
export function perDatabase<Database extends { readonly knex: Knex }, Opened>(
	open: (database: Database) => Opened,
): (database: Database) => Opened {
	const opened = new WeakMap<Knex, Opened>();
	return (database) => {
		let one = opened.get(database.knex);
		if (one === undefined) opened.set(database.knex, (one = open(database)));
		return one;
	};
}
