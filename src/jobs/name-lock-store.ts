import type { Knex } from 'knex';
import type { Dialect } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';

/**
 * This number is the first part of our advisory locks. Its value is arbitrary, but nothing else on the database server
 * may use it.
 */
const LOCK_CLASS = 7_470_635;

/**
 * Names a file of an account for the lock. The area (such as `tokenized`) is not part of it, because results and
 * reports of both directions share the name.
 */
export interface NameScope {
	readonly account_id: AccountId;
	readonly filter: string;
	readonly name: string;
}

/**
 * Locks a name until the transaction ends. Meanwhile no accepted upload and no ending job can decide which file has the
 * name. A transaction takes one such lock, or several in the order of their names. On SQLite it already has the write
 * lock.
 */
export async function lockName(
	transaction: Knex.Transaction,
	dialect: Dialect,
	{ account_id, filter, name }: NameScope,
): Promise<void> {
	if (dialect === 'sqlite') return;
	const place = `${account_id}/${filter}/${name}`;
	await transaction.raw('select pg_advisory_xact_lock(?, hashtext(?))', [LOCK_CLASS, place]);
}
