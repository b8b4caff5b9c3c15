// knex has no types for the clients of single databases.
declare module 'knex/lib/dialects/better-sqlite3/index.js' {
	export default class BetterSqlite3 {
		readonly config: object;
		// biome-ignore lint/suspicious/noExplicitAny: the connection and the query are those of the driver
		_query(connection: any, query: any): Promise<any>;
		queryCompiler(
			builder: unknown,
			bindings: unknown[],
		): { limit(): string; readonly single: { readonly limit?: unknown } };
	}
}
