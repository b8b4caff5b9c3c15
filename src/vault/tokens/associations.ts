// Decides which merchants may use which records. Each revocation increases the epoch of a page. An association is valid
// if its seal matches and its epoch is not lower than that of the page.

import type { Knex } from 'knex';
import type { AccountId } from '../../base/database/ids.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { RowSealer } from '../../base/keys/rows/row-seals.ts';
import type { LockedPage } from '../pages/locked-page.ts';
import type { PageContent } from '../pages/page-codec.ts';
import { sealedAssociations } from '../sealed-rows.ts';
import { type AssociationRow, associationStore, WHOLE_PAGE } from './association-store.ts';

/**
 * Returns the slots of one page that a merchant may use; `WHOLE_PAGE` among them means all slots. The caller has to
 * read the page first and the associations afterwards. If somebody revokes an association in between, the remaining
 * ones have a higher epoch than the page that was read, and they still count as valid.
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

/**
 * Returns whether an association is valid. Its epoch may be higher than `epoch`, because the page may have changed
 * after it was read.
 */
export function counts(sealer: RowSealer, row: AssociationRow, epoch: number): boolean {
	return sealer.isIntact(sealedAssociations, row, { notBefore: epoch });
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
 * Revokes the associations of one record with a merchant, or with all merchants, under the lock of its page. An
 * association with the whole page is replaced by one for each other record of the page, so that the merchant may still
 * use those. The epoch of the page is raised, and the remaining rows are sealed again with the new epoch. So a removed
 * row stays invalid even if somebody puts it back into the database.
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
