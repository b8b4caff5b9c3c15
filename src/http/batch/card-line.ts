// Finds the members of a card in the JSON that programs usually write. It works directly on the bytes, so that a batch
// is processed as fast as a file. Everything else (escapes, letters beyond ASCII, unknown or repeated members) is left
// to the general reader, and only the general reader decides what is wrong with a card.

/** The position of each member in `CardLine.spans`, which has two numbers for each member: start and end. */
export const MEMBER = { number: 0, month: 1, year: 2, cvv: 3, type: 4, name: 5, issueNumber: 6, owner: 7 } as const;
const IGNORED = 8;
const BANK_CARD = 9;
const EXPIRATION_DATE = 10;
const NONE = -1;

interface Name {
	readonly text: Buffer;
	readonly member: number;
}

/** The names of members, listed by how deeply they are nested (shapes §2). */
const NAMES: readonly (readonly Name[])[] = [
	names({ '@schemaVersion': IGNORED, BankCard: BANK_CARD }),
	names({
		...{ Type: MEMBER.type, Number: MEMBER.number, NameOnCard: MEMBER.name, ExpirationDate: EXPIRATION_DATE },
		...{ IssueNumber: MEMBER.issueNumber, OwnerID: MEMBER.owner, CVV: MEMBER.cvv },
	}),
	names({ Month: MEMBER.month, Year: MEMBER.year }),
];

function names(members: Record<string, number>): Name[] {
	return Object.entries(members).map(([name, member]) => ({ text: Buffer.from(name), member }));
}

/** Finds the members in the JSON of one card and holds their positions. The object is reused for the next card. */
export class CardLine {
	/** The start and end of each member's text; an empty span means that the member is absent or empty. */
	readonly spans = new Int32Array(18);
	#at = 0;
	#objects = 0;

	/**
	 * Reads the JSON object at `from` and returns the offset after it. Returns -1 if the object is incomplete or not in
	 * the usual form.
	 */
	read(bytes: Buffer, from: number, to: number): number {
		this.spans.fill(0);
		this.#at = from;
		this.#objects = 0;
		return this.#readObject(bytes, to, 0) && this.#at <= to ? this.#at : NONE;
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
		if (member === NONE) return false;
		if (member >= BANK_CARD) {
			const bit = 1 << member;
			if (this.#objects & bit) return false;
			this.#objects |= bit;
			return this.#readObject(bytes, to, depth + 1);
		}
		const start = this.#at + 1;
		const end = this.#endOfText(bytes, to);
		if (end === NONE || this.spans[member * 2 + 1] !== 0) return false;
		this.spans[member * 2] = start;
		this.spans[member * 2 + 1] = end;
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
