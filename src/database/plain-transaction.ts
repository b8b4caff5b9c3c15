// Runs transactions of a few known statements, for the commits that single cards wait for. knex's own transaction on
// SQLite takes longer than the commit itself.

import type { Knex } from 'knex';
import type { Dialect } from './dialect.ts';
import { sqlitePartsOf } from './sqlite-client.ts';

/** These methods are available in such a transaction; knex's transactions have them too. */
export interface PlainTransaction {
	/** Returns what knex returns: rows in an array on SQLite, in `rows` on PostgreSQL. */
	raw(sql: string, bindings?: readonly unknown[]): PromiseLike<unknown>;
	readonly client: { acquireConnection(): Promise<unknown> };
}

/** The part of better-sqlite3's connection that is used here. */
export interface SqliteConnection {
	prepare(sql: string): {
		readonly reader: boolean;
		all(bindings: readonly unknown[]): unknown[];
		run(bindings: readonly unknown[]): unknown;
	};
	readonly inTransaction: boolean;
}

/** Takes the write lock first and is durable when it resolves, as with `transact`. Only the transaction may be queried inside. */
export async function transactPlainly<T>(
	database: { readonly knex: Knex; readonly dialect: Dialect },
	work: (transaction: PlainTransaction) => Promise<T>,
): Promise<T> {
	const { result, durable } = await commitPlainly(database, work);
	await durable;
	return result;
}

/**
 * Does the same but resolves as soon as others see what was written, so that the next transaction begins while this one is
 * made durable. Transactions become durable in their order. The caller must handle a failure of `durable`.
 */
export async function commitPlainly<T>(
	{ knex, dialect }: { readonly knex: Knex; readonly dialect: Dialect },
	work: (transaction: PlainTransaction) => Promise<T>,
): Promise<{ readonly result: T; readonly durable: Promise<void> }> {
	if (dialect === 'postgres') {
		const result = await knex.transaction((transaction) => work(transaction as PlainTransaction));
		return { result, durable: Promise.resolve() };
	}
	const result = await transactUnsynced(knex, (connection) => work(plainTransaction(connection)));
	return { result, durable: sqlitePartsOf(knex.client)?.walSync.sync() ?? Promise.resolve() };
}

/** Runs a transaction on SQLite that is durable with the next durable commit. */
export async function transactUnsynced<T>(
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
