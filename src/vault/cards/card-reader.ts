// Reads many cards of the vault at once. Each page is read and decrypted once for a whole batch of tokens.

import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { PageContent } from '../pages/page-codec.ts';
import { openPageRow } from '../pages/page-row.ts';
import { type PageRow, pageStore } from '../pages/page-store.ts';
import type { StoredRecord } from '../pages/record-codec.ts';
import { type AssociationRow, associationStore, WHOLE_PAGE } from '../tokens/association-store.ts';
import { allowedSlots } from '../tokens/associations.ts';
import type { LiveTokens } from '../tokens/live-tokens.ts';
import { leadsTo, type Pointer } from '../tokens/token.ts';

/** Describes a token that leads to a record which this account may use. */
export interface Resolved {
	readonly page: PageRow;
	readonly slot: number;
	readonly record: StoredRecord;
	/**
	 * True if this account owns the token; false if it may use the token because the owner has associated it with this
	 * account.
	 */
	readonly isOwner: boolean;
}

interface OpenedPage {
	readonly row: PageRow;
	readonly content: PageContent;
	/**
	 * Lists the slots that the reading account may use as an associated merchant; null if it owns the page and may use
	 * all slots.
	 */
	readonly allowed: ReadonlySet<number> | null;
}

/**
 * Reads cards for one primary account. Its sub-users have no reader of their own, because they use the cards of the
 * primary account (spec §2.1).
 */
export class CardReader {
	readonly #database: Database;
	readonly keyRing: KeyRing;
	readonly #tokens: LiveTokens;
	readonly #accountId: AccountId;
	/** Keeps the opened pages of the previous batch of tokens, because the next batch often begins in the same page. */
	#opened = new Map<number, OpenedPage>();

	constructor(options: { database: Database; keyRing: KeyRing; tokens: LiveTokens; accountId: AccountId }) {
		this.#database = options.database;
		this.keyRing = options.keyRing;
		this.#tokens = options.tokens;
		this.#accountId = options.accountId;
	}

	/**
	 * Resolves tokens of 16 bytes each; the results are in the same order. A result is undefined if the token does not
	 * exist or was deleted, or if another account owns it and has not associated it with this one. Callers cannot tell
	 * these cases apart (spec §7.4). Results are valid until the next call.
	 * @throws DamagedPageError if the page of a token does not open
	 */
	async resolve(tokens: Buffer): Promise<(Resolved | undefined)[]> {
		const pointers = (await this.#tokens.current()).decode(tokens);
		await this.#openPages(pointers);
		return pointers.map((pointer) => this.#follow(pointer));
	}

	wipe(): void {
		for (const page of this.#opened.values()) page.content.wipe();
		this.#opened = new Map();
	}

	#follow(pointer: Pointer | undefined): Resolved | undefined {
		if (!pointer) return undefined;
		const page = this.#opened.get(pointer.page);
		if (!page || !leadsTo(pointer, page.row)) return this.#follow(pointer.or);
		if (page.allowed && !page.allowed.has(pointer.slot) && !page.allowed.has(WHOLE_PAGE)) return undefined;
		const record = page.content.find(pointer.slot);
		return record && { page: page.row, slot: pointer.slot, record, isOwner: page.allowed === null };
	}

	async #openPages(pointers: readonly (Pointer | undefined)[]): Promise<void> {
		const wanted = new Set<number>();
		for (const pointer of pointers) {
			for (let each = pointer; each; each = each.or) wanted.add(each.page);
		}
		for (const [id, page] of this.#opened) {
			if (wanted.has(id)) continue;
			page.content.wipe();
			this.#opened.delete(id);
		}
		const missing = [...wanted].filter((id) => !this.#opened.has(id));
		if (missing.length === 0) return;
		const { knex, dialect } = this.#database;
		const rows = await pageStore(knex, dialect).findPages(missing);
		const foreign = rows.filter((row) => row.account_id !== this.#accountId).map((row) => row.id);
		const shared = new Map<number, AssociationRow[]>();
		if (foreign.length > 0) {
			for (const each of await associationStore(knex).findForMerchant(this.#accountId, foreign)) {
				const ofPage = shared.get(each.page_id);
				if (ofPage) ofPage.push(each);
				else shared.set(each.page_id, [each]);
			}
		}
		for (const row of rows) {
			const associations = row.account_id === this.#accountId ? null : shared.get(row.id);
			if (associations === undefined) continue;
			const content = await openPageRow(this.keyRing, row);
			const allowed = associations && (await allowedSlots(this, content, associations));
			this.#opened.set(row.id, { row, content, allowed });
		}
	}
}
