// Removes cards after the number of days that their account sets (by default they are kept without limit, spec §8).

import type { Knex } from 'knex';
import { transact } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import { pageStore } from './page-store.ts';

/** The account whose cards are removed, and the time before which they were stored. */
export interface CardsEnd {
	readonly accountId: AccountId;
	readonly before: Date;
}

/**
 * This function is called in the transaction of every step, so that the rows it writes are committed together with the
 * deletion.
 */
export type OnRetired = (cards: number, transaction: Knex.Transaction) => Promise<void>;

/** One transaction removes at most this many pages: a few thousand cards, which takes too little time to delay others. */
const PAGES_PER_STEP = 100;

/**
 * Deletes every card stored before a time, with its CVV, references, associations and fingerprint. All cards of a page
 * were stored at the same time, so whole pages are deleted. Returns how many cards were deleted. It may be interrupted,
 * and two runs may overlap.
 */
export async function retireCards(
	database: Database,
	{ accountId, before }: CardsEnd,
	onRetired: OnRetired,
): Promise<number> {
	let retired = 0;
	for (;;) {
		const ids = await pageStore(database.knex, database.dialect).listOlder(accountId, before.getTime(), PAGES_PER_STEP);
		if (ids.length === 0) return retired;
		await transact(database, async (transaction) => {
			const cards = await pageStore(transaction, database.dialect).removePages(ids);
			retired += cards;
			if (cards > 0) await onRetired(cards, transaction);
		});
	}
}
