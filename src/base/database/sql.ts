// The one way in which SQL text is run: on the connections that knex's pool hands out, without the steps of knex between.
// knex takes longer to prepare a short statement than SQLite takes to find a row by its key.

import { inTurn, isSqlite, prepared, type SqliteConnection } from './sqlite-connection.ts';

/**
 * Where a statement runs: the database, where it gets a connection of the pool, or a transaction, where it gets the
 * transaction's own.
 */
export interface SqlTarget {
	readonly client: {
		acquireConnection(): Promise<unknown>;
		releaseConnection(connection: unknown): Promise<unknown>;
		/** Tells listeners to knex's event `query` of a statement. A transaction of `transactPlainly` has none. */
		emit?(event: 'query', statement: { readonly sql: string; readonly bindings: readonly unknown[] }): unknown;
	};
}

/** A transaction in which statements run: one of knex or of `transactPlainly`. */
export interface SqlTransaction extends SqlTarget {
	/** Whether the transaction has ended. */
	isCompleted(): boolean;
}

/**
 * How durable a change is when the promise of its statement resolves. After a power failure on SQLite, an unsynced change
 * may be lost unless a later commit was made durable before. On PostgreSQL, and within a transaction, it makes no
 * difference.
 */
export type Durability = 'durable' | 'unsynced';

/** The part of the PostgreSQL driver's connection that is used here. */
export interface PostgresConnection {
	query(statement: { text: string; values: readonly unknown[] }): Promise<PostgresAnswer>;
}

/** A connection that knex's pool hands out. */
export type Connection = SqliteConnection | PostgresConnection;

interface PostgresAnswer {
	readonly rows: unknown[];
	readonly rowCount: number | null;
}

interface Answer {
	readonly rows: unknown[];
	/** How many rows were changed. With `returning`, SQLite does not tell. */
	readonly changes: number;
	/** On SQLite, the key of the row that was inserted last. */
	readonly key?: number;
	readonly sync?: () => Promise<void>;
}

/** Runs a statement and returns its rows. Each question mark stands for a value of `bindings`. */
export async function queryRows<Row>(
	on: SqlTarget,
	sql: string,
	bindings: readonly unknown[] = [],
	durability?: Durability,
): Promise<Row[]> {
	return (await runSql(on, sql, bindings, durability)).rows as Row[];
}

/** Runs a statement whose rows nobody needs, and returns how many rows it has changed. */
export async function execute(
	on: SqlTarget,
	sql: string,
	bindings: readonly unknown[] = [],
	durability?: Durability,
): Promise<number> {
	return (await runSql(on, sql, bindings, durability)).changes;
}

export async function runSql(
	on: SqlTarget,
	sql: string,
	bindings: readonly unknown[],
	durability: Durability = 'durable',
): Promise<Answer> {
	const answer = await withConnection(on, (connection) => {
		on.client.emit?.('query', { sql, bindings });
		return runOn(connection, sql, bindings);
	});
	if (durability === 'durable') await answer.sync?.();
	return answer;
}

/** Runs a statement on a connection that the caller has. A single change is durable after the `sync` of the answer. */
export async function runOn(connection: Connection, sql: string, bindings: readonly unknown[] = []): Promise<Answer> {
	// PostgreSQL's driver would take it for null.
	if (bindings.includes(undefined)) throw new Error(`internal error: a value of this statement is undefined: ${sql}`);
	try {
		if (isSqlite(connection)) return await runOnSqlite(connection, sql, bindings);
		const { rows, rowCount } = await connection.query({ text: numbered(sql), values: bindings });
		return { rows, changes: rowCount ?? 0 };
	} catch (error) {
		throw named(error, sql);
	}
}

async function runOnSqlite(connection: SqliteConnection, sql: string, bindings: readonly unknown[]): Promise<Answer> {
	const statement = prepared(connection, sql);
	if (statement.reader) {
		const { answer, sync } = await inTurn(connection, statement, () => statement.all(bindings));
		return { rows: answer, changes: 0, sync };
	}
	const { answer, sync } = await inTurn(connection, statement, () => statement.run(bindings));
	return { rows: [], changes: answer.changes, key: answer.lastInsertRowid, sync };
}

/** Puts the text of the failed statement, never its values, in front of the message, as knex does. */
function named(error: unknown, sql: string): unknown {
	if (error instanceof Error) error.message = `${sql} - ${error.message}`;
	return error;
}

/** Uses the connection of a transaction, or one of the pool. */
export async function withConnection<T>(
	on: SqlTarget & Partial<SqlTransaction>,
	work: (connection: Connection) => Promise<T>,
): Promise<T> {
	// Its connection may already be the one of another transaction.
	if (on.isCompleted?.()) throw new Error('internal error: the transaction of this statement is already complete');
	const connection = (await on.client.acquireConnection()) as Connection;
	try {
		return await work(connection);
	} finally {
		await on.client.releaseConnection(connection);
	}
}

/** Returns the text with numbered bindings (`$1`), as PostgreSQL has them, in the place of question marks. */
function numbered(sql: string): string {
	let parameter = 0;
	return sql.replaceAll('?', () => `$${++parameter}`);
}
