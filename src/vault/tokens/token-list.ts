// Lists the tokens of an account in batches, oldest first. Query Tokens, exports and the list of data blocks use it.
// Tokens of a file or batch that is still being processed are left out.

import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { Resolved } from '../cards/card-reader.ts';
import type { PageContent } from '../pages/page-codec.ts';
import type { PageMemory } from '../pages/page-memory.ts';
import { type PageRow, pageStore } from '../pages/page-store.ts';
import { PAGE_KINDS, type PageKind } from '../pages/record-codec.ts';
import { associationStore, WHOLE_PAGE } from './association-store.ts';
import { referenceStore } from './reference-store.ts';
import { type SlotsByPage, slotsOf } from './wanted-slots.ts';

export interface TokenQuery {
	/** This many tokens at the beginning of the list are skipped. */
	readonly from: number;
	/** At most this many tokens are returned; `Infinity` means all. */
	readonly num: number;
	readonly reference?: string;
	/** Selects only tokens that this merchant is associated with. */
	readonly merchantId?: AccountId;
	/**
	 * Selects the kind of page whose tokens are listed. Without it, the list has cards and network tokens but no data
	 * blocks.
	 */
	readonly kind?: PageKind;
}

export type Found = Pick<Resolved, 'page' | 'slot' | 'record'> & { readonly memory: PageMemory };

interface Batch {
	/** The pages, in the order of their ids. */
	readonly pages: readonly PageRow[];
	/**
	 * The slots to list on each page. A page that is not in the map is listed with all its slots, and so are all pages if
	 * there is no map.
	 */
	readonly slots?: SlotsByPage;
	/** This many tokens of the first page are skipped. */
	readonly skip: number;
}

/** At most this many pages are read at once, because reading them blocks other work for some milliseconds. */
const MAX_PAGES = 8;
const MAX_PLACES = 256;

/**
 * Yields records batch by batch. Each batch is wiped when the next one is requested. A page that does not open is
 * reported, and its records are left out, so that one damaged page does not hide all others.
 */
export async function* walkTokens(
	parts: {
		database: Database;
		/** Opens a page; returns undefined if it is damaged, which has been reported then. */
		open(page: PageRow): Promise<PageContent | undefined>;
		/** Called with the number of records that are left out of the list because their page does not open. */
		onLeftOut?(records: number): void;
	},
	accountId: AccountId,
	query: TokenQuery,
): AsyncGenerator<Found[]> {
	const { database, open, onLeftOut } = parts;
	let left = query.num;
	for await (const { pages, slots, skip } of batchesOf(database, accountId, query)) {
		let toSkip = skip;
		const found: Found[] = [];
		const contents: PageContent[] = [];
		for (const page of pages) {
			if (left === 0) break;
			const content = await open(page);
			if (!content) {
				// Its records count as if they were listed, so that the pages of a list do not shift.
				const count = slots?.get(page.id)?.size ?? page.live;
				const leftOut = Math.min(left, Math.max(0, count - Math.max(0, toSkip)));
				toSkip -= count;
				left -= leftOut;
				onLeftOut?.(leftOut);
				continue;
			}
			contents.push(content);
			const memory = content.memory();
			for (const slot of slots?.get(page.id) ?? content.slots()) {
				const record = content.find(slot);
				if (!record || toSkip-- > 0) continue;
				if (left-- === 0) break;
				found.push({ page, slot, record, memory });
			}
			left = Math.max(left, 0);
		}
		try {
			yield found;
		} finally {
			for (const content of contents) content.wipe();
		}
		if (left === 0) return;
	}
}

function batchesOf(database: Database, accountId: AccountId, query: TokenQuery): AsyncGenerator<Batch> {
	if (query.reference !== undefined) return underReference(database, accountId, query.reference, query);
	return query.merchantId === undefined
		? ofAccount(database, accountId, query)
		: ofMerchant(database, accountId, query);
}

/**
 * Returns the number of pages in the first batch. It is small if `num` is small, because a caller who requests a
 * hundred tokens should not cause pages with thousands of tokens to be opened.
 */
function firstPages(num: number): number {
	return Math.min(MAX_PAGES, Math.ceil(num / 24) + 1);
}

async function* ofAccount(database: Database, accountId: AccountId, query: TokenQuery): AsyncGenerator<Batch> {
	const { from, num, kind = PAGE_KINDS.cards } = query;
	const store = pageStore(database.knex, database.dialect);
	let limit = firstPages(num);
	let skip = from;
	for (const range of await store.listCountedRanges(accountId, kind)) {
		const before = await store.findPageBefore(accountId, kind, skip, range);
		let after = before.page;
		skip -= before.skipped;
		for (;;) {
			const pages = await store.listPages(accountId, kind, { after, last: range.last }, limit);
			if (pages.length === 0) break;
			yield { pages, skip };
			skip = 0;
			limit = MAX_PAGES;
			after = pages[pages.length - 1].id;
		}
	}
}

async function* ofMerchant(database: Database, accountId: AccountId, query: TokenQuery): AsyncGenerator<Batch> {
	const { from, num, merchantId, kind = PAGE_KINDS.cards } = query;
	const associations = associationStore(database.knex);
	let skip: number | undefined;
	let afterId = 0;
	for (let limit = firstPages(num); ; limit = MAX_PAGES) {
		const found = await associations.listPagesOf(accountId, kind, merchantId!, { from, afterId, limit });
		if (found.length === 0) return;
		skip ??= from - (found[0].running - found[0].count);
		const ids = found.map((row) => row.page_id);
		const places = await associations.findForMerchant(merchantId!, ids);
		const slots = slotsOf(places.toSorted((a, b) => a.slot - b.slot));
		for (const [id, own] of slots) if (own.has(WHOLE_PAGE)) slots.delete(id);
		yield { pages: await findInOrder(database, ids), slots, skip };
		skip = 0;
		afterId = ids[ids.length - 1];
	}
}

async function* underReference(
	database: Database,
	accountId: AccountId,
	reference: string,
	{ from, num, merchantId, kind = PAGE_KINDS.cards }: TokenQuery,
): AsyncGenerator<Batch> {
	const limit = Math.min(MAX_PLACES, num);
	for (let offset = from; ; offset += limit) {
		const query = { accountId, kind, reference, merchantId, offset, limit };
		const places = await referenceStore(database.knex).find(query);
		if (places.length === 0) return;
		const slots = slotsOf(places);
		yield { pages: await findInOrder(database, [...slots.keys()]), slots, skip: 0 };
		if (places.length < limit) return;
	}
}

async function findInOrder(database: Database, ids: readonly number[]): Promise<PageRow[]> {
	const pages = await pageStore(database.knex, database.dialect).findPages(ids);
	return pages.sort((a, b) => a.id - b.id);
}
