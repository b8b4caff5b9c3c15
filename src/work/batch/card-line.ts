// Finds the members of a card in the JSON that programs usually write. It works directly on the bytes, so that a batch
// is processed as fast as a file. Everything else (escapes, letters beyond ASCII, unknown or repeated members, cards
// without a required object) is left to the general reader of JSON.

import { type CardParts, PART, PART_COUNT } from '../../base/card/card-parts.ts';

const IGNORED = PART_COUNT;
const BANK_CARD = PART_COUNT + 1;
const EXPIRATION_DATE = PART_COUNT + 2;
const REQUIRED = (1 << BANK_CARD) | (1 << EXPIRATION_DATE);
const NONE = -1;

interface Name {
	readonly text: Buffer;
	readonly member: number;
}

/** The names of members, listed by how deeply they are nested (shapes §2). */
const NAMES: readonly (readonly Name[])[] = [
	names({ '@schemaVersion': IGNORED, BankCard: BANK_CARD }),
	names({
		Type: PART.type,
		Number: PART.number,
		NameOnCard: PART.name,
		ExpirationDate: EXPIRATION_DATE,
		IssueNumber: PART.issueNumber,
		OwnerID: PART.owner,
		CVV: PART.cvv,
	}),
	names({ Month: PART.month, Year: PART.year }),
];

function names(members: Record<string, number>): Name[] {
	return Object.entries(members).map(([name, member]) => ({ text: Buffer.from(name), member }));
}

/** Finds the members in the JSON of one card and sets the parts of the card to them. */
export class CardLine {
	readonly #parts: CardParts;
	#at = 0;
	/** The bits of the members that were found. */
	#seen = 0;

	constructor(parts: CardParts) {
		this.#parts = parts;
	}

	/**
	 * Reads the JSON object at `from` and returns the offset after it. Returns -1 if the object is incomplete or not in
	 * the usual form.
	 */
	read(bytes: Buffer, from: number, to: number): number {
		this.#parts.within(bytes);
		this.#at = from;
		this.#seen = 0;
		const isWhole = this.#readObject(bytes, to, 0) && this.#at <= to && (this.#seen & REQUIRED) === REQUIRED;
		return isWhole ? this.#at : NONE;
	}

	#readObject(bytes: Buffer, to: number, depth: number): boolean {
		if (bytes[this.#at++] !== 0x7b) return false;
		for (;;) {
			this.#skipBlanks(bytes, to);
			const nameStart = this.#at + 1;
			const nameEnd = this.#endOfText(bytes, to);
			if (nameEnd === NONE) return false;
			this.#skipBlanks(bytes, to);
			if (bytes[this.#at++] !== 0x3a) return false;
			this.#skipBlanks(bytes, to);
			if (!this.#readMember(bytes, to, findMember(bytes, nameStart, nameEnd, depth), depth)) return false;
			this.#skipBlanks(bytes, to);
			const next = bytes[this.#at++];
			if (next === 0x7d) return true;
			if (next !== 0x2c) return false;
		}
	}

	#readMember(bytes: Buffer, to: number, member: number, depth: number): boolean {
		if (member === NONE || this.#seen & (1 << member)) return false;
		this.#seen |= 1 << member;
		if (member >= BANK_CARD) return this.#readObject(bytes, to, depth + 1);
		const start = this.#at + 1;
		const end = this.#endOfText(bytes, to);
		if (end === NONE) return false;
		if (member < IGNORED) this.#parts.set(member, start, end);
		return true;
	}

	/**
	 * Returns the end of the quoted text at the current offset and moves past it. Returns -1 if there is no such text or
	 * it is not in the usual form.
	 */
	#endOfText(bytes: Buffer, to: number): number {
		if (bytes[this.#at] !== 0x22) return NONE;
		for (let i = this.#at + 1; i < to; i++) {
			const byte = bytes[i];
			if (byte === 0x22) {
				this.#at = i + 1;
				return i;
			}
			if (byte === 0x5c || byte < 0x20 || byte >= 0x7f) return NONE;
		}
		return NONE;
	}

	#skipBlanks(bytes: Buffer, to: number): void {
		while (this.#at < to && (bytes[this.#at] === 0x20 || bytes[this.#at] === 0x09)) this.#at++;
	}
}

function findMember(bytes: Buffer, start: number, end: number, depth: number): number {
	const known = NAMES[depth];
	for (let i = 0; i < known.length; i++) {
		const { text, member } = known[i];
		if (text.length !== end - start) continue;
		let at = 0;
		while (at < text.length && text[at] === bytes[start + at]) at++;
		if (at === text.length) return member;
	}
	return NONE;
}
