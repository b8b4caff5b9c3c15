// Locks a page to change rows that belong to it and whose versions it stores. Whoever locks such a row locks its page
// first, so that there are no deadlocks.

import type { Knex } from 'knex';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing, SealingKey } from '../../base/keys/key-ring.ts';
import type { RowSealer } from '../../base/keys/rows/row-seals.ts';
import type { ChangedBy, OnChanged } from '../change.ts';
import type { LiveTokens } from '../tokens/live-tokens.ts';
import { openPage, type PageContent, sealPage } from './page-codec.ts';
import type { PageMemory } from './page-memory.ts';
import { openPageRow } from './page-row.ts';
import { type PageRow, pageStore } from './page-store.ts';

export interface LockedPage {
	readonly row: PageRow;
	readonly content: PageContent;
	/** The row versions that the page stores. The caller changes them and then calls `save`. */
	readonly memory: PageMemory;
	/** Seals the page again with the changed `memory`. */
	save(): Promise<void>;
}

/**
 * This error is thrown if the key of a page is not in memory. No key can be fetched during a transaction, so the
 * transaction is undone, the key is fetched, and the transaction is run again.
 */
class PageKeyMissingError extends Error {
	readonly keyId: KeyId;
	constructor(keyId: KeyId) {
		super('a page is sealed under a key that is not at hand');
		this.keyId = keyId;
	}
}

/**
 * Runs `work` in a transaction in which a page is locked; `work` gets undefined if the page does not exist any more. If
 * a sweep has sealed the page with another key in the meantime, the transaction is run again, so `work` may change
 * nothing but the database.
 */
export async function withLockedPage<T>(
	{ database, keyRing }: { readonly database: Database; readonly keyRing: KeyRing },
	pageId: number,
	work: (page: LockedPage | undefined, transaction: Knex.Transaction, sealer: RowSealer) => Promise<T>,
): Promise<T> {
	const { knex, dialect } = database;
	let [known] = await pageStore(knex, dialect).findPages([pageId]);
	const keys = new Map<KeyId, SealingKey>();
	for (;;) {
		const current = known && (await keyRing.current('data', known.account_id as AccountId));
		if (known) keys.set(known.key_id, await keyRing.byId(known.key_id));
		try {
			return await keyRing.seals.transact(database, async (transaction, sealer) => {
				if (!current) return work(undefined, transaction, sealer);
				const store = pageStore(transaction, dialect);
				const row = await store.findForUpdate(pageId);
				if (!row) return work(undefined, transaction, sealer);
				const key = keys.get(row.key_id);
				if (!key) throw new PageKeyMissingError(row.key_id);
				const content = openPage(key.secret, row.sealed, row.id, row.account_id, row.key_id);
				try {
					const memory = content.memory();
					const save = async () => {
						const whole = content.withMemory(memory);
						const sealed = sealPage(current.secret, whole, row.id, row.account_id, current.id);
						whole.fill(0);
						await store.replaceSealed(row, sealed, current.id, row.live);
					};
					return await work({ row, content, memory, save }, transaction, sealer);
				} finally {
					content.wipe();
				}
			});
		} catch (error) {
			if (!(error instanceof PageKeyMissingError)) throw error;
			known = { ...known, key_id: error.keyId };
		}
	}
}

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
