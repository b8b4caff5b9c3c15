import type { Knex } from 'knex';
import BetterSqlite3 from 'knex/lib/dialects/better-sqlite3/index.js';
import { PlainRaw } from './plain-raw.ts';
import type { WalSync } from './wal-sync.ts';
import type { WriteTurn } from './write-turn.ts';

/**
 * The query context, `.queryContext(UNSYNCED)`, of a statement whose caller does not wait until it is durable. After a
 * power failure such a statement may be lost, unless a later commit was made durable before.
 */
export const UNSYNCED = { isUnsynced: true } as const;

/** The part of better-sqlite3's connection that `SqliteClient` uses. */
interface Connection {
	readonly inTransaction: boolean;
	prepare(sql: string): { readonly readonly: boolean; run(): unknown };
}

interface Query {
	sql: string;
	readonly queryContext?: Partial<typeof UNSYNCED>;
}

/**
 * Writes the limit 1, which `first()` uses, into the text of the statement instead of binding it. SQLite plans a
 * statement again for every value that is bound to a limit, and the driver then also sets up the reading of its result
 * again. Together that takes several times as long as finding a row by its key. Other limits stay bound, because their
 * many texts would fill the cache of statements.
 */
function withWrittenLimit<T extends { limit(): string; readonly single: { readonly limit?: unknown } }>(
	compiler: T,
): T {
	const limit = compiler.limit.bind(compiler);
	compiler.limit = () => (compiler.single.limit === 1 ? 'limit 1' : limit());
	return compiler;
}

/** The configuration that only a SQLite database in a file has. */
export interface SqliteParts {
	/** Makes commits durable by syncing the write-ahead log. */
	readonly walSync: WalSync;
	/** The turn that a thread takes before it writes. */
	readonly writeTurn: WriteTurn;
}

/** knex's client for SQLite, changed so that a writing statement outside a transaction is durable when it resolves. */
export class SqliteClient extends BetterSqlite3 {
	override queryCompiler(...query: Parameters<BetterSqlite3['queryCompiler']>) {
		return withWrittenLimit(super.queryCompiler(...query));
	}

	override raw(sql: string, bindings?: unknown) {
		return new PlainRaw(this).set(sql, bindings);
	}

	override async _query(connection: Connection, query: Query): Promise<Query> {
		const run = () => super._query(connection, query).catch((error) => rolledBack(connection, query, error));
		const parts = sqlitePartsOf(this);
		if (connection.inTransaction) return endingTurn(connection, parts, run);
		// Every transaction of ours writes, so it takes the write lock at its beginning. Otherwise, if two transactions
		// first read and then write, one of them gets `SQLITE_BUSY`, whatever the busy timeout is.
		if (query.sql === 'BEGIN;') query.sql = 'BEGIN IMMEDIATE;';
		else if (connection.prepare(query.sql).readonly) return run();
		await parts?.writeTurn.take();
		const answered = await endingTurn(connection, parts, run);
		// After `BEGIN` nothing is synced here. The caller that began the transaction syncs its commit after it has
		// released the connection, so that others can use the connection meanwhile.
		if (!connection.inTransaction && query.queryContext?.isUnsynced !== true) await parts?.walSync.sync();
		return answered;
	}
}

/**
 * Handles a failed statement. If it was a commit, SQLite may have left the transaction open, and the next transaction
 * would begin within it, so the open one is rolled back.
 * @throws the error of the statement
 */
function rolledBack(connection: Connection, { sql }: Query, error: unknown): never {
	if (sql === 'COMMIT;' && connection.inTransaction) connection.prepare('rollback').run();
	throw error;
}

/**
 * Runs a statement during this thread's turn to write. The turn ends with the statement unless it leaves a transaction
 * open.
 */
async function endingTurn<T>(
	connection: Connection,
	parts: SqliteParts | undefined,
	run: () => Promise<T>,
): Promise<T> {
	try {
		return await run();
	} finally {
		if (!connection.inTransaction) parts?.writeTurn.giveBack();
	}
}

/**
 * Returns the parts of the configuration that only a SQLite database in a file has; undefined for PostgreSQL and for a
 * database in memory.
 */
export function sqlitePartsOf(client: Knex['client']): SqliteParts | undefined {
	return (client.config as { sqliteParts?: SqliteParts }).sqliteParts;
}
