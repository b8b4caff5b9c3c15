// Deletes single records from their pages.

import type { Knex } from 'knex';
import { transact } from '../../base/database/dialect.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { ChangedBy, OnChanged } from '../change.ts';
import type { LiveTokens } from '../tokens/live-tokens.ts';
import { sealPage } from './page-codec.ts';
import { openPageRow } from './page-row.ts';
import { type PageRow, pageStore } from './page-store.ts';

interface Removal {
	readonly slot: number;
	readonly by: ChangedBy | undefined;
	/** Decides while the page is locked whether the record is deleted. Without it, the record is deleted. */
	readonly isToGo?: (transaction: Knex.Transaction) => Promise<boolean>;
}

/**
 * Deletes one record from its page, with everything that belongs to it. If the page was changed since it was read, it
 * tries again with the new content. Returns false if the record is already gone, or is to stay.
 * @throws DamagedPageError if the page does not open
 */
export async function removeRecord(
	parts: { database: Database; keyRing: KeyRing; tokens: LiveTokens; onChanged: OnChanged | undefined },
	page: PageRow,
	removal: Removal,
): Promise<boolean> {
	const { database, keyRing, tokens, onChanged } = parts;
	const { slot, by, isToGo } = removal;
	const content = await openPageRow(keyRing, page);
	const slots = content.slots();
	if (!slots.includes(slot)) {
		content.wipe();
		return false;
	}
	const key = await keyRing.current('data', page.account_id);
	const isLast = slots.length === 1;
	const token = (await tokens.current()).tokenAt(page, slot, content.find(slot));
	const sealed = sealPage(key.secret, content.without(slot), page.id, page.account_id, key.id);
	content.wipe();
	const outcome = await transact(database, async (transaction) => {
		const store = pageStore(transaction, database.dialect);
		if (isToGo) {
			await store.findForUpdate(page.id);
			if (!(await isToGo(transaction))) return 'stays';
		}
		const isOurs = isLast
			? await store.removePage(page)
			: await store.replaceSealed(page, sealed, key.id, slots.length - 1);
		if (!isOurs) return 'changed';
		if (isLast) await store.removeBesidePage(page.id);
		else await store.removeBeside(page.id, slot);
		if (by) await onChanged?.({ ...by, token, accountId: page.account_id }, transaction);
		return 'removed';
	});
	if (outcome !== 'changed') return outcome === 'removed';
	const [fresh] = await pageStore(database.knex, database.dialect).findPages([page.id]);
	return fresh ? removeRecord(parts, fresh, removal) : false;
}
