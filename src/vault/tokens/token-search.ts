// Searches the cards of an account, newest first. Card digits are stored only in sealed pages, so a search for digits
// has to open pages. It stops at a time limit and returns the place it has reached.

import type { CardTypeIndex } from '../../base/card/brand.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { PageContent } from '../pages/page-codec.ts';
import type { PageRow } from '../pages/page-store.ts';
import type { StoredRecord } from '../pages/record-codec.ts';
import { type PagePlace, searchStore } from './search-store.ts';
import type { Found } from './token-list.ts';

/** The place in the list after which a search continues. */
export interface SearchPlace extends PagePlace {
	/**
	 * The slots of this page are searched from the highest to the lowest. Those from this number upwards were searched
	 * already.
	 */
	readonly slot: number;
}

export interface TokenSearch {
	readonly lastDigits?: string;
	/** Selects only cards of this type, in a search by digits. */
	readonly type?: CardTypeIndex;
	/** Selects only cards that this user of the account has stored. */
	readonly creatorId?: AccountId;
	/** Selects only pages that were created at `since` or later and before `until`, in milliseconds since 1970. */
	readonly since?: number;
	readonly until?: number;
	readonly after?: SearchPlace;
	readonly limit: number;
	/** Once the search has taken this long, it fetches no further pages. The first pages are always searched. */
	readonly budgetMs?: number;
}

export interface Searched {
	readonly found: readonly Found[];
	/** The place at which the next search continues; undefined if no older cards are left. */
	readonly next: SearchPlace | undefined;
	/** The creation time of the last page that was searched; undefined if no page was searched so far. */
	readonly reached: number | undefined;
}

/**
 * By default, a search fetches no further pages after this time, so that a page of the portal is ready within 100 ms.
 */
const BUDGET_MS = 50;
const MAX_PAGES = 64;
/**
 * A search without digits reads this many pages first and more only if they have too few cards. A page has a single
 * card if a call stored it, but up to 32 cards if a file did.
 */
const FIRST_PAGES = 8;

/**
 * Searches pages and calls `use` with the cards it has found. The opened pages are wiped when `use` has ended. A page
 * that does not open is reported, and its cards are left out.
 */
export async function searchTokens<T>(
	{
		database,
		open,
	}: {
		database: Database;
		/** Opens a page; returns undefined if it is damaged, which has been reported then. */
		open(page: PageRow): Promise<PageContent | undefined>;
	},
	accountId: AccountId,
	search: TokenSearch,
	use: (searched: Searched) => Promise<T>,
): Promise<T> {
	const { lastDigits, type, creatorId, since, until, after, limit, budgetMs = BUDGET_MS } = search;
	const store = searchStore(database.knex);
	const begunAt = performance.now();
	const digits = lastDigits === undefined ? undefined : Buffer.from(lastDigits, 'latin1');
	const found: Found[] = [];
	const opened: PageContent[] = [];
	let place = after;
	let reached = after?.createdAt;
	const finish = async (next: SearchPlace | undefined) => {
		try {
			return await use({ found, next, reached });
		} finally {
			for (const content of opened) content.wipe();
		}
	};
	for (let size = digits ? MAX_PAGES : FIRST_PAGES; ; size = MAX_PAGES) {
		const pages = await store.listNewest({ accountId, creatorId, since, until, from: place, limit: size });
		for (const page of pages) {
			const content = await open(page);
			reached = page.created_at;
			if (!content) {
				place = { createdAt: page.created_at, page: page.id, slot: 0 };
				continue;
			}
			const memory = content.memory();
			const before = place?.page === page.id ? place.slot : Number.POSITIVE_INFINITY;
			const slots = content.slots().filter((slot) => slot < before);
			let hasFound = false;
			for (const slot of slots.sort((a, b) => b - a)) {
				const record = content.find(slot);
				if (!record || (digits && !endsWith(record, digits))) continue;
				if (type !== undefined && record.type !== type) continue;
				if (found.length === limit) {
					if (!hasFound) content.wipe();
					else opened.push(content);
					return finish(place);
				}
				hasFound = true;
				found.push({ page, slot, record, memory });
				place = { createdAt: page.created_at, page: page.id, slot };
			}
			if (hasFound) opened.push(content);
			else content.wipe();
			// All slots of this page were searched. If the next search continues here, it lists the page once more but finds
			// nothing new on it.
			place = { createdAt: page.created_at, page: page.id, slot: 0 };
		}
		if (pages.length < size) return finish(undefined);
		if (performance.now() - begunAt > budgetMs) return finish(place);
	}
}

/** Returns whether a record has a card number that ends in these digits. */
function endsWith({ kind, digits }: StoredRecord, wanted: Buffer): boolean {
	return kind !== 'data-block' && digits.length >= 12 && digits.subarray(digits.length - wanted.length).equals(wanted);
}
