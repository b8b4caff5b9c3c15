// Lets callers that query the database for the same kind of thing at the same moment share one query. A caller joins a
// query only before it starts, so that no answer is older than its question.

import type { Knex } from 'knex';

/** Gathers look-ups of different keys into one query. If the query fails, it fails for all of them. */
export function gathered<Key, Value>(
	load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
): (key: Key) => Promise<Value | undefined> {
	let wanted = new Set<Key>();
	let loading: Promise<ReadonlyMap<Key, Value>> | undefined;
	const start = async () => {
		await new Promise(setImmediate);
		const keys = [...wanted];
		wanted = new Set();
		loading = undefined;
		return load(keys);
	};
	return async (key) => {
		wanted.add(key);
		loading ??= start();
		return (await loading).get(key);
	};
}

/**
 * Lets equal look-ups of the same moment share one query. If the query fails, it fails only for these callers, unlike
 * with `gathered`. `keyOf` returns the same key for equal look-ups.
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
