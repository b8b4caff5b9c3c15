import type { AccountId } from '../../base/database/ids.ts';
import { keptSince, SPANS, startOf } from './periods.ts';
import { ALL_ACCOUNTS, type CountRow, type Span } from './statistics-store.ts';

/** Adds up events in memory, by period, account and kind, until they are written. */
export class Sums {
	#rows = new Map<string, { -readonly [Name in keyof CountRow]: CountRow[Name] }>();

	/** Adds a number to the counts of the hour and the day, for the account and for all accounts together. */
	add(accountId: AccountId, atMs: number, what: string, count: number, nowMs = atMs): void {
		if (count === 0) return;
		for (const span of Object.values(SPANS)) {
			const at = startOf(span, atMs);
			if (at < keptSince(span, nowMs)) continue;
			for (const account of [accountId, ALL_ACCOUNTS] as const) this.#addTo(span, at, account, what, count);
		}
	}

	get isEmpty(): boolean {
		return this.#rows.size === 0;
	}

	/** Returns all sums and empties this object. */
	drain(): CountRow[] {
		const rows = [...this.#rows.values()];
		this.#rows = new Map();
		return rows;
	}

	/** Puts the rows that `drain` returned back into the sums, because they could not be written to the database. */
	putBack(rows: readonly CountRow[]): void {
		for (const { span, at, accountId, what, count } of rows) this.#addTo(span, at, accountId, what, count);
	}

	#addTo(span: Span, at: number, accountId: CountRow['accountId'], what: string, count: number): void {
		const key = `${span}/${at}/${accountId}/${what}`;
		const row = this.#rows.get(key);
		if (row) row.count += count;
		else this.#rows.set(key, { span, at, accountId, what, count });
	}
}
