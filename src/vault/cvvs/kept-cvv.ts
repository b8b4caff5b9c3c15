// Reads and changes the row of a CVV while the page of its card is locked. The row has a version, which increases with
// every change and which the page stores too.

import type { Knex } from 'knex';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { RowSealer } from '../../base/keys/rows/row-seals.ts';
import { type LockedPage, withLockedPage } from '../pages/locked-page.ts';
import type { PageMemory } from '../pages/page-memory.ts';
import { besideCvv, sealedCvvs } from '../sealed-rows.ts';
import { type CvvDestinationRow, type CvvRow, cvvStore, EMPTIED } from './cvv-store.ts';

/** A CVV whose row is valid, together with what may be done to it while its page is locked. */
export interface KeptCvv {
	readonly row: CvvRow;
	readonly destinations: readonly CvvDestinationRow[];
	change(changed: Partial<CvvRow>, destinations: readonly CvvDestinationRow[]): Promise<void>;
	/**
	 * Destroys the CVV. If its policy says that the card is removed too, a part of the row stays, so that retention
	 * removes the card.
	 */
	destroy(changed?: Partial<CvvRow>): Promise<void>;
}

/**
 * Locks the page of a card, then runs `work` with the row and destinations of the card's CVV. A row is invalid if it
 * does not match its seal, or if its version is lower than the one that the page stores. An invalid row is removed, and
 * `work` gets undefined. It gets undefined too if the CVV is destroyed and only the part of the row is left by which
 * retention finds the card; that part stays.
 */
export async function withKeptCvv<T>(
	parts: { readonly database: Database; readonly keyRing: KeyRing; readonly clock: Clock },
	place: { readonly page: { readonly id: number }; readonly slot: number },
	work: (kept: KeptCvv | undefined, transaction: Knex.Transaction) => Promise<T>,
): Promise<T> {
	const { dialect } = parts.database;
	return withLockedPage(parts, place.page.id, async (locked, transaction, sealer) => {
		const store = cvvStore(transaction, dialect);
		const row = locked && (await store.findForUpdate(place.page.id, place.slot));
		if (!row || row.uses_left === EMPTIED) return work(undefined, transaction);
		const destinations = await store.listDestinations(row.page_id, row.slot);
		if (!isKept(sealer, row, destinations, locked.memory)) {
			await store.remove(row.page_id, row.slot);
			return work(undefined, transaction);
		}
		const change: KeptCvv['change'] = async (changed, next) => {
			const version = await countOn(locked, row.slot);
			const changedRow = { ...row, ...changed, version };
			if (next !== destinations) await store.replaceDestinations(row.page_id, row.slot, next);
			await store.replace(row, { ...changedRow, ...sealer.seal(sealedCvvs, changedRow, besideCvv(next)) });
		};
		const destroy: KeptCvv['destroy'] = async (changed = {}) => {
			const isWithCard = (changed.delete_card ?? row.delete_card) === 1;
			// The card is not removed here, because a call may still be using it. Retention later finds the rest of the row
			// and removes the card.
			if (isWithCard) {
				const emptied = { sealed: Buffer.alloc(0), ends_at: parts.clock.now().getTime(), uses_left: EMPTIED };
				await change({ ...changed, delete_card: 1, ...emptied }, []);
				return;
			}
			await countOn(locked, row.slot);
			await store.remove(row.page_id, row.slot);
		};
		return work({ row, destinations, change, destroy }, transaction);
	});
}

/**
 * Increases the version that the page stores for the CVV in a slot. Returns the new version, which the caller writes
 * into the row of the CVV.
 */
export async function countOn(page: LockedPage, slot: number): Promise<number> {
	const version = (page.memory.cvvs.get(slot) ?? 0) + 1;
	page.memory.cvvs.set(slot, version);
	await page.save();
	return version;
}

export function isKept(
	sealer: RowSealer,
	row: CvvRow,
	destinations: readonly CvvDestinationRow[],
	memory: PageMemory,
): boolean {
	const notBefore = memory.cvvs.get(row.slot) ?? 0;
	return sealer.isIntact(sealedCvvs, row, { beside: besideCvv(destinations), notBefore });
}
