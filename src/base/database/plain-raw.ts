import Raw from 'knex/lib/raw.js';

/**
 * A raw statement of knex that goes to the driver directly if its bindings are plain values and it is awaited by
 * itself. knex would first take steps that only builders and nested statements need. They take four times as long as
 * SQLite takes to find a row by its key.
 */
export class PlainRaw extends Raw {
	// biome-ignore lint/suspicious/noThenProperty: knex's own statements are run by awaiting them
	override then<T, E>(onFulfilled?: (answer: unknown) => T, onRejected?: (error: unknown) => E): Promise<T | E> {
		return this.#isPlain() ? this.#run().then(onFulfilled, onRejected) : super.then(onFulfilled, onRejected);
	}

	#isPlain(): boolean {
		const { sql, bindings = [], _options, _timeout, _connection, _wrappedBefore, _wrappedAfter } = this;
		if (_options ?? _timeout ?? _connection ?? _wrappedBefore ?? _wrappedAfter) return false;
		// These statements are left to knex itself: those with placeholders for names (`??`), with escaped question marks,
		// or with other statements as bindings.
		return !sql.includes('??') && !sql.includes('\\') && Array.isArray(bindings) && bindings.every(isValue);
	}

	async #run(): Promise<unknown> {
		const { client, sql, bindings = [] } = this;
		const connection = await client.acquireConnection();
		try {
			const query = { sql, bindings, method: 'raw', options: {}, queryContext: this.queryContext() };
			return client.processResponse(await client.query(connection, query));
		} finally {
			await client.releaseConnection(connection);
		}
	}
}

function isValue(binding: unknown): boolean {
	if (binding === undefined || typeof binding === 'function') return false;
	return typeof binding !== 'object' || binding === null || Buffer.isBuffer(binding);
}
