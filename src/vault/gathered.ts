/**
 * Lets look-ups of different keys that arrive together share one query. Only look-ups that arrive before the query
 * starts share it, so that no answer is older than its question.
 */
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
