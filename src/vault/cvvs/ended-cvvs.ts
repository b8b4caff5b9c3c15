// Destroys the CVVs that have expired. It works page by page and looks at the rows again while their page is locked, so
// a CVV that somebody stores anew meanwhile is kept.

import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { RowSealer } from '../../base/keys/rows/row-seals.ts';
import { pageStore } from '../pages/page-store.ts';
import { besideCvv, sealedCvvs } from '../sealed-rows.ts';
import { type CvvEnd, type CvvRow, cvvStore, EMPTIED } from './cvv-store.ts';

export interface EndedCvvs {
	/** Counts the CVVs that were destroyed, and those of an earlier run whose cards are still to be removed. */
	readonly destroyed: number;
	readonly withCard: { readonly page: number; readonly slot: number }[];
	/** The last CVV of this step, after which the next step begins; undefined if no expired CVV is left. */
	readonly reached: CvvEnd | undefined;
}

/** Destroys the expired CVVs on the pages of the `limit` CVVs that expired first, or first after `after`. */
export async function destroyEndedCvvs(
	{ database, keyRing, clock }: { readonly database: Database; readonly keyRing: KeyRing; readonly clock: Clock },
	limit: number,
	after?: CvvEnd,
): Promise<EndedCvvs> {
	const { knex, dialect } = database;
	const now = clock.now().getTime();
	const ended = await cvvStore(knex, dialect).listEnded(now, after, limit);
	const all = { destroyed: 0, withCard: [] as { page: number; slot: number }[], reached: ended.at(-1) };
	for (const page of new Set(ended.map(({ page_id }) => page_id))) {
		const ofPage = await keyRing.seals.transact(database, async (transaction, sealer) => {
			// The page is only locked and not opened, so that a damaged page does not keep its CVVs alive.
			await pageStore(transaction, dialect).findForUpdate(page);
			const store = cvvStore(transaction, dialect);
			const rows = await store.listEndedForUpdate(page, now);
			const withCard: CvvRow[] = [];
			for (const row of rows) {
				if (row.delete_card === 1 && (await empty({ store, sealer }, row))) withCard.push(row);
				else await store.remove(page, row.slot);
			}
			return { destroyed: rows.length, withCard };
		});
		all.destroyed += ofPage.destroyed;
		for (const { slot } of ofPage.withCard) all.withCard.push({ page, slot });
	}
	return all;
}

/**
 * Destroys an expired CVV, but keeps a part of its row as a reminder that the card is to be removed too. Returns false if
 * the row does not match its seal, so that nobody can have a card removed by a change of the database.
 */
async function empty(
	{ store, sealer }: { readonly store: ReturnType<typeof cvvStore>; readonly sealer: RowSealer },
	row: CvvRow,
): Promise<boolean> {
	// The rest of a row that is already emptied grants nothing, so its seal does not matter. Earlier versions of the
	// daemon did not seal it again.
	if (row.uses_left === EMPTIED) return true;
	const destinations = await store.listDestinations(row.page_id, row.slot);
	if (!sealer.isIntact(sealedCvvs, row, { beside: besideCvv(destinations) })) return false;
	// The version is raised, so that a sweep which has read the row before does not write the CVV back. The version that
	// the page stores is not changed. If somebody puts the former row back, it is still expired, because its seal covers
	// the expiry.
	const emptied = { ...row, sealed: Buffer.alloc(0), uses_left: EMPTIED, version: row.version + 1 };
	await store.replaceDestinations(row.page_id, row.slot, []);
	return store.replace(row, { ...emptied, ...sealer.seal(sealedCvvs, emptied, besideCvv([])) });
}
