// Lets callers that eliminate duplicates take turns in deciding which cards of an account are new. If two callers
// looked up the same new card before either has stored it, the card would get two tokens.

import type { Knex } from 'knex';
import type { Dialect } from '../database/dialect.ts';
import type { PassId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import { Turns } from '../turns.ts';
import { fingerprintStore } from './fingerprint-store.ts';

/**
 * This error is thrown if another caller has stored a card since it was looked up. The work has to be done again, and
 * then finds that card.
 */
export class StoredMeanwhileError extends Error {
	override readonly name = 'StoredMeanwhileError';
	constructor() {
		super('a card was stored by somebody else in the same moment: try again');
	}
}

/** The queue of each database, in which callers wait for their turn. */
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
 * Checks for each of the passes that no other caller has stored one of its cards. `adopt` makes the pages of a pass
 * permanent as soon as it is checked, so that the next pass, which may hold the same card, is compared with it.
 * @throws StoredMeanwhileError if duplicates are to be eliminated and one has appeared
 */
export async function checkStillNew(
	transaction: PlainTransaction,
	dialect: Dialect,
	passIds: readonly PassId[],
	adopt?: (passId: PassId) => Promise<void>,
): Promise<void> {
	const store = fingerprintStore(transaction, dialect);
	const eliminating = await store.listEliminating(passIds);
	// All daemons take the locks of several accounts in the same order, so that they cannot deadlock.
	for (const { passId, accountId } of eliminating.toSorted((one, other) => one.accountId - other.accountId)) {
		await store.lock(accountId);
		if (await store.isStoredElsewhere(passId)) throw new StoredMeanwhileError();
		await adopt?.(passId);
	}
}
