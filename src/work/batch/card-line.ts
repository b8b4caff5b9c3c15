// Finds the members of a card in the JSON that programs usually write. It works directly on the bytes, so that a batch
// is processed as fast as a file. Everything else (escapes, letters beyond ASCII, unknown or repeated members, cards
// without a required object) is left to the general reader of JSON.

import { type CardParts, PART, PART_COUNT } from '../../base/card/card-parts.ts';
import { JSON_EVENT, JsonReader } from '../../base/text/json.ts';

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

/** What the reader throws at a line that is no JSON; the general reader says what is wrong with it. */
const MALFORMED = new Error('internal error: no JSON');

/** Finds the members in the JSON of one card and sets the parts of the card to them. */
export class CardLine {
	readonly #parts: CardParts;
	readonly #reader = new JsonReader({ depth: NAMES.length, fail: () => MALFORMED });
	#seen = 0;

	constructor(parts: CardParts) {
		this.#parts = parts;
	}

	/** Reads the JSON object at `from` and returns the offset after it; -1 if it is incomplete or of another form. */
	read(bytes: Buffer, from: number, to: number): number {
		const reader = this.#reader;
		const { line } = reader;
		this.#parts.within(bytes);
		this.#seen = 0;
		reader.open(bytes, from, to);
		try {
			const isWhole = this.#readObject(bytes) && (this.#seen & REQUIRED) === REQUIRED;
			// A card with line ends in it is no line.
			return isWhole && reader.line === line ? reader.at : NONE;
		} catch (error) {
			if (error !== MALFORMED) throw error;
			return NONE;
		} finally {
			reader.pause();
		}
	}

	#readObject(bytes: Buffer): boolean {
		const reader = this.#reader;
		let member = BANK_CARD;
		do {
			switch (reader.next()) {
				case JSON_EVENT.KEY:
					member = findMember(bytes, reader.start, reader.stop, reader.depth - 1);
					if (member === NONE || this.#seen & (1 << member)) return false;
					this.#seen |= 1 << member;
					break;
				case JSON_EVENT.STRING:
					if (member >= BANK_CARD || reader.isEscaped || !isAscii(bytes, reader.start, reader.stop)) return false;
					if (member < IGNORED) this.#parts.set(member, reader.start, reader.stop);
					break;
				case JSON_EVENT.OPEN:
					if (member < BANK_CARD || !reader.isObject(reader.depth)) return false;
					break;
				case JSON_EVENT.CLOSE:
					break;
				default:
					return false;
			}
		} while (reader.depth > 0);
		return true;
	}
}

function isAscii(bytes: Buffer, start: number, end: number): boolean {
	while (start < end && bytes[start] < 0x7f) start++;
	return start === end;
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
