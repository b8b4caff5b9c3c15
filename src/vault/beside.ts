// Reads what is stored beside the records on some pages: references, ends of CVVs and associated merchants. What does
// not match its seal is not shown, because it grants nothing: nobody can use the card or the CVV by it.

import type { AccountId } from '../base/database/ids.ts';
import type { Database } from '../base/database/open.ts';
import type { RowSealer } from '../base/keys/rows/row-seals.ts';
import { type BesideRow, besideStore } from './beside-store.ts';
import { policyOf } from './cvvs/cvv.ts';
import { type CvvDestinationRow, type CvvRow, EMPTIED } from './cvvs/cvv-store.ts';
import { isKept } from './cvvs/kept-cvv.ts';
import type { PageMemory } from './pages/page-memory.ts';
import { type AssociationRow, WHOLE_PAGE } from './tokens/association-store.ts';
import { counts } from './tokens/associations.ts';

export class Beside {
	readonly #references = new Map<string, string[]>();
	readonly #cvvs = new Map<string, { readonly row: CvvRow; readonly destinations: CvvDestinationRow[] }>();
	readonly #merchants = new Map<string, AssociationRow[]>();
	/** The rows that were checked, with the result: one row may belong to all records of a page. */
	readonly #checked = new Map<object, boolean>();

	/** Reads the rows of some pages. The pages were read before, so no row is older than its page. */
	static async load({ knex, dialect }: Database, pageIds: readonly number[]): Promise<Beside> {
		const beside = new Beside();
		const rows = await besideStore(knex, dialect).listForPages(pageIds);
		// CVVs come first, because destinations are put to their CVV.
		for (const row of rows.filter(({ what }) => what !== 'destination')) beside.#add(row);
		for (const row of rows.filter(({ what }) => what === 'destination')) beside.#add(row);
		return beside;
	}

	#add(row: BesideRow): void {
		const { page_id, slot } = row;
		const place = `${page_id}/${slot}`;
		if (row.what === 'reference') this.#references.set(place, [...(this.#references.get(place) ?? []), row.reference]);
		else if (row.what === 'merchant') this.#merchants.set(place, [...(this.#merchants.get(place) ?? []), row]);
		else if (row.what === 'cvv') this.#cvvs.set(place, { row, destinations: [] });
		else this.#cvvs.get(place)?.destinations.push(row);
	}

	/**
	 * Returns what is stored beside a record at the time `now`, in milliseconds. `memory` is that of its page.
	 * @throws UnknownSealKeyError
	 */
	of(sealer: RowSealer, { page, slot, memory }: BesidePlace, now: number) {
		const place = `${page}/${slot}`;
		const ofRecord = this.#merchants.get(place) ?? [];
		const ofPage = this.#merchants.get(`${page}/${WHOLE_PAGE}`) ?? [];
		const merchants = [...ofRecord, ...ofPage].filter((row) =>
			this.#check(row, () => counts(sealer, row, memory.epoch)),
		);
		const cvv = this.#cvvs.get(place);
		const isEmptied = cvv?.row.uses_left === EMPTIED;
		const isSealed =
			cvv !== undefined && !isEmptied && this.#check(cvv, () => isKept(sealer, cvv.row, cvv.destinations, memory));
		const hasCvv = isSealed && cvv.row.ends_at > now;
		const references = this.#references.get(place) ?? [];
		// A CVV that has ended takes its card along, even if retention has not come by yet.
		const isToGo = cvv?.row.delete_card === 1 && (isSealed || isEmptied);
		return {
			reference: references.at(-1) ?? null,
			references,
			cvvEnd: hasCvv ? cvv.row.ends_at : null,
			policy: hasCvv ? policyOf(cvv.row, cvv.destinations) : null,
			/** When retention removes the record with its CVV, although that may be destroyed already. */
			removalAt: isToGo ? new Date(cvv.row.ends_at) : null,
			merchantIds: [...new Set(merchants.map(({ merchant_id }): AccountId => merchant_id))].sort((a, b) => a - b),
		};
	}

	#check(row: object, check: () => boolean): boolean {
		let isGood = this.#checked.get(row);
		if (isGood === undefined) this.#checked.set(row, (isGood = check()));
		return isGood;
	}
}

interface BesidePlace {
	readonly page: number;
	readonly slot: number;
	readonly memory: PageMemory;
}
