// Page ids out of blocks: one database call for many pages, and an unfinished attempt knows what it may have written.

import { transact } from '../database/dialect.ts';
import type { Database } from '../database/open.ts';
import type { AnyPageOwner } from './page-owner.ts';
import { pageStore } from './page-store.ts';

const FIRST_BLOCK = 64;
const LARGEST_BLOCK = 4096;

/** Hands out page ids for one writer. */
export interface PageIds {
	/** How many ids are at hand without asking the database. */
	available(): number;
	/** The next id; call `refill` first when none is available. */
	take(): number;
	/** All ids below this one were handed out, or are nobody's of this writer. */
	lowestFree(): number;
	/** Reserves a block, larger every time: small files waste few ids, large ones ask seldom. */
	refill(): Promise<void>;
	/** Gives up what is left once another writer has reserved later ids: lists go by ids, and show the oldest first. */
	giveUpOvertaken(): Promise<void>;
}

/** Ids for pages of this owner. */
export function pageIds(database: Database, owner: AnyPageOwner): PageIds {
	let next = 0;
	let end = 0;
	let block = FIRST_BLOCK;
	const ready: { first: number; end: number }[] = [];
	return {
		available: () => end - next + ready.reduce((sum, range) => sum + range.end - range.first, 0),
		take() {
			if (next === end) {
				const range = ready.shift();
				if (!range) throw new Error('internal error: page ids taken before they were reserved');
				next = range.first;
				end = range.end;
			}
			return next++;
		},
		// Blocks of one writer come in order: each is reserved after the one before.
		lowestFree: () => (next < end ? next : (ready[0]?.first ?? end)),
		async refill() {
			const count = block;
			block = Math.min(block * 2, LARGEST_BLOCK);
			const first = await transact(database, (transaction) =>
				pageStore(transaction, database.dialect).reserveIds(count, owner),
			);
			ready.push({ first, end: first + count });
		},
		async giveUpOvertaken() {
			if (next === end && ready.length === 0) return;
			const newest = await pageStore(database.knex, database.dialect).findNextId();
			if (newest === (ready.at(-1)?.end ?? end)) return;
			next = end;
			ready.length = 0;
			block = FIRST_BLOCK;
		},
	};
}
