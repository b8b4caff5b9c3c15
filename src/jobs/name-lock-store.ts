import type { Knex } from 'knex';
import type { Dialect } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';

/** Any number that nothing else on the server uses as the first of an advisory lock. */
const LOCK_CLASS = 7_470_635;

/** A name in one of the folders of an account, whatever the area: results and reports of both directions meet there. */
export interface NameScope {
	readonly account_id: AccountId;
	readonly filter: string;
	readonly name: string;
}

/**
 * Lets nobody else decide which file has a name before the transaction ends: neither an upload that is accepted nor a job
 * that ends. A transaction takes one such lock. SQLite's has the write lock already.
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
