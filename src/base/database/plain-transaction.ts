// Runs transactions of a few known statements without knex, because calls about a single card wait for their commits.
// On SQLite, knex's own transaction takes longer than the commit itself.

import type { Knex } from 'knex';
import type { Dialect } from './dialect.ts';
import { sqlitePartsOf } from './sqlite-client.ts';

/** The methods of a plain transaction; knex's transactions have them too. */
export interface PlainTransaction {
	/** Runs a statement. Returns what knex returns: rows in an array on SQLite, in `rows` on PostgreSQL. */
	raw(sql: string, bindings?: readonly unknown[]): PromiseLike<unknown>;
	readonly client: { acquireConnection(): Promise<unknown> };
}

/** The part of better-sqlite3's connection that plain transactions and bulk inserts use. */
export interface SqliteConnection {
	prepare(sql: string): {
		readonly reader: boolean;
		all(bindings: readonly unknown[]): unknown[];
		run(bindings: readonly unknown[]): unknown;
	};
	readonly inTransaction: boolean;
}

/**
 * Runs a transaction like `transact`, but without knex on SQLite: it takes the write lock first, and its changes are
 * durable when the promise resolves. Inside `work`, the database may only be used through the transaction.
 */
export async function transactPlainly<T>(
	{ knex, dialect }: { readonly knex: Knex; readonly dialect: Dialect },
	work: (transaction: PlainTransaction) => Promise<T>,
): Promise<T> {
	if (dialect === 'postgres') return knex.transaction((transaction) => work(transaction as PlainTransaction));
	const result = await transactUnsynced({ knex, dialect }, work);
	await sqlitePartsOf(knex.client)?.walSync.sync();
	return result;
}

/**
 * Runs a transaction like `transactPlainly`, but does not wait until its changes are durable. They become durable with
 * the next durable commit at the latest.
 */
export async function transactUnsynced<T>(
	{ knex, dialect }: { readonly knex: Knex; readonly dialect: Dialect },
	work: (transaction: PlainTransaction) => Promise<T>,
): Promise<T> {
	if (dialect === 'postgres') return transactUnsyncedOnPostgres(knex, work);
	return transactOnSqlite(knex, (connection) => work(plainTransaction(connection)));
}

async function transactUnsyncedOnPostgres<T>(
	{ client }: Knex,
	work: (transaction: PlainTransaction) => Promise<T>,
): Promise<T> {
	const connection = await client.acquireConnection();
	const run = async (sql: string, bindings: readonly unknown[] = []) =>
		(await client.query(connection, { sql, bindings, method: 'raw', options: {} })).response;
	try {
		await run('begin; set local synchronous_commit = off');
		try {
			const result = await work({ raw: run, client: { acquireConnection: async () => connection } });
			await run('commit');
			return result;
		} catch (error) {
			// The rollback fails if the connection is lost. The server has then ended the transaction, and `error` says why.
			await run('rollback').catch(() => {});
			throw error;
		}
	} finally {
		await client.releaseConnection(connection);
	}
}

/** Runs a transaction on SQLite with the connection of the driver, without syncing it to disk. */
export async function transactOnSqlite<T>(
	knex: Knex,
	work: (connection: SqliteConnection) => T | Promise<T>,
): Promise<T> {
	const turn = sqlitePartsOf(knex.client)?.writeTurn;
	const connection = (await knex.client.acquireConnection()) as SqliteConnection;
	await turn?.take();
	try {
		connection.prepare('begin immediate').run([]);
		try {
			const result = await work(connection);
			connection.prepare('commit').run([]);
			return result;
		} catch (error) {
			// A failed commit may already have ended the transaction.
			if (connection.inTransaction) connection.prepare('rollback').run([]);
			throw error;
		}
	} finally {
		turn?.giveBack();
		await knex.client.releaseConnection(connection);
	}
}

function plainTransaction(connection: SqliteConnection): PlainTransaction {
	return {
		async raw(sql, bindings = []) {
			const statement = connection.prepare(sql);
			return statement.reader ? statement.all([...bindings]) : statement.run([...bindings]);
		},
		client: { acquireConnection: async () => connection },
	};
}
