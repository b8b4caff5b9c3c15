// Takes turns in deciding which cards of an account are new if duplicates are eliminated. Between the look-up and the
// storing no other caller on any daemon may do the same, because one card would get two tokens.

import type { Knex } from 'knex';
import type { Dialect } from '../database/dialect.ts';
import type { AccountId, PassId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import { Turns } from '../turns.ts';
import { fingerprintStore } from './fingerprint-store.ts';

/**
 * This error is thrown if another caller has stored a card since it was looked up. The work has to be done again, which
 * then finds that card.
 */
export class StoredMeanwhileError extends Error {
	override readonly name = 'StoredMeanwhileError';
	constructor() {
		super('a card was stored by somebody else in the same moment: try again');
	}
}

/** The turns of each database. */
const turnsOf = new WeakMap<Knex, Turns>();

/**
 * Runs `work` after all earlier work has ended. Within this process callers wait without a database connection: if they
 * waited for a lock in the database, they could use up all connections and leave none to the caller whose turn it is.
 */
export function inTurn<T>({ knex }: { readonly knex: Knex }, work: () => Promise<T>): Promise<T> {
	const turns = turnsOf.get(knex) ?? new Turns();
	turnsOf.set(knex, turns);
	return turns.run(work);
}

/**
 * Checks that no other caller has stored one of the cards. It runs first in the transaction that makes the pages of a
 * pass permanent, so that nothing else waits for this lock.
 * @throws StoredMeanwhileError if duplicates are to be eliminated and one has appeared
 */
export async function checkStillNew(transaction: PlainTransaction, dialect: Dialect, passId: PassId): Promise<void> {
	const store = fingerprintStore(transaction, dialect);
	const accountId: AccountId | undefined = await store.findAccountOfPass(passId);
	if (accountId === undefined) return;
	await store.lock(accountId);
	if (await store.isStoredElsewhere(passId)) throw new StoredMeanwhileError();
}
