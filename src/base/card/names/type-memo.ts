import type { CardTypeIndex } from '../brand.ts';
import { utf8Of } from '../plain-text.ts';
import { findCardType } from './brand-names.ts';

const SLOTS = 64;
const LONGEST = 40;

/**
 * Remembers which card type each text in a file means. A file repeats a handful of texts a million times, and to create
 * a string each time would cost more than sealing the card.
 */
export class TypeMemo {
	readonly #bytes = Buffer.alloc(SLOTS * LONGEST);
	readonly #lengths = new Uint8Array(SLOTS);
	readonly #known: (CardTypeIndex | undefined)[] = new Array(SLOTS).fill(undefined);

	/** Returns the card type that `bytes[start, end)` names; undefined if it is empty or names no known type. */
	find(bytes: Buffer, start: number, end: number): CardTypeIndex | undefined {
		const length = end - start;
		if (length === 0) return undefined;
		if (length > LONGEST) return typeIn(bytes, start, end);
		let hash = length;
		for (let i = start; i < end; i++) hash = (hash * 31 + bytes[i]) | 0;
		const slot = (hash >>> 0) % SLOTS;
		if (this.#isSame(slot, bytes, start, length)) return this.#known[slot];
		this.#lengths[slot] = length;
		this.#bytes.set(bytes.subarray(start, end), slot * LONGEST);
		return (this.#known[slot] = typeIn(bytes, start, end));
	}

	#isSame(slot: number, bytes: Buffer, start: number, length: number): boolean {
		if (this.#lengths[slot] !== length) return false;
		const from = slot * LONGEST;
		for (let i = 0; i < length; i++) if (this.#bytes[from + i] !== bytes[start + i]) return false;
		return true;
	}
}

function typeIn(bytes: Buffer, start: number, end: number): CardTypeIndex | undefined {
	return findCardType(utf8Of(bytes.subarray(start, end)).toString());
}
