import type { ExpiryFormat } from '../../../src/card/expiry.ts';
import type { HeaderName } from './name.ts';

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

/** Every column a card has a field in, `ABSENT` for those it has not. */
export function columnsOf(card: CardColumns): number[] {
	return [card.number, card.expiry, card.month, card.year, card.cvv, card.type, card.name, card.reference];
}

/** The last column any card of a row has a field in. */
export function lastColumn(cards: readonly CardColumns[]): number {
	let last = ABSENT;
	// Not all of them as arguments of one call: a row may have thousands of cards.
	for (const card of cards) last = Math.max(last, ...columnsOf(card));
	return last;
}

/** A column that by its name is a field of a card, and is that of no card here. */
export interface UnusedColumn {
	readonly index: number;
	readonly field: 'number' | 'cvv' | 'expiry';
}

/** A row that does as a header: the columns of every card. */
export interface Heading {
	readonly cards: readonly CardColumns[];
	/** A name says by itself that it is a card number's; a row without one is the header only where no other is. */
	readonly isSure: boolean;
	readonly unused: readonly UnusedColumn[];
	/** Other readings of the same row. Which holds, the rows below say: the one whose number column has card numbers. */
	readonly others?: readonly Heading[];
}

/** What a header row came to: the columns of every card, or why it does not do. */
export type Resolution = Heading | Problem;

/** Why a header row does not do, and which configured column is to blame. */
export interface Problem {
	readonly problem: string;
	readonly field?: string;
	/** The row is the header, whatever rows may follow. */
	readonly isCertain?: boolean;
	/** How many of the columns asked for are there: the row that has most is the one to talk about. */
	readonly matched?: number;
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
	/** One of the first `within` rows. Its names are as the bytes spell them, see `HeaderName`. */
	| {
			readonly kind: 'row';
			readonly within: number;
			/** A row of more columns is refused, whatever their names are: no more than these and one are read. */
			readonly maxColumns?: number;
			/** The first row is the header whatever it holds: its columns are designated by index. */
			readonly isBlind?: boolean;
			resolve(names: readonly HeaderName[]): Resolution;
	  };
