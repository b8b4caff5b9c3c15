/**
 * Lets look-ups of the same key that arrive together share one query, because a merchant with sixty connections uses
 * one key. Only look-ups that arrive before the query starts share it, so that no result is older than its request.
 */
export function coalesced<Key extends string, Value>(load: (key: Key) => Promise<Value>): (key: Key) => Promise<Value> {
	const gathering = new Map<Key, Promise<Value>>();
	return (key) => {
		const known = gathering.get(key);
		if (known) return known;
		const loading = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
			gathering.delete(key);
			return load(key);
		});
		gathering.set(key, loading);
		return loading;
	};
}
