// Lets callers that eliminate duplicates decide one after the other which cards of an account are new. If two callers
// looked up the same new card before either had stored it, the card would get two tokens.

import type { Knex } from 'knex';
import type { Dialect } from '../database/dialect.ts';
import type { PassId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import { Turns } from '../turns.ts';
import { fingerprintStore } from './fingerprint-store.ts';

/**
 * This error is thrown if another caller has stored a card since it was looked up. The caller has to repeat the work;
 * the look-up then finds the card.
 */
export class StoredMeanwhileError extends Error {
	override readonly name = 'StoredMeanwhileError';
	constructor() {
		super('a card was stored by somebody else in the same moment: try again');
	}
}

/** For each database, the queue in which callers of this process wait for their turn. */
const turnsOf = new WeakMap<Knex, Turns>();

/**
 * Runs `work` after all earlier work on this database has ended. Callers of this process wait here without a database
 * connection. If each of them waited for a lock in the database, they could use up all connections and leave none to
 * the caller whose turn it is.
 */
export function inTurn<T>({ knex }: { readonly knex: Knex }, work: () => Promise<T>): Promise<T> {
	const turns = turnsOf.get(knex) ?? new Turns();
	turnsOf.set(knex, turns);
	return turns.run(work);
}

/**
 * Checks for each pass in turn that no other caller has stored one of its cards. `adopt` makes the pages of a pass
 * permanent right after its check, because the next pass may have the same card and has to be compared with it.
 * @throws StoredMeanwhileError if a pass eliminates duplicates and another caller has stored one of its cards
 */
export async function checkStillNew(
	transaction: PlainTransaction,
	{ dialect, now }: { readonly dialect: Dialect; readonly now: Date },
	passIds: readonly PassId[],
	adopt?: (passId: PassId) => Promise<void>,
): Promise<void> {
	const store = fingerprintStore(transaction, dialect);
	const eliminating = await store.listEliminating(passIds);
	// The locks of the accounts are taken in ascending order. All daemons do so, so that they cannot deadlock.
	for (const { passId, accountId } of eliminating.toSorted((one, other) => one.accountId - other.accountId)) {
		await store.lock(accountId);
		if (await store.isStoredElsewhere(passId, now.getTime())) throw new StoredMeanwhileError();
		await adopt?.(passId);
	}
}
