// Writes and reads the clear content of a page: layout u8, then per record `slot u8 | length u16 | record`, up to the
// end of the page. The versions of the database rows that belong to the page (page-memory.ts) are written like a
// record. This module also seals the content and binds it to the page's identity, so that nobody can swap pages in the
// database.

import type { KeyObject } from 'node:crypto';
import { seal, unseal } from '../../base/keys/seal.ts';
import { giveBack } from '../../base/threads/buffer-memory.ts';
import { MEMORY_SLOT, type PageMemory, readMemory, writeMemory } from './page-memory.ts';
import { StoredRecord } from './record-codec.ts';

/**
 * The maximum number of records in a page. With this number a page has about 2 KB, and to open it for a single card
 * costs hardly more than to open a row that holds only that card.
 */
export const CARDS_PER_PAGE = 32;
const LAYOUT = 1;
const PAGE_HEAD_BYTES = 1;
export const RECORD_HEAD_BYTES = 3;

/** Writes the beginning of a page into `target`; returns the offset of the first record. */
export function writePageHead(target: Buffer): number {
	target[0] = LAYOUT;
	return PAGE_HEAD_BYTES;
}

/** Writes the bytes that come before a record, and returns the offset at which the record itself begins. */
export function writeRecordHead(target: Buffer, offset: number, slot: number, length: number): number {
	target[offset] = slot;
	target[offset + 1] = length >> 8;
	target[offset + 2] = length & 0xff;
	return offset + RECORD_HEAD_BYTES;
}

const associated = Buffer.alloc(16);

/** Returns the bytes that identify a page: its id, its account and its key. The seal of the page covers them. */
function bindTo(pageId: number, accountId: number, keyId: number): Buffer {
	associated.writeUIntBE(pageId, 0, 6);
	associated.writeUIntBE(accountId, 6, 6);
	associated.writeUInt32BE(keyId, 12);
	return associated;
}

/** Seals the content of a page. The seal covers the ids of the page, the account and the key too. */
export function sealPage(
	key: KeyObject,
	content: Uint8Array,
	pageId: number,
	accountId: number,
	keyId: number,
): Buffer {
	return seal(key, content, bindTo(pageId, accountId, keyId));
}

/**
 * Opens a sealed page.
 * @throws SealError if anything was altered
 */
export function openPage(
	key: KeyObject,
	sealed: Uint8Array,
	pageId: number,
	accountId: number,
	keyId: number,
): PageContent {
	return new PageContent(unseal(key, sealed, bindTo(pageId, accountId, keyId)));
}

/** Holds the clear content of one page. Keep it briefly and `wipe` it when done. */
export class PageContent {
	readonly #bytes: Buffer;
	/**
	 * The end of the record that was found last. The next search begins here, because the tokens of a file mostly come in
	 * the order in which they were stored.
	 */
	#cursor = PAGE_HEAD_BYTES;

	constructor(bytes: Buffer) {
		if (bytes[0] !== LAYOUT) throw new Error(`internal error: page layout ${bytes[0]} is not known`);
		this.#bytes = bytes;
	}

	/** Returns the record in a slot, or undefined if the slot never held one or its record was deleted. */
	find(slot: number): StoredRecord | undefined {
		if (slot === MEMORY_SLOT) return undefined;
		const at =
			this.#locate(slot, this.#cursor, this.#bytes.length) ?? this.#locate(slot, PAGE_HEAD_BYTES, this.#cursor);
		if (at === undefined) return undefined;
		this.#cursor = this.#after(at);
		return new StoredRecord(this.#bytes, at + RECORD_HEAD_BYTES);
	}

	/** Returns the slots that hold a record, in the order they were stored. */
	slots(): number[] {
		const slots: number[] = [];
		for (let at = PAGE_HEAD_BYTES; at < this.#bytes.length; at = this.#after(at)) {
			if (this.#bytes[at] !== MEMORY_SLOT) slots.push(this.#bytes[at]);
		}
		return slots;
	}

	/**
	 * Returns the row versions that the page stores (page-memory.ts). There are none if no row of the page was ever
	 * changed.
	 */
	memory(): PageMemory {
		const at = this.#locate(MEMORY_SLOT, PAGE_HEAD_BYTES, this.#bytes.length);
		return readMemory(
			this.#bytes.subarray(at === undefined ? 0 : at + RECORD_HEAD_BYTES, at === undefined ? 0 : this.#after(at)),
		);
	}

	/** Returns a copy of the content with other row versions, to be sealed in place of the old content. */
	withMemory(memory: PageMemory): Buffer {
		const written = writeMemory(memory);
		const head = Buffer.alloc(RECORD_HEAD_BYTES);
		writeRecordHead(head, 0, MEMORY_SLOT, written.length);
		const records = this.without(MEMORY_SLOT);
		const whole = Buffer.concat([records, head, written]);
		records.fill(0);
		return whole;
	}

	/** Returns a copy of the content without the record in one slot, to be sealed in place of the old content. */
	without(slot: number): Buffer {
		const at = this.#locate(slot, PAGE_HEAD_BYTES, this.#bytes.length);
		if (at === undefined) return Buffer.from(this.#bytes);
		return Buffer.concat([this.#bytes.subarray(0, at), this.#bytes.subarray(this.#after(at))]);
	}

	/** Returns the whole content, to be sealed under another key. */
	whole(): Buffer {
		return this.#bytes;
	}

	/** Wipes the content and frees its memory. Nothing that was read from it may be used afterwards. */
	wipe(): void {
		// The memory is gone after the first call, and cannot be filled any more.
		if (this.#bytes.length > 0) giveBack(this.#bytes.fill(0));
	}

	#locate(slot: number, from: number, to: number): number | undefined {
		for (let at = from; at < to; at = this.#after(at)) if (this.#bytes[at] === slot) return at;
		return undefined;
	}

	#after(at: number): number {
		return at + RECORD_HEAD_BYTES + ((this.#bytes[at + 1] << 8) | this.#bytes[at + 2]);
	}
}
