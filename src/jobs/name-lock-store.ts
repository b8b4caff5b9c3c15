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
 * Locks names until the transaction ends, one after the other. Meanwhile no accepted upload and no other ending job can
 * decide which files have the names. A transaction calls this once, with the names in their order, so that two transactions
 * never wait for each other. On SQLite it already has the write lock.
 */
export async function lockNames(
	transaction: Knex.Transaction,
	dialect: Dialect,
	names: readonly NameScope[],
): Promise<void> {
	if (dialect === 'sqlite') return;
	const places = names.map(({ account_id, filter, name }) => `${account_id}/${filter}/${name}`);
	const values = places.map((_, nth) => `(cast(? as text), ${nth})`);
	// PostgreSQL calls the function for the sorted rows, one after the other.
	await transaction.raw(
		`select pg_advisory_xact_lock(${LOCK_CLASS}, hashtext(place)) from (values ${values}) named (place, nth) order by nth`,
		places,
	);
}
