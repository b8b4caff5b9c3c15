// Reserves page ids in blocks and hands them out one by one. So one database call covers many pages, and the database
// knows which pages an unfinished attempt may have written.

import type { Database } from '../database/open.ts';
import { reservePageIds } from './page-block-store.ts';
import type { AnyPageOwner } from './page-owner.ts';
import { pageStore } from './page-store.ts';

const FIRST_BLOCK = 64;
const LARGEST_BLOCK = 4096;

/** Hands out page ids for one writer. */
export interface PageIds {
	/** Returns how many ids can be taken without a database call. */
	available(): number;
	/** Returns the next id; call `refill` first if none is available. */
	take(): number;
	/** Returns an id below which this writer has no unused ids: each lower id is either used or belongs to another writer. */
	lowestFree(): number;
	/**
	 * Reserves a block of ids, so that more than `count` ids are available afterwards. Each block is larger than the one
	 * before, up to a limit, so that small files waste few ids and large files need few calls.
	 */
	refill(count: number): Promise<void>;
	/**
	 * Gives up the unused ids if another writer has reserved later ones. Lists are in the order of page ids and must show
	 * the oldest record first, so a new record may not get a lower id than an older one.
	 */
	giveUpOvertaken(): Promise<void>;
}

/** Returns an object that hands out ids for pages of this owner. */
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
		// Each block of a writer is reserved after the one before, so the blocks are in ascending order, and the first one
		// that is not used up has the lowest unused id.
		lowestFree: () => (next < end ? next : (ready[0]?.first ?? end)),
		async refill(wanted) {
			const count = Math.max(block, wanted + 1);
			block = Math.min(block * 2, LARGEST_BLOCK);
			const first = await reservePageIds(database, count, owner);
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
