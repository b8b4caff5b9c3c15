import type { ExpiryFormat } from '../../../../src/base/card/expiry.ts';
import type { HeaderName } from './name.ts';

/** This value in place of the index of a column means that the row has no such column. */
export const ABSENT = -1;

/**
 * The fields of a card that a row may have. `code` is the column named `Card Code`, if there is none for the CVV: three or four
 * digits in it are the CVV.
 */
const COLUMNS = ['number', 'expiry', 'month', 'year', 'cvv', 'type', 'name', 'reference', 'code'] as const;
type Columns = Readonly<Record<(typeof COLUMNS)[number], number>>;

/** Holds the zero-based columns of the fields of one card of a row, or `ABSENT`. */
export interface CardColumns extends Columns {
	readonly expiryFormat?: ExpiryFormat;
}

/** Returns the columns of a card. A field for which no column is given gets `ABSENT`. */
export function cardColumns(given: { readonly [Field in keyof Columns]?: number }): Columns {
	return Object.fromEntries(COLUMNS.map((field) => [field, given[field] ?? ABSENT])) as unknown as Columns;
}

/** Returns every column that holds a field of the card, and `ABSENT` for the fields it lacks. */
export function columnsOf(card: CardColumns): number[] {
	return COLUMNS.map((field) => card[field]);
}

/** Returns the last column in which any card of a row has a field. */
export function lastColumn(cards: readonly CardColumns[]): number {
	let last = ABSENT;
	// The columns of one card at a time are passed as arguments, so that a call has few of them however many cards a row
	// has.
	for (const card of cards) last = Math.max(last, ...columnsOf(card));
	return last;
}

/** Describes a column whose name is that of a card field, but that no card uses. */
export interface UnusedColumn {
	readonly index: number;
	readonly field: 'number' | 'cvv' | 'expiry';
}

/** Holds the columns of every card, as read from a row that can be the header. */
export interface Heading {
	readonly cards: readonly CardColumns[];
	/** True if a name clearly means a card number. A row without such a name is the header only if no row has one. */
	readonly isSure: boolean;
	readonly unused: readonly UnusedColumn[];
	/**
	 * Holds other possible readings of the same row. The one whose number column has card numbers in the rows below is
	 * chosen.
	 */
	readonly others?: readonly Heading[];
}

/** The result for a header row: the columns of every card, or the reason why the row cannot be the header. */
export type Resolution = Heading | Problem;

/** Tells why a row cannot be the header, and which configured column causes it. */
export interface Problem {
	readonly problem: string;
	readonly field?: string;
	/** True if the row is certainly the header, so that the file is refused without a look at the rows below it. */
	readonly isCertain?: boolean;
	/**
	 * The number of requested columns that the row has. If no row can be the header, the error names the row with the
	 * most of them.
	 */
	readonly matched?: number;
}

/**
 * Returns why the cards in these columns cannot be exchanged, or undefined if they can: bytes are replaced only once,
 * so no two cards may share a column of a number or a CVV. Other fields are only read and may be shared.
 */
export function findSharedColumn(cards: readonly CardColumns[]): string | undefined {
	const numbers = new Set(cards.map((card) => card.number));
	if (numbers.size < cards.length) return 'two groups name the same column for the card number';
	const cvvs = cards.map((card) => card.cvv).filter((column) => column !== ABSENT);
	if (cvvs.some((column) => numbers.has(column))) return 'one column is named for both a card number and a CVV';
	return new Set(cvvs).size < cvvs.length ? 'two groups name the same column for the CVV' : undefined;
}

/**
 * Describes how the columns of the card fields are determined: either they are known beforehand, or a header row names
 * them.
 */
export type HeaderRule =
	/** There is no header row; the columns are known. */
	| { readonly kind: 'none'; readonly cards: readonly CardColumns[] }
	/** The header is one of the first `within` rows. Its names are read as described at `HeaderName`. */
	| {
			readonly kind: 'row';
			readonly within: number;
			/**
			 * A row with more columns than this is refused, whatever their names are. So of a wider row only one name more
			 * than this is read, which is enough to refuse it.
			 */
			readonly maxColumns?: number;
			/**
			 * True if the first row is the header no matter what it contains, because its columns are designated by index.
			 */
			readonly isBlind?: boolean;
			resolve(names: readonly HeaderName[]): Resolution;
	  };
