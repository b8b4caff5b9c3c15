// Transactions of a few known statements, for the commits that single cards wait for. What knex puts around a transaction
// on SQLite takes longer than the commit itself.

import type { Knex } from 'knex';
import type { Dialect } from './dialect.ts';

/** What such a transaction can do; each of knex's can do it too. */
export interface PlainTransaction {
	/** As knex answers: rows in an array on SQLite, in `rows` on PostgreSQL. */
	raw(sql: string, bindings?: readonly unknown[]): PromiseLike<unknown>;
	readonly client: { acquireConnection(): Promise<unknown> };
}

interface SqliteConnection {
	prepare(sql: string): {
		readonly reader: boolean;
		all(bindings: unknown[]): unknown[];
		run(bindings: unknown[]): unknown;
	};
	readonly inTransaction: boolean;
}

/** Takes the write lock first, as `transact` does; nothing but the transaction may be asked inside. */
export async function transactPlainly<T>(
	{ knex, dialect }: { readonly knex: Knex; readonly dialect: Dialect },
	work: (transaction: PlainTransaction) => Promise<T>,
): Promise<T> {
	if (dialect === 'postgres') return knex.transaction((transaction) => work(transaction as PlainTransaction));
	const connection = (await knex.client.acquireConnection()) as SqliteConnection;
	try {
		connection.prepare('begin immediate').run([]);
		try {
			const result = await work(plainTransaction(connection));
			connection.prepare('commit').run([]);
			return result;
		} catch (error) {
			// A failed commit may have ended it already.
			if (connection.inTransaction) connection.prepare('rollback').run([]);
			throw error;
		}
	} finally {
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
