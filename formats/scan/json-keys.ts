import { FIELD, type Field } from './held-card.ts';
import { decodeJsonText } from './json-text.ts';
import { foldCase, NameTable } from './name-table.ts';

/** The keys of a card object, by meaning. Case of letters does not count. */
export interface CardKeys {
	readonly cardNumber: readonly string[];
	/** Keys that are a card number only in an object which is the value of a `card` key. */
	readonly numberInCard: readonly string[];
	readonly card: readonly string[];
	readonly expirationDate: readonly string[];
	readonly expirationMonth: readonly string[];
	readonly expirationYear: readonly string[];
	readonly cvv: readonly string[];
	readonly cardType: readonly string[];
	readonly nameOnCard: readonly string[];
	readonly reference: readonly string[];
}

const NUMBER_IN_CARD = 9;
const CARD = 16;

const FIELD_OF: Record<keyof CardKeys, number> = {
	cardNumber: FIELD.NUMBER,
	numberInCard: NUMBER_IN_CARD,
	card: CARD,
	expirationDate: FIELD.EXPIRY,
	expirationMonth: FIELD.MONTH,
	expirationYear: FIELD.YEAR,
	cvv: FIELD.CVV,
	cardType: FIELD.TYPE,
	nameOnCard: FIELD.NAME,
	reference: FIELD.REFERENCE,
};

/** Tells what a key of an object means. */
export class JsonKeys {
	readonly #table = new NameTable();
	/** The value of the key read last is a card by its name. */
	opensCard = false;

	constructor(keys: CardKeys) {
		// The same word may be a field and open a card (`card`): two bits of one code.
		const codes = new Map<string, number>();
		for (const [meaning, names] of Object.entries(keys) as [keyof CardKeys, readonly string[]][]) {
			for (const name of names.map(foldCase)) {
				const code = codes.get(name) ?? 0;
				codes.set(name, meaning === 'card' ? code | CARD : code & 15 ? code : code | FIELD_OF[meaning]);
			}
		}
		for (const [name, code] of codes) this.#table.add(name, code);
	}

	/** The field the key in `bytes[start, end)` names, of an object that `isCard` by the key it stands under. */
	read(bytes: Buffer, start: number, end: number, isEscaped: boolean, isCard: boolean): Field {
		const code = isEscaped ? this.#decoded(bytes, start, end) : this.#table.find(bytes, start, end);
		this.opensCard = (code & CARD) !== 0;
		const field = code & 15;
		if (field === NUMBER_IN_CARD) return isCard ? FIELD.NUMBER : FIELD.NONE;
		return field as Field;
	}

	#decoded(bytes: Buffer, start: number, end: number): number {
		if (end - start > MAX_KEY_BYTES) return 0;
		const key = decodeJsonText(bytes, start, end);
		return this.#table.find(key, 0, key.length);
	}
}

/** Longest spelling of a key that can mean anything: 64 characters, each of them escaped. */
export const MAX_KEY_BYTES = 64 * 6;
