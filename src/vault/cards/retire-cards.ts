// Removes cards after the number of days that their account sets (by default they are kept without limit, spec §8).

import type { Knex } from 'knex';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { pageStore } from '../pages/page-store.ts';

/** Says which cards are removed: those of an account that were stored before a certain time. */
export interface CardsEnd {
	readonly accountId: AccountId;
	readonly before: Date;
}

/**
 * This function is called in the transaction of every step of the removal, so that the rows it writes are committed
 * together with that step.
 */
export type OnRetired = (cards: number, transaction: Knex.Transaction) => Promise<void>;

/**
 * One transaction removes at most this many pages, with a few thousand cards. It is then so short that other writers
 * are not delayed.
 */
const PAGES_PER_STEP = 100;

/**
 * Deletes every card of an account that was stored before the given time, with its CVV, references, associations and
 * fingerprint. All cards of a page were stored at the same time, so whole pages are deleted. Returns how many cards
 * were deleted. The deletion may be interrupted and started again, and it may run twice at the same time.
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
