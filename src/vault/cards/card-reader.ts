// Reads many cards of the vault at once. Each page is read and decrypted once for a whole batch of tokens.

import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { giveBack } from '../../base/threads/buffer-memory.ts';
import type { PageContent } from '../pages/page-codec.ts';
import { openPageRow } from '../pages/page-row.ts';
import { type PageRow, pageStore } from '../pages/page-store.ts';
import type { StoredRecord } from '../pages/record-codec.ts';
import { associationStore, WHOLE_PAGE } from '../tokens/association-store.ts';
import { allowedSlots } from '../tokens/associations.ts';
import { type ForeignTokenRow, foreignTokenStore, hasToken } from '../tokens/foreign-token-store.ts';
import type { LiveTokens } from '../tokens/live-tokens.ts';
import { leadsTo, type Pointer, TOKEN_BYTES } from '../tokens/token.ts';

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
	/** The page by which the audit trail finds the token, which has to point there by itself; absent for a foreign token. */
	readonly trailPage?: number;
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

function mayUse({ allowed }: OpenedPage, slot: number): boolean {
	return allowed === null || allowed.has(slot) || allowed.has(WHOLE_PAGE);
}

/**
 * Reads cards for one primary account, or `any` for an import, which asks whether a record is there at all. Sub-users have
 * no reader of their own, because they use the cards of the primary account (spec §2.1).
 */
export class CardReader {
	readonly #database: Database;
	readonly keyRing: KeyRing;
	readonly #tokens: LiveTokens;
	readonly #accountId: AccountId | 'any';
	/** Keeps the opened pages of the previous batch of tokens, because the next batch often begins in the same page. */
	#opened = new Map<number, OpenedPage>();

	constructor(options: { database: Database; keyRing: KeyRing; tokens: LiveTokens; accountId: AccountId | 'any' }) {
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
		const cipher = await this.#tokens.current();
		const pointers = cipher.decode(tokens);
		const wanted = new Set<number>();
		for (const pointer of pointers) {
			for (let each = pointer; each; each = each.or) wanted.add(each.page);
		}
		this.#closeExcept(wanted);
		await this.#open(wanted);
		const resolved = pointers.map((pointer) => this.#follow(pointer));
		if (cipher.hasForeign || this.#accountId === 'any') await this.#resolveForeign(tokens, resolved);
		return resolved;
	}

	wipe(): void {
		for (const page of this.#opened.values()) page.content.wipe();
		this.#opened = new Map();
	}

	#follow(pointer: Pointer | undefined): Resolved | undefined {
		if (!pointer) return undefined;
		const page = this.#opened.get(pointer.page);
		if (!page || !leadsTo(pointer, page.row)) return this.#follow(pointer.or);
		if (!mayUse(page, pointer.slot)) return undefined;
		const record = page.content.find(pointer.slot);
		return record && { page: page.row, slot: pointer.slot, record, isOwner: page.allowed === null };
	}

	/** Puts those of the tokens that no key of ours has made, and that lead to records nevertheless, into `resolved`. */
	async #resolveForeign(tokens: Buffer, resolved: (Resolved | undefined)[]): Promise<void> {
		const { knex, dialect } = this.#database;
		const tokenAt = (nth: number) => tokens.subarray(nth * TOKEN_BYTES, (nth + 1) * TOKEN_BYTES);
		const left = resolved.flatMap((each, nth) => (each ? [] : [nth]));
		if (left.length === 0) return;
		const rows = await foreignTokenStore(knex, dialect).find(left.map(tokenAt));
		const places = new Map(rows.map((row) => [row.token.toString('hex'), row]));
		await this.#open(new Set(rows.map(({ page_id }) => page_id)));
		for (const nth of left) {
			const place = places.get(tokenAt(nth).toString('hex'));
			if (place) resolved[nth] = this.#followForeign(place);
		}
	}

	#followForeign({ token, page_id, slot }: ForeignTokenRow): Resolved | undefined {
		const page = this.#opened.get(page_id);
		if (!page || !mayUse(page, slot)) return undefined;
		const record = page.content.find(slot);
		return hasToken(record, token) ? { page: page.row, slot, record, isOwner: page.allowed === null } : undefined;
	}

	#closeExcept(wanted: ReadonlySet<number>): void {
		for (const [id, page] of this.#opened) {
			if (wanted.has(id)) continue;
			page.content.wipe();
			this.#opened.delete(id);
		}
	}

	async #open(wanted: ReadonlySet<number>): Promise<void> {
		const missing = [...wanted].filter((id) => !this.#opened.has(id));
		if (missing.length === 0) return;
		const { knex, dialect } = this.#database;
		const rows = await pageStore(knex, dialect).findPages(missing);
		const accountId = this.#accountId;
		const others = accountId === 'any' ? [] : rows.filter((row) => row.account_id !== accountId).map((row) => row.id);
		const found =
			accountId === 'any' || others.length === 0 ? [] : await associationStore(knex).findForMerchant(accountId, others);
		const shared = Map.groupBy(found, ({ page_id }) => page_id);
		for (const row of rows) {
			const isOwn = accountId === 'any' || row.account_id === accountId;
			const associations = isOwn ? null : shared.get(row.id);
			if (associations === undefined) continue;
			const content = await openPageRow(this.keyRing, row);
			// A file has thousands of pages, and V8 would keep what nobody reads any more until it collects its garbage.
			giveBack(row.sealed);
			const allowed = associations && (await allowedSlots(this, content, associations));
			this.#opened.set(row.id, { row, content, allowed });
		}
	}
}
