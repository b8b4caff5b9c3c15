import type { ExpiryFormat } from '../../src/card/expiry.ts';

/** No such column. */
export const ABSENT = -1;

/** Where one card of a row has its fields: zero-based columns or `ABSENT`. */
export interface CardColumns {
	readonly number: number;
	readonly expiry: number;
	readonly expiryFormat?: ExpiryFormat;
	readonly month: number;
	readonly year: number;
	readonly cvv: number;
	readonly type: number;
	readonly name: number;
	readonly reference: number;
}

/** A card of which only the number's column is known. */
export const NUMBER_ONLY: Omit<CardColumns, 'number'> = {
	expiry: ABSENT,
	expiryFormat: undefined,
	month: ABSENT,
	year: ABSENT,
	cvv: ABSENT,
	type: ABSENT,
	name: ABSENT,
	reference: ABSENT,
};

/** The last column any card of a row has a field in. */
export function lastColumn(cards: readonly CardColumns[]): number {
	return Math.max(
		...cards.flatMap((card) => [
			card.number,
			card.expiry,
			card.month,
			card.year,
			card.cvv,
			card.type,
			card.name,
			card.reference,
		]),
	);
}

/** What a header row came to: the columns of every card, or why it does not do. */
export type Resolution = { readonly cards: readonly CardColumns[] } | Problem;

/** Why a header row does not do, and which configured column is to blame. */
export interface Problem {
	readonly problem: string;
	readonly field?: string;
	/** The row is the header, whatever rows may follow. */
	readonly isCertain?: boolean;
}

/**
 * Why these columns cannot be swapped: bytes are replaced once, so a number or a CVV is in a column of its own. Other
 * fields are only read, and several cards may share them.
 */
export function findSharedColumn(cards: readonly CardColumns[]): string | undefined {
	const numbers = new Set(cards.map((card) => card.number));
	if (numbers.size < cards.length) return 'two groups name the same column for the card number';
	const cvvs = cards.map((card) => card.cvv).filter((column) => column !== ABSENT);
	if (cvvs.some((column) => numbers.has(column))) return 'one column is named for both a card number and a CVV';
	return new Set(cvvs).size < cvvs.length ? 'two groups name the same column for the CVV' : undefined;
}

/** How the columns are found. */
export type HeaderRule =
	/** There is no header row; the columns are known. */
	| { readonly kind: 'none'; readonly cards: readonly CardColumns[] }
	/** The first of the first `within` rows that resolves. Its names are as the bytes spell them, see `HeaderName`. */
	| { readonly kind: 'row'; readonly within: number; resolve(names: readonly HeaderName[]): Resolution };

const windows1252 = new TextDecoder('windows-1252');
const utf8 = new TextDecoder('utf-8');

/** A column's name in both encodings it may be written in: nothing in a file says which. */
export class HeaderName {
	readonly readings: readonly string[];

	constructor(bytes: Uint8Array) {
		const readings = [utf8.decode(bytes), windows1252.decode(bytes)].map((text) => text.trim().normalize());
		this.readings = readings[0] === readings[1] ? readings.slice(1) : readings;
	}

	/** For messages. Windows-1252 reads anything, so UTF-8 is preferred where it is valid. */
	get text(): string {
		return this.readings[0].includes('\ufffd') ? this.readings[1] : this.readings[0];
	}

	/** Without case and separators, as aliases are written; aliases are ASCII, so either encoding will do. */
	get folded(): string {
		return foldName(this.text);
	}

	is(name: string): boolean {
		return this.readings.includes(name.trim().normalize());
	}

	isLoosely(name: string): boolean {
		return this.readings.some((reading) => foldName(reading) === foldName(name));
	}
}

/** Case, blanks, `_`, `-` and `.` do not count in a column's name (formats §6, §7). */
export function foldName(name: string): string {
	return name
		.normalize()
		.replace(/[\s_.\-\u00a0]/g, '')
		.toLowerCase();
}

/**
 * The names of a header row for an error text. A row taken for a header by mistake may hold cards, so nothing is
 * listed when any name has digits enough for a CVV.
 */
export function listNames(names: readonly HeaderName[]): string {
	const texts = names.map((name) => name.text);
	if (texts.some((text) => (text.match(/\d/g) ?? []).length > 2)) return 'a row that does not look like a header';
	const shown = texts.slice(0, 50).map((text) => `"${text.slice(0, 40)}"`);
	return `the columns ${shown.join(', ')}${texts.length > shown.length ? ' and more' : ''}`;
}
