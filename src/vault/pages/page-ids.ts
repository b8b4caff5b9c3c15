// Reserves page ids in blocks and hands them out one by one. So one database call covers many pages, and the database
// knows which pages an unfinished attempt may have written.

import type { Database } from '../../base/database/open.ts';
import { reservePageIds } from './page-block-store.ts';
import type { AnyPageOwner } from './page-owner.ts';
import { pageStore } from './page-store.ts';

const FIRST_BLOCK = 64;
const LARGEST_BLOCK = 4096;

/** Holds the blocks of ids that one owner has reserved and not used up, in ascending order. */
export class PageIds {
	readonly #database: Database;
	readonly #owner: AnyPageOwner;
	readonly #blocks: { next: number; readonly end: number }[] = [];
	/** The end of the newest block. */
	#end = 0;
	/** Each block is larger than the one before, so that small files waste few ids and large files need few calls. */
	#size = FIRST_BLOCK;

	constructor(database: Database, owner: AnyPageOwner) {
		this.#database = database;
		this.#owner = owner;
	}

	/** Ensures that more than `count` ids are reserved. */
	async reserve(count: number): Promise<void> {
		if (this.#blocks.reduce((sum, { next, end }) => sum + end - next, 0) > count) return;
		const size = Math.max(this.#size, count + 1);
		this.#size = Math.min(this.#size * 2, LARGEST_BLOCK);
		const next = await reservePageIds(this.#database, size, this.#owner);
		this.#end = next + size;
		this.#blocks.push({ next, end: this.#end });
	}

	take(): number {
		const block = this.#blocks[0];
		if (!block) throw new Error('internal error: page ids taken before they were reserved');
		const id = block.next++;
		if (block.next === block.end) this.#blocks.shift();
		return id;
	}

	/** Returns an id below which the owner has no unused ids: each lower id is either used or belongs to another owner. */
	lowestFree(): number {
		return this.#blocks[0]?.next ?? this.#end;
	}

	/** Returns whether another owner has reserved later ids than those that are left here. */
	async areOvertaken(): Promise<boolean> {
		if (this.#blocks.length === 0) return false;
		return (await pageStore(this.#database.knex, this.#database.dialect).findNextId()) !== this.#end;
	}
}
