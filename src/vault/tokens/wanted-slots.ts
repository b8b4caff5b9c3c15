// Tells where the cards are that have a reference, or that a merchant is associated with.

import type { Knex } from 'knex';
import type { AccountId } from '../../base/database/ids.ts';
import { associationStore, type Place, WHOLE_PAGE } from './association-store.ts';
import { referenceStore } from './reference-store.ts';

/** The slots of each page; `WHOLE_PAGE` among them stands for all slots of the page. */
export type SlotsByPage = ReadonlyMap<number, ReadonlySet<number>>;

interface Criterion {
	/** Lists places, `limit` at most. */
	all(limit: number): Promise<readonly Place[]>;
	on(pageIds: readonly number[]): Promise<readonly Place[]>;
}

/** If there are more places than this, they are not listed, but looked for page by page. */
const MOST_PLACES = 10_000;
const PAGES_AT_ONCE = 500;

/** Returns the places of cards that fit everything that is given; undefined if nothing is. */
export function wantedSlots(
	knex: Knex,
	parts: { readonly accountId: AccountId; readonly reference?: string; readonly merchantId?: AccountId },
) {
	const { accountId, reference, merchantId } = parts;
	const criteria: Criterion[] = [];
	if (reference !== undefined) {
		const store = referenceStore(knex);
		criteria.push({
			all: (limit) => store.listPlaces(accountId, reference, limit),
			on: (pageIds) => store.listPlacesOn(accountId, reference, pageIds),
		});
	}
	if (merchantId !== undefined) {
		const store = associationStore(knex);
		criteria.push({
			all: (limit) => store.listPlacesOf(merchantId, limit),
			on: (pageIds) => store.findForMerchant(merchantId, pageIds),
		});
	}
	if (criteria.length === 0) return undefined;
	const on = async (wanted: readonly Criterion[], pageIds: readonly number[], known?: SlotsByPage) => {
		let slots = known;
		for (const criterion of wanted) {
			const places: Place[] = [];
			for (let from = 0; from < pageIds.length; from += PAGES_AT_ONCE)
				places.push(...(await criterion.on(pageIds.slice(from, from + PAGES_AT_ONCE))));
			const found = slotsOf(places);
			slots = slots === undefined ? found : inBoth(slots, found);
		}
		return slots ?? new Map();
	};
	return {
		/**
		 * Returns all places, of which some may be on pages of other accounts; undefined if there are too many for that.
		 */
		async all(): Promise<SlotsByPage | undefined> {
			for (const criterion of criteria) {
				const places = await criterion.all(MOST_PLACES + 1);
				if (places.length > MOST_PLACES) continue;
				const slots = slotsOf(places);
				const others = criteria.filter((other) => other !== criterion);
				return on(others, [...slots.keys()], slots);
			}
			return undefined;
		},
		/** Returns the places on some pages. */
		on: (pageIds: readonly number[]): Promise<SlotsByPage> => on(criteria, pageIds),
	};
}

/** Returns the slots of places by their pages, both in the order of the places. */
export function slotsOf(places: readonly Place[]): Map<number, ReadonlySet<number>> {
	const byPage = Map.groupBy(places, ({ page_id }) => page_id);
	return new Map(byPage.entries().map(([page, own]) => [page, new Set(own.map(({ slot }) => slot))]));
}

function inBoth(one: SlotsByPage, another: SlotsByPage): SlotsByPage {
	const both = new Map<number, ReadonlySet<number>>();
	for (const [page, slots] of one) {
		const known = another.get(page);
		if (known === undefined) continue;
		const kept = slots.has(WHOLE_PAGE) ? known : known.has(WHOLE_PAGE) ? slots : slots.intersection(known);
		if (kept.size > 0) both.set(page, kept);
	}
	return both;
}
