import type { Knex } from 'knex';
import type { Dialect } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';

/** Any number that nothing else on the server uses as the first of an advisory lock. */
const LOCK_CLASS = 7_470_635;

/** A name in one of the folders of an account, in any area, because results and reports of both directions share it. */
export interface NameScope {
	readonly account_id: AccountId;
	readonly filter: string;
	readonly name: string;
}

/**
 * Until the transaction ends, nobody else can decide which file has a name, neither an accepted upload nor an ending
 * job. A transaction takes only one such lock. On SQLite it already has the write lock.
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
