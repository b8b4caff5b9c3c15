// Locks a page to change rows that belong to it and whose versions it stores. Whoever locks such a row locks its page
// first, so that there are no deadlocks.

import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing, SealingKey } from '../../base/keys/key-ring.ts';
import type { RowSealer } from '../../base/keys/rows/row-seals.ts';
import { openPage, type PageContent, sealPage } from './page-codec.ts';
import type { PageMemory } from './page-memory.ts';
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
