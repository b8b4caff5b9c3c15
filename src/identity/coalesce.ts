/**
 * Look-ups of the same thing that arrive together share one query: a merchant with sixty connections uses one key.
 * Only those that arrive before the query starts may share it, so nobody is answered with what was true before he asked.
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
