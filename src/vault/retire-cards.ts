// Cards whose account lets them go after so many days (unlimited unless it says so, spec §8).

import type { Knex } from 'knex';
import { transact } from '../database/dialect.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import { pageStore } from './page-store.ts';

/** Whose cards go, and which: those stored before. */
export interface CardsEnd {
	readonly accountId: AccountId;
	readonly before: Date;
}

/** Told of every step within its transaction: what it writes stands or falls with the deletion. */
export type OnRetired = (cards: number, transaction: Knex.Transaction) => Promise<void>;

/** In one transaction: some thousand cards, which hold nobody up. */
const PAGES_PER_STEP = 100;

/**
 * Deletes every card stored before, with its CVV, references, associations and fingerprint. All cards of a page were stored
 * in one moment, so that whole pages go. Returns how many cards; may be interrupted, and run twice at once.
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
