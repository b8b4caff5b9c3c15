// Reads and changes the row of a CVV while its page is locked. The page stores the version of the row, which increases
// with every change.

import type { Knex } from 'knex';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { RowSealer } from '../keys/row-seals.ts';
import { type CvvDestinationRow, type CvvRow, cvvStore, EMPTIED } from './cvv-store.ts';
import { type LockedPage, withLockedPage } from './locked-page.ts';
import type { PageMemory } from './page-memory.ts';
import { besideCvv, sealedCvvs } from './sealed-rows.ts';

/** A CVV that may be used. Its page is locked. */
export interface KeptCvv {
	readonly row: CvvRow;
	readonly destinations: readonly CvvDestinationRow[];
	change(changed: Partial<CvvRow>, destinations: readonly CvvDestinationRow[]): Promise<void>;
	/** Destroys the CVV. If its policy also removes the card, a part of the row stays to tell retention to do so. */
	destroy(changed?: Partial<CvvRow>): Promise<void>;
}

/**
 * Runs `work` with the row of a CVV and its destinations, under the lock of its page, whose stored version increases
 * with every change. A row that does not match its seal, or has a lower version than its page, is invalid: it is
 * removed, and `work` gets undefined.
 */
export async function withKeptCvv<T>(
	rooms: { readonly database: Database; readonly keyRing: KeyRing; readonly clock: Clock },
	place: { readonly page: { readonly id: number }; readonly slot: number },
	work: (kept: KeptCvv | undefined, transaction: Knex.Transaction) => Promise<T>,
): Promise<T> {
	const { dialect } = rooms.database;
	return withLockedPage(rooms, place.page.id, async (locked, transaction, sealer) => {
		const store = cvvStore(transaction, dialect);
		const row = locked && (await store.findForUpdate(place.page.id, place.slot));
		if (!row) return work(undefined, transaction);
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
			// Retention finds the rest of the row and removes the card. If the card were removed here, a call that is
			// using it would lose it.
			if (isWithCard) {
				const emptied = { sealed: Buffer.alloc(0), ends_at: rooms.clock.now().getTime(), uses_left: EMPTIED };
				await change({ ...changed, delete_card: 1, ...emptied }, []);
				return;
			}
			await countOn(locked, row.slot);
			await store.remove(row.page_id, row.slot);
		};
		return work({ row, destinations, change, destroy }, transaction);
	});
}

/** Increases the version that a page stores for the CVV of a slot, and returns the new version for the row of the CVV. */
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
	if (!sealer.isIntact(sealedCvvs, row, { beside: besideCvv(destinations) })) return false;
	if (row.version >= (memory.cvvs.get(row.slot) ?? 0)) return true;
	sealer.tellPutBack(sealedCvvs, row);
	return false;
}
