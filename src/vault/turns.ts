// Who decides which cards of an account are new, where duplicates are eliminated. Between looking and storing nobody else
// may do the same, on whatever daemon, or one card would get two tokens.

import type { Knex } from 'knex';
import type { Dialect } from '../database/dialect.ts';
import type { AccountId, PassId } from '../database/ids.ts';
import type { PlainTransaction } from '../database/plain-transaction.ts';
import { fingerprintStore } from './fingerprint-store.ts';

/** Somebody else has stored a card since it was looked for. To be done again, which then finds that one. */
export class StoredMeanwhileError extends Error {
	override readonly name = 'StoredMeanwhileError';
	constructor() {
		super('a card was stored by somebody else in the same moment: try again');
	}
}

/** The last in line of each database. */
const lines = new WeakMap<Knex, Promise<unknown>>();

/**
 * Runs `work` when everybody before has ended. Within this process it is a line to stand in without a connection: any
 * number of those that wait for one in the database would leave none to whoever has the turn.
 */
export function inTurn<T>({ knex }: { readonly knex: Knex }, work: () => Promise<T>): Promise<T> {
	const turn = (lines.get(knex) ?? Promise.resolve()).then(work);
	lines.set(
		knex,
		turn.catch(() => {}),
	);
	return turn;
}

/**
 * Within the transaction that makes the pages of a pass permanent, before anything else waits for that.
 * @throws StoredMeanwhileError when duplicates were to be eliminated and one has come up
 */
export async function checkStillNew(transaction: PlainTransaction, dialect: Dialect, passId: PassId): Promise<void> {
	const store = fingerprintStore(transaction, dialect);
	const accountId: AccountId | undefined = await store.findAccountOfPass(passId);
	if (accountId === undefined) return;
	await store.lock(accountId);
	if (await store.isStoredElsewhere(passId)) throw new StoredMeanwhileError();
}
