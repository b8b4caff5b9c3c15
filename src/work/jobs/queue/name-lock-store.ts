// Locks the name of a file for one transaction, so that two of them cannot give it away at once. It makes no job wait for
// another of the same name: claim-store.ts does.

import type { Knex } from 'knex';
import type { Dialect } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import { execute } from '../../../base/database/sql.ts';

/**
 * The first of the two numbers of each of our advisory locks on file names. Its value is arbitrary, but nothing else on
 * the database server may use it.
 */
const LOCK_CLASS = 7_470_635;

/**
 * Names a file of an account for its lock. The area (such as `tokenized`) is not part of it, because outputs and reports
 * of both directions share the name and therefore the lock.
 */
export interface NameScope {
	readonly account_id: AccountId;
	readonly filter: string;
	readonly name: string;
}

/**
 * Locks file names until the transaction ends. Meanwhile no other upload and no other ending job can decide which files
 * have these names. A transaction calls this only once, with the names in sorted order, so that two transactions cannot
 * deadlock. On SQLite nothing is done, because the transaction already has the write lock.
 */
export async function lockNames(transaction: Knex.Transaction, dialect: Dialect, names: readonly NameScope[]) {
	if (dialect === 'sqlite') return;
	const places = names.map(({ account_id, filter, name }) => `${account_id}/${filter}/${name}`);
	const values = places.map((_, nth) => `(cast(? as text), ${nth})`);
	// PostgreSQL sorts the rows before it calls the lock function. `nth` is the position of a name in the list, so the
	// locks are taken in the order of the list.
	await execute(
		transaction,
		`select pg_advisory_xact_lock(${LOCK_CLASS}, hashtext(place)) from (values ${values}) named (place, nth) order by nth`,
		places,
	);
}
