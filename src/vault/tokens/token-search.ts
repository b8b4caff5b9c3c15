// Searches the cards of an account page by page in both directions. Card digits are stored only in sealed pages, so a search
// for digits has to open pages. It stops at a time limit and returns the place it has reached.

import type { CardTypeIndex } from '../../base/card/brand.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { PageContent } from '../pages/page-codec.ts';
import { type PageRow, pageStore } from '../pages/page-store.ts';
import type { StoredRecord } from '../pages/record-codec.ts';
import { WHOLE_PAGE } from './association-store.ts';
import { type PageKey, type PagePlace, type PageQuestion, searchStore } from './search-store.ts';
import type { Found } from './token-list.ts';
import { type SlotsByPage, wantedSlots } from './wanted-slots.ts';

/** A place in the list, between two cards. */
export interface SearchPlace extends PagePlace {
	/** The cards of this page in the slots from this number upwards are newer than the place, and the others older. */
	readonly slot: number;
}

export interface TokenSearch extends Omit<PageQuestion, 'accountId'> {
	readonly lastDigits?: string;
	/** Selects only cards of this type, in a search by digits. */
	readonly type?: CardTypeIndex;
	/** Selects only cards with this reference. */
	readonly reference?: string;
	/** Selects only cards that this merchant is associated with. */
	readonly merchantId?: AccountId;
	/** Selects the next older cards after this place; without a place, the search begins with the newest card. */
	readonly after?: SearchPlace;
	/** Selects the next newer cards before this place instead. */
	readonly before?: SearchPlace;
	readonly limit: number;
	/** Once the search has taken this long, it fetches no further pages. The first pages are always searched. */
	readonly budgetMs?: number;
	/** Given if the cards that fit are counted, up to this number. */
	readonly countUpTo?: number;
}

export interface Searched {
	/** The newest first. */
	readonly found: readonly Found[];
	/** The place at which older cards follow; undefined if none are left. */
	readonly next: SearchPlace | undefined;
	/** The place before which there are newer cards; undefined if there are none. */
	readonly previous: SearchPlace | undefined;
	/** The creation time of the last page that was searched; undefined if no page was searched so far. */
	readonly reached: number | undefined;
	/** True if the search stopped at its time limit with fewer cards than were asked for. */
	readonly isStopped: boolean;
	/**
	 * How many cards fit. Undefined unless that is asked for, in a search by digits, and where a reference or merchant has more
	 * cards than are listed at once.
	 */
	readonly count: number | undefined;
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
/** A slot is a byte, so that no page has one from this number upwards. */
const BEYOND_SLOTS = 256;
/** So many pages are looked at for a reference or merchant that has very many cards. */
const MAX_KEYS = 256;

interface Step {
	readonly pages: readonly PageRow[];
	/** The slots in which cards fit; without it, they may be in any. */
	readonly slots: SlotsByPage | undefined;
	/** The last page that was looked at. */
	readonly last: PagePlace | undefined;
	readonly isLast: boolean;
}

/**
 * Searches pages and calls `use` with the cards it has found. The opened pages are wiped when `use` has ended. A page
 * that does not open is reported, and its cards are left out.
 */
export async function searchTokens<T>(
	parts: {
		database: Database;
		/** Opens a page; returns undefined if it is damaged, which has been reported then. */
		open(page: PageRow): Promise<PageContent | undefined>;
	},
	accountId: AccountId,
	search: TokenSearch,
	use: (searched: Searched) => Promise<T>,
): Promise<T> {
	const { database, open } = parts;
	const { lastDigits, type, after, before, limit, budgetMs = BUDGET_MS } = search;
	const isForward = before !== undefined;
	const from = before ?? after;
	const begunAt = performance.now();
	const digits = lastDigits === undefined ? undefined : Buffer.from(lastDigits, 'latin1');
	const found: Found[] = [];
	const opened: PageContent[] = [];
	let place = from;
	let reached = from?.createdAt;
	const { steps, count } = await begin(database, accountId, search, digits ? MAX_PAGES : FIRST_PAGES);
	const finish = async (onward: SearchPlace | undefined, isStopped = false) => {
		if (isForward) found.reverse();
		const [first, last] = [found[0], found.at(-1)];
		const back = last ? placeAt(last, last.slot) : from;
		const forth = first ? placeAt(first, first.slot + 1) : from;
		const ends = isForward ? { next: back, previous: onward } : { next: onward, previous: from && forth };
		try {
			return await use({ found, ...ends, reached, isStopped, count });
		} finally {
			for (const content of opened) content.wipe();
		}
	};
	/** Returns the place behind all slots of a page. A search that continues there lists the page once more but finds nothing new. */
	const behind = ({ createdAt, page }: PagePlace) => ({ createdAt, page, slot: isForward ? BEYOND_SLOTS : 0 });
	for await (const { pages, slots, last, isLast } of steps) {
		for (const page of pages) {
			const content = await open(page);
			reached = page.created_at;
			const here = { createdAt: page.created_at, page: page.id };
			if (!content) {
				place = behind(here);
				continue;
			}
			const memory = content.memory();
			const bound = place?.page === page.id ? place.slot : undefined;
			const isOnward = (slot: number) => bound === undefined || (isForward ? slot >= bound : slot < bound);
			const wanted = slots?.get(page.id);
			const fitting = content
				.slots()
				.filter((slot) => isOnward(slot) && (wanted === undefined || wanted.has(slot) || wanted.has(WHOLE_PAGE)));
			let hasFound = false;
			for (const slot of fitting.sort((a, b) => (isForward ? a - b : b - a))) {
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
				place = { ...here, slot: isForward ? slot + 1 : slot };
			}
			if (hasFound) opened.push(content);
			else content.wipe();
			place = behind(here);
		}
		if (isLast) break;
		if (last) {
			place = behind(last);
			reached = last.createdAt;
		}
		if (performance.now() - begunAt > budgetMs) return finish(place, found.length < limit);
	}
	return finish(undefined);
}

/** Returns the pages to search, step by step, and how many cards fit. */
async function begin(
	{ knex, dialect }: Database,
	accountId: AccountId,
	{ lastDigits, reference, merchantId, creatorId, since, until, after, before, countUpTo }: TokenSearch,
	firstPages: number,
): Promise<{ readonly steps: AsyncGenerator<Step>; readonly count: number | undefined }> {
	const store = searchStore(knex, dialect);
	const question = { accountId, creatorId, since, until };
	const direction = { from: before ?? after, isForward: before !== undefined };
	const most = lastDigits === undefined ? countUpTo : undefined;
	const wanted = wantedSlots(knex, { accountId, reference, merchantId });
	const inOrder = async (keys: readonly PageKey[]): Promise<PageRow[]> => {
		const rows = await pageStore(knex, dialect).findPages(keys.map(({ id }) => id));
		const byId = new Map(rows.map((row) => [row.id, row]));
		return keys.flatMap(({ id }) => byId.get(id) ?? []);
	};

	async function* allPages(): AsyncGenerator<Step> {
		let from: PagePlace | undefined = direction.from;
		for (let limit = firstPages; ; limit = MAX_PAGES) {
			const pages = await store.list({ ...question, ...direction, from, limit });
			const last = pages.at(-1);
			from = last ? { createdAt: last.created_at, page: last.id } : from;
			yield { pages, slots: undefined, last: from, isLast: pages.length < limit };
		}
	}
	async function* knownPages(keys: readonly PageKey[], slots: SlotsByPage): AsyncGenerator<Step> {
		for (let at = 0, length = firstPages; ; at += length, length = MAX_PAGES) {
			const some = keys.slice(at, at + length);
			yield { pages: await inOrder(some), slots, last: placeOf(some.at(-1)), isLast: at + length >= keys.length };
		}
	}
	async function* pagesAlongTime(on: (pageIds: readonly number[]) => Promise<SlotsByPage>): AsyncGenerator<Step> {
		let { from }: { from?: PagePlace } = direction;
		for (;;) {
			const keys = await store.listKeys({ ...question, ...direction, from, limit: MAX_KEYS });
			const slots = await on(keys.map(({ id }) => id));
			from = placeOf(keys.at(-1)) ?? from;
			const pages = await inOrder(keys.filter(({ id }) => slots.has(id)));
			yield { pages, slots, last: from, isLast: keys.length < MAX_KEYS };
		}
	}

	if (wanted === undefined)
		return { steps: allPages(), count: most === undefined ? most : await store.countCards(question, most) };
	const slots = await wanted.all();
	if (slots === undefined) return { steps: pagesAlongTime(wanted.on), count: undefined };
	const keys = await store.findKeys([...slots.keys()], question);
	const cards = keys.reduce((sum, { id, live }) => {
		const known = slots.get(id)!;
		return sum + (known.has(WHOLE_PAGE) ? live : known.size);
	}, 0);
	const { from, isForward } = direction;
	const sign = isForward ? 1 : -1;
	const compare = (one: PagePlace, other: PagePlace) =>
		sign * (one.createdAt - other.createdAt || one.page - other.page);
	const onward = keys
		.filter((key) => from === undefined || compare(placeOf(key), from) >= 0)
		.sort((one, other) => compare(placeOf(one), placeOf(other)));
	return { steps: knownPages(onward, slots), count: most === undefined ? most : Math.min(cards, most) };
}

function placeOf(key: PageKey): PagePlace;
function placeOf(key: PageKey | undefined): PagePlace | undefined;
function placeOf(key: PageKey | undefined): PagePlace | undefined {
	return key && { createdAt: key.created_at, page: key.id };
}

function placeAt({ page }: Found, slot: number): SearchPlace {
	return { createdAt: page.created_at, page: page.id, slot };
}

/** Returns whether a record has a card number that ends in these digits. */
function endsWith({ kind, digits }: StoredRecord, wanted: Buffer): boolean {
	return kind !== 'data-block' && digits.length >= 12 && digits.subarray(digits.length - wanted.length).equals(wanted);
}
