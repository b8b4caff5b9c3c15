// Lets callers that ask the database for something at the same moment share a query. Only callers that ask before the query
// starts share it, so that no answer is older than its question.

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
 * Gathers look-ups of the same thing into one query. A failure concerns only the callers that asked for it. `keyOf` returns
 * the same for what is the same.
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

/** Returns a function that opens something for a database when it is first wanted, and returns the same from then on. */
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
