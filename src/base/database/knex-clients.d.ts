// Declares types for the database clients and raw statements inside knex, because knex has none.
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
	export default class BetterSqlite3 {
		readonly config: object;
		// biome-ignore lint/suspicious/noExplicitAny: the connection and the query are those of the driver
		_query(connection: any, query: any): Promise<any>;
		queryCompiler(
			builder: unknown,
			bindings: unknown[],
		): { limit(): string; readonly single: { readonly limit?: unknown } };
		raw(sql: string, bindings?: unknown): import('knex/lib/raw.js').default;
	}
}

declare module 'knex/lib/dialects/postgres/index.js' {
	export default class Postgres {
		positionBindings(sql: string): string;
		raw(sql: string, bindings?: unknown): import('knex/lib/raw.js').default;
	}
}

declare module 'knex/lib/raw.js' {
	export default class Raw {
		readonly client: {
			acquireConnection(): Promise<unknown>;
			releaseConnection(connection: unknown): Promise<void>;
			query(connection: unknown, query: object): Promise<unknown>;
			processResponse(query: unknown): unknown;
		};
		readonly sql: string;
		readonly bindings: unknown;
		readonly _options?: unknown;
		readonly _timeout?: unknown;
		readonly _connection?: unknown;
		readonly _wrappedBefore?: unknown;
		readonly _wrappedAfter?: unknown;
		constructor(client: object);
		set(sql: string, bindings?: unknown): this;
		queryContext(): unknown;
		// biome-ignore lint/suspicious/noThenProperty: knex’s statements are run by awaiting them
		then<T, E>(onFulfilled?: (answer: unknown) => T, onRejected?: (error: unknown) => E): Promise<T | E>;
	}
}
