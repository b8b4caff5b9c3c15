// Writes and reads one stored record as bytes inside a sealed page: flags u8 | kind and shape u8 | expiry u16 | type u8
// | number length u8, digits | spelling u16 + bytes | name u16 + bytes | issue u16 + bytes | owner u16 + bytes |
// virtual u16 + bytes | token u16 + bytes. From the spelling on, each field is there only if its flag is set. Numbers stay
// bytes in this module; a string is created only when a single card is read.

import { CARD_TYPES, type CardTypeIndex } from '../../base/card/brand.ts';
import type { Expiry } from '../../base/card/expiry.ts';
import { SHAPES, type Shape } from '../../base/card/shape.ts';

/**
 * The kinds of record to which a token may lead (spec §2.3). Operations on cards fail if the token leads to another
 * kind.
 */
export const RECORD_KINDS = ['card', 'data-block', 'network-token'] as const;
export type RecordKind = (typeof RECORD_KINDS)[number];

/** The kinds of page. A page never holds both cards and data blocks, because the two are listed separately. */
export const PAGE_KINDS = { cards: 0, 'data-blocks': 1 } as const;
export type PageKind = (typeof PAGE_KINDS)[keyof typeof PAGE_KINDS];

/** Returns the kind of page into which a record of the given kind goes. */
export function pageKindOf(kind: RecordKind): PageKind {
	return kind === 'data-block' ? PAGE_KINDS['data-blocks'] : PAGE_KINDS.cards;
}

const HAS_SPELLING = 1;
const HAS_NAME = 2;
const HAS_ISSUE = 4;
const HAS_OWNER = 8;
const HAS_VIRTUAL = 16;
const HAS_TOKEN = 32;

const HEAD_BYTES = 6;
/**
 * The maximum length of a text field in bytes. It must fit into 16 bits, in which a page stores the lengths of texts
 * and records.
 */
export const MAX_TEXT_BYTES = 16_384;

/** Holds the fields of a record as spans of bytes, so that they are copied directly from the window of a file. */
export interface RecordFields {
	kind: RecordKind;
	shape: Shape;
	expiry: Expiry;
	type: CardTypeIndex;
	/** The digits of a card or network token, in ASCII. A data block has no digits; its content is in `spelling`. */
	digits: Uint8Array;
	digitCount: number;
	/** The number exactly as it was written; null if it was written as plain digits. */
	spelling: Uint8Array | null;
	name: Uint8Array | null;
	issueNumber: Uint8Array | null;
	owner: Uint8Array | null;
	/** The details of a virtual card, as JSON. */
	virtual?: Uint8Array | null;
	/** The 16 bytes of the token, if another installation made it. Otherwise it follows from the place of the record. */
	token?: Uint8Array | null;
}

/** Returns the number of bytes that a record will take. */
export function recordLength(fields: RecordFields): number {
	return (
		HEAD_BYTES +
		fields.digitCount +
		(fields.spelling ? 2 + fields.spelling.length : 0) +
		(fields.name ? 2 + fields.name.length : 0) +
		(fields.issueNumber ? 2 + fields.issueNumber.length : 0) +
		(fields.owner ? 2 + fields.owner.length : 0) +
		(fields.virtual ? 2 + fields.virtual.length : 0) +
		(fields.token ? 2 + fields.token.length : 0)
	);
}

/**
 * Writes a record at `offset` and returns the offset after it. The caller makes sure that there is space for
 * `recordLength` bytes.
 */
export function writeRecord(target: Buffer, offset: number, fields: RecordFields): number {
	const flags =
		(fields.spelling ? HAS_SPELLING : 0) |
		(fields.name ? HAS_NAME : 0) |
		(fields.issueNumber ? HAS_ISSUE : 0) |
		(fields.owner ? HAS_OWNER : 0) |
		(fields.virtual ? HAS_VIRTUAL : 0) |
		(fields.token ? HAS_TOKEN : 0);
	const expiry = packExpiry(fields.expiry);
	target[offset++] = flags;
	target[offset++] = (RECORD_KINDS.indexOf(fields.kind) << 4) | SHAPES.indexOf(fields.shape);
	target[offset++] = expiry >> 8;
	target[offset++] = expiry & 0xff;
	target[offset++] = fields.type;
	target[offset++] = fields.digitCount;
	for (let i = 0; i < fields.digitCount; i++) target[offset++] = fields.digits[i];
	if (flags === 0) return offset;
	if (fields.spelling) offset = writeText(target, offset, fields.spelling);
	if (fields.name) offset = writeText(target, offset, fields.name);
	if (fields.issueNumber) offset = writeText(target, offset, fields.issueNumber);
	if (fields.owner) offset = writeText(target, offset, fields.owner);
	if (fields.virtual) offset = writeText(target, offset, fields.virtual);
	if (fields.token) offset = writeText(target, offset, fields.token);
	return offset;
}

function writeText(target: Buffer, offset: number, text: Uint8Array): number {
	target.writeUInt16BE(text.length, offset);
	target.set(text, offset + 2);
	return offset + 2 + text.length;
}

/**
 * Packs an expiry into 16 bits, as the number of months since the beginning of year 0; 0 means that there is no expiry.
 */
function packExpiry(expiry: Expiry): number {
	return expiry > 0 ? Math.floor(expiry / 100) * 12 + (expiry % 100) - 1 : 0;
}

/** A record inside an opened page. It uses the page's bytes, so it is valid only as long as the page is open. */
export class StoredRecord {
	readonly #page: Buffer;
	readonly #offset: number;

	constructor(page: Buffer, offset: number) {
		this.#page = page;
		this.#offset = offset;
	}

	get kind(): RecordKind {
		return RECORD_KINDS[this.#page[this.#offset + 1] >> 4];
	}

	get shape(): Shape {
		return SHAPES[this.#page[this.#offset + 1] & 15];
	}

	get expiry(): Expiry {
		const months = (this.#page[this.#offset + 2] << 8) | this.#page[this.#offset + 3];
		return months === 0 ? 0 : Math.floor(months / 12) * 100 + (months % 12) + 1;
	}

	get type(): CardTypeIndex {
		const type = this.#page[this.#offset + 4];
		return type < CARD_TYPES.length ? type : 0;
	}

	/** Returns the digits of the number, in ASCII. */
	get digits(): Buffer {
		const start = this.#offset + HEAD_BYTES;
		return this.#page.subarray(start, start + this.digitCount);
	}

	/** Returns the number exactly as it was written, or null if it was written as plain digits. */
	get spelling(): Buffer | null {
		return this.#text(HAS_SPELLING);
	}

	/** Returns the number exactly as it was written: its spelling if there is one, otherwise its digits. */
	get presentation(): Buffer {
		return this.#page[this.#offset] & HAS_SPELLING ? this.#text(HAS_SPELLING)! : this.digits;
	}

	get name(): Buffer | null {
		return this.#text(HAS_NAME);
	}

	get issueNumber(): Buffer | null {
		return this.#text(HAS_ISSUE);
	}

	get owner(): Buffer | null {
		return this.#text(HAS_OWNER);
	}

	/** Returns JSON with the details of a virtual card. */
	get virtual(): Buffer | null {
		return this.#text(HAS_VIRTUAL);
	}

	/** Returns the token if another installation made it, or null if it follows from the place of the record. */
	get token(): Buffer | null {
		return this.#text(HAS_TOKEN);
	}

	get digitCount(): number {
		return this.#page[this.#offset + 5];
	}

	/**
	 * Returns the optional field `wanted`, or null if the record does not have it. The optional fields before it are
	 * skipped.
	 */
	#text(wanted: number): Buffer | null {
		const flags = this.#page[this.#offset];
		if (!(flags & wanted)) return null;
		let at = this.#offset + HEAD_BYTES + this.digitCount;
		for (let flag = HAS_SPELLING; flag <= HAS_TOKEN; flag <<= 1) {
			if (!(flags & flag)) continue;
			const length = this.#page.readUInt16BE(at);
			if (flag === wanted) return this.#page.subarray(at + 2, at + 2 + length);
			at += 2 + length;
		}
		return null;
	}
}
