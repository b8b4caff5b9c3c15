// Runs transactions of a few known statements without knex, because calls about a single card wait for their commits. On
// SQLite, a transaction of knex takes longer than the commit itself.

import type { Knex } from 'knex';
import type { Dialect } from './dialect.ts';
import { type Connection, type Durability, runOn, type SqlTransaction, withConnection } from './sql.ts';
import { isSqlite, syncCommits } from './sqlite-connection.ts';

type Handle = { readonly knex: Knex; readonly dialect: Dialect };

/**
 * Runs a transaction like `transact`, but without knex: its changes are durable when the promise resolves, and on SQLite
 * it takes the write lock first. Inside `work`, the database may only be used through the transaction. With `lockWaitMs`,
 * a statement on PostgreSQL that waits longer for a lock fails (`isLockTimeout`).
 */
export async function transactPlainly<T>(
	{ knex }: Handle,
	work: (transaction: SqlTransaction) => Promise<T>,
	lockWaitMs?: number,
): Promise<T> {
	const setting = lockWaitMs === undefined ? '' : `set local lock_timeout = ${lockWaitMs}`;
	return transactOn(knex, 'durable', (connection) => within(connection, work), setting);
}

/**
 * Runs a transaction like `transactPlainly`, but does not wait until its changes are durable. They become durable with
 * the next durable commit at the latest.
 */
export async function transactUnsynced<T>(
	{ knex }: Handle,
	work: (transaction: SqlTransaction) => Promise<T>,
): Promise<T> {
	return transactOn(knex, 'unsynced', (connection) => within(connection, work));
}

/** Gives the work a transaction that takes no further connection from the pool, and that ends with the work. */
async function within<T>(connection: Connection, work: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
	let isCompleted = false;
	const client = { acquireConnection: async () => connection, releaseConnection: async () => {} };
	try {
		return await work({ client, isCompleted: () => isCompleted });
	} finally {
		isCompleted = true;
	}
}

/** Runs a transaction whose work uses the connection of the driver. PostgreSQL begins it with the given settings. */
export async function transactOn<T>(
	knex: Knex,
	durability: Durability,
	work: (connection: Connection) => Promise<T>,
	settings = durability === 'durable' ? '' : 'set local synchronous_commit = off',
): Promise<T> {
	const begin = settings === '' ? 'begin' : `begin; ${settings}`;
	const result = await withConnection(knex, async (connection) => {
		await runOn(connection, isSqlite(connection) ? 'begin immediate' : begin);
		try {
			const done = await work(connection);
			await runOn(connection, 'commit');
			return done;
		} catch (error) {
			// The rollback fails if a failed commit has already ended the transaction, or if the connection is lost, whereupon
			// the server ends it. In both cases `error` says why.
			await runOn(connection, 'rollback').catch(() => {});
			throw error;
		}
	});
	if (durability === 'durable') await syncCommits(knex);
	return result;
}
