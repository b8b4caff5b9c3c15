// Fills pages with records and seals them. Everything here is synchronous and works on bytes, because processing a file
// spends most of its time here.

import type { AccountId, JobId, PassId } from '../../base/database/ids.ts';
import type { SealingKey } from '../../base/keys/key-ring.ts';
import { fillRandom } from '../../base/keys/seal.ts';
import { looksLikeNumber, SALT_BYTES, TOKEN_BYTES, type TokenCipher } from '../tokens/token.ts';
import { CARDS_PER_PAGE, RECORD_HEAD_BYTES, sealPage, writePageHead, writeRecordHead } from './page-codec.ts';
import type { PageIds } from './page-ids.ts';
import type { PageRow } from './page-store.ts';
import { PAGE_KINDS, type PageKind, type RecordFields, recordLength, writeRecord } from './record-codec.ts';

/**
 * This many tokens are created in advance for a page. About 3 % of all tokens show twelve decimal digits in a row and
 * are skipped, so eight spare tokens are nearly always enough; if they are not, the page is sealed with fewer records.
 */
const CANDIDATES = CARDS_PER_PAGE + 8;
/**
 * The most bytes that the records of a page may take: a page is sealed before it grows beyond this size. A single
 * record that is larger gets a page of its own.
 */
const PAGE_BYTES = 16_384;

/** Tells where a record was stored. The object is reused, so read it before the next `add`. */
export interface Placement {
	page: number;
	slot: number;
	/**
	 * This buffer holds the 16 bytes of the token at `offset`. It is valid until the page is sealed and the next one is
	 * begun.
	 */
	tokens: Buffer;
	offset: number;
	/** False if the card was not stored, because it has an earlier token; `page` and `slot` then mean nothing. */
	isNew: boolean;
}

/** Says who stored the records of a page, and when. */
export interface PageOrigin {
	readonly creatorId: AccountId;
	/** In milliseconds since 1970. */
	readonly createdAt: number;
}

export interface PageBuilderOptions {
	readonly accountId: AccountId;
	readonly writer: JobId | PassId | null;
	readonly key: SealingKey;
	readonly tokens: TokenCipher;
	readonly ids: PageIds;
	readonly origin: PageOrigin;
	/** The kind of page; cards by default. */
	readonly kind?: PageKind;
	onPage(page: PageRow): void;
}

/** Builds the pages of one account, so a page never holds records of two accounts. */
export class PageBuilder {
	readonly placement: Placement = { page: 0, slot: 0, tokens: Buffer.alloc(0), offset: 0, isNew: true };
	readonly #options: PageBuilderOptions;
	#content = Buffer.allocUnsafeSlow(PAGE_BYTES + CARDS_PER_PAGE * RECORD_HEAD_BYTES);
	readonly #pointers = Buffer.allocUnsafeSlow(CANDIDATES * TOKEN_BYTES);
	readonly #salt = Buffer.allocUnsafeSlow(SALT_BYTES);
	#tokens: Buffer = Buffer.alloc(0);
	#page = 0;
	#origin: PageOrigin;
	#isOpen = false;
	#length = 0;
	#count = 0;
	#candidate = 0;

	constructor(options: PageBuilderOptions) {
		this.#options = options;
		this.#origin = options.origin;
	}

	/** Says whose records come next. Those of another origin go to another page. */
	from(origin: PageOrigin): void {
		const { creatorId, createdAt } = this.#origin;
		if (origin.creatorId !== creatorId || origin.createdAt !== createdAt) this.seal();
		this.#origin = origin;
	}

	/** Stores a record and returns where it is. If it needs a new page, `ids` must have an id available. */
	add(fields: RecordFields): Placement {
		const needed = RECORD_HEAD_BYTES + recordLength(fields);
		if (this.#isOpen && this.#length + needed > this.#content.length) this.seal();
		if (!this.#isOpen) this.#open(needed);
		const slot = this.#candidate;
		this.#length = writeRecordHead(this.#content, this.#length, slot, needed - RECORD_HEAD_BYTES);
		this.#length = writeRecord(this.#content, this.#length, fields);
		this.#count++;
		const placement = this.placement;
		placement.page = this.#page;
		placement.slot = slot;
		placement.tokens = this.#tokens;
		placement.offset = slot * TOKEN_BYTES;
		this.#passOver(slot + 1);
		if (this.#count === CARDS_PER_PAGE || this.#candidate === CANDIDATES) this.seal();
		return placement;
	}

	/** Seals the page that is being filled, even if it is not full. */
	seal(): void {
		if (!this.#isOpen) return;
		const { accountId, writer, key, tokens, kind = PAGE_KINDS.cards, onPage } = this.#options;
		const { creatorId, createdAt } = this.#origin;
		const sealed = sealPage(key.secret, this.#content.subarray(0, this.#length), this.#page, accountId, key.id);
		onPage({
			id: this.#page,
			account_id: accountId,
			creator_id: creatorId,
			key_id: key.id,
			salt: Buffer.from(this.#salt),
			count: this.#count,
			live: this.#count,
			sealed,
			written_by: writer,
			created_at: createdAt,
			version: 1,
			kind,
			token_generation: tokens.generation,
		});
		this.#isOpen = false;
	}

	wipe(): void {
		this.#content.fill(0);
	}

	#open(needed: number): void {
		if (needed + 1 > this.#content.length) {
			this.#content.fill(0);
			this.#content = Buffer.allocUnsafeSlow(needed + 1);
		}
		this.#page = this.#options.ids.take();
		fillRandom(this.#salt, 0, SALT_BYTES);
		this.#tokens = this.#options.tokens.makeTokens(this.#pointers, this.#page, CANDIDATES, this.#salt);
		this.#length = writePageHead(this.#content);
		this.#count = 0;
		this.#isOpen = true;
		this.#passOver(0);
	}

	/**
	 * Finds the slot of the next record: the first one, from this slot on, whose token does not look like a card number.
	 */
	#passOver(slot: number): void {
		while (slot < CANDIDATES && looksLikeNumber(this.#tokens, slot * TOKEN_BYTES)) slot++;
		this.#candidate = slot;
	}
}
