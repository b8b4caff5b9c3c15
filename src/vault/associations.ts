// Decides which merchants may use which records. An association is valid if its seal matches and its epoch is not lower
// than that of its page, whose epoch increases with every revocation.

import type { Knex } from 'knex';
import type { AccountId } from '../database/ids.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { RowSealer } from '../keys/row-seals.ts';
import { type AssociationRow, associationStore, WHOLE_PAGE } from './association-store.ts';
import type { LockedPage } from './locked-page.ts';
import type { PageContent } from './page-codec.ts';
import { sealedAssociations } from './sealed-rows.ts';

/**
 * Returns the slots of one page that a merchant may use; `WHOLE_PAGE` among them means all. The caller has to read the
 * page before the associations: if somebody revokes one in between, the valid ones then have a higher epoch than the
 * page that was read, but never a lower one.
 */
export async function allowedSlots(
	{ keyRing }: { readonly keyRing: KeyRing },
	content: PageContent,
	rows: readonly AssociationRow[],
): Promise<ReadonlySet<number>> {
	const { epoch } = content.memory();
	return keyRing.seals.withSealer((sealer) => {
		const good = rows.filter((row) => counts(sealer, row, epoch));
		return new Set(good.map(({ slot }) => slot));
	});
}

/** Returns whether an association is valid. Its epoch may be above the page's, because the page was read first. */
function counts(sealer: RowSealer, row: AssociationRow, epoch: number): boolean {
	if (!sealer.isIntact(sealedAssociations, row)) return false;
	if (row.epoch >= epoch) return true;
	sealer.tellPutBack(sealedAssociations, row);
	return false;
}

/** Creates the sealed row of a new association. `epoch` is the present epoch of the page. */
export function associationRow(
	sealer: Pick<RowSealer, 'seal'>,
	pageId: number,
	slot: number,
	merchantId: AccountId,
	epoch: number,
): AssociationRow {
	const row = { page_id: pageId, slot, merchant_id: merchantId, epoch };
	return { ...row, ...sealer.seal(sealedAssociations, row) };
}

/**
 * Removes merchants from one record, under the lock of its page. An association with the whole page is split up, so
 * that every other record keeps the merchant. The epoch of the page is raised and the remaining rows are sealed again
 * with the new epoch, so that a removed row stays invalid even if somebody puts it back into the database.
 */
export async function dissociateWithin(
	page: LockedPage,
	{ slot, merchantId, now }: { readonly slot: number; readonly merchantId: AccountId | 'all'; readonly now: number },
	{ transaction, sealer }: { readonly transaction: Knex.Transaction; readonly sealer: RowSealer },
): Promise<void> {
	const store = associationStore(transaction);
	const { content, memory, row } = page;
	const rows = await store.listOfPage(row.id);
	const good = rows.filter((each) => counts(sealer, each, memory.epoch));
	const isMeant = (each: AssociationRow) =>
		(merchantId === 'all' || each.merchant_id === merchantId) && (each.slot === slot || each.slot === WHOLE_PAGE);
	memory.epoch += 1;
	for (const each of rows.filter((every) => isMeant(every) || !good.includes(every))) {
		await store.dissociate(each.page_id, each.slot, each.merchant_id);
	}
	const others = content.slots().filter((each) => each !== slot);
	const kept = good.filter((each) => !isMeant(each)).map((each) => [each.slot, each.merchant_id] as const);
	for (const each of good) {
		if (isMeant(each) && each.slot === WHOLE_PAGE) for (const other of others) kept.push([other, each.merchant_id]);
	}
	for (const [each, merchant] of kept) {
		await store.associate(associationRow(sealer, row.id, each, merchant, memory.epoch), now);
	}
	await page.save();
}
