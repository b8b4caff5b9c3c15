// Finds columns that look like a CVV or an expiry although their names do not say so, and those whose name may mean a card
// number and that hold mistyped ones, which nothing else reports. Only samples are read, so that large files stay fast: the
// first thousand rows with a card, then one in 256.

import { areDigits, isDigit, numberAt } from '../../../src/base/card/ascii.ts';
import { readExpiry } from '../../../src/base/card/expiry.ts';
import { isPlaceholder } from '../../../src/base/card/names/placeholders.ts';
import { TOKEN_LENGTH } from '../../../src/base/card/number.ts';
import { isAmexRange } from '../../../src/base/card/spelling/code-behind.ts';
import { ValueSpan } from './cell.ts';
import { ABSENT, type CardColumns, type UnusedColumn } from './header/columns.ts';
import type { HeaderName } from './header/name.ts';
import { holdsCard, isCode, SHORTEST_NUMBER } from './oddity.ts';
import { Cells } from './row.ts';

const FIRST_ROWS = 1000;
const THEN_EVERY = 256;
/** Columns beyond this one are not sampled. */
const MAX_COLUMNS = 512;
/** A column is judged only if at least this many sampled rows have a value in it, or all rows of a shorter file. */
const FEWEST_ROWS = 3;
/**
 * A column looks like a CVV only if at least this share of its values are as long as the CVV of a card in their row. The
 * others may belong to a masked card.
 */
const FITTING_SHARE = 0.5;
/** If all values of a column are the same, in at least this many rows, they are not CVVs but some other code. */
const FEWEST_SAME_ROWS = 20;
/** Only years in this range are taken for an expiry, because cards are valid for a few years. */
const EXPIRY_YEARS = { from: 2020, to: 2045 } as const;
/** Nearly all card numbers have so many digits. Shorter numbers are too often those of phones and customers. */
const MISTYPED_DIGITS = { from: 14, to: 19 } as const;
const BLANK = 0x20;
const HYPHEN = 0x2d;

/** Columns with these names can hold three digits, or a month and year, that belong to no card. */
const OTHER_THINGS =
	/amount|betrag|montant|importe?o?|total|price|preis|prix|prezzo|precio|rate|tax|currency|währung|devise|country|land|pays|room|zimmer|chambre|night|nuit|noche|notti|qty|quantity|menge|anzahl|count|airline|flight|\bage\b|alter|bin\b|percent|dep(arture)?|arr(ival)?|check(?![ _-]?code)|period|issue/i;

const value = new ValueSpan();

/** Collects what the samples of one file show about its columns. */
export class ContentCheck {
	/** Holds the cells of a row, with room for every column that is sampled. */
	readonly cells = new Cells(MAX_COLUMNS);
	readonly #columns: readonly number[];
	readonly #numberColumns: readonly number[];
	/** The columns that are not used although their name may mean a card number, as `Credit Card 2` does. */
	readonly #maybeNumbers: ReadonlySet<number>;
	/** Those of them that hold a number which is no card's. */
	readonly #mistyped = new Set<number>();
	readonly #filled = new Int32Array(MAX_COLUMNS);
	readonly #codes = new Int32Array(MAX_COLUMNS);
	/** Counts, for each column, the values that are as long as the CVV of a card in their row. */
	readonly #fittingCodes = new Int32Array(MAX_COLUMNS);
	readonly #expiries = new Int32Array(MAX_COLUMNS);
	/** Holds the first value of a column while all values are the same; -1 before any, -2 once they differ. */
	readonly #only = new Int32Array(MAX_COLUMNS).fill(-1);
	#rows = 0;
	#sampled = 0;

	constructor(cards: readonly CardColumns[], names: readonly HeaderName[]) {
		const known = new Set(
			cards.flatMap(({ number, cvv, code, expiry, month, year }) => [number, cvv, code, expiry, month, year]),
		);
		known.delete(ABSENT);
		const isLookedAt = (index: number) => !known.has(index) && !OTHER_THINGS.test(names[index]?.text ?? '');
		// Rows may have more cells than the header, so columns without a name are looked at too.
		this.#columns = Array.from({ length: MAX_COLUMNS }, (_, i) => i).filter(isLookedAt);
		this.#numberColumns = cards.map(({ number }) => number);
		const isMaybeNumber = (index: number) => {
			const meaning = names[index]?.meaning;
			return meaning?.field === 'number' && !meaning.isSure && !meaning.isForeign && meaning.saysCard;
		};
		this.#maybeNumbers = new Set(this.#columns.filter(isMaybeNumber));
	}

	/** Tells whether the next row with a card is a sample. */
	isDue(): boolean {
		const row = this.#rows++;
		return row < FIRST_ROWS || row % THEN_EVERY === 0;
	}

	/** Evaluates the row whose cells were read into `cells`. */
	sample(bytes: Buffer): void {
		const { cells } = this;
		const codeLengths = this.#codeLengths(bytes);
		if (codeLengths === 0) return;
		this.#sampled++;
		for (const column of this.#columns) {
			if (column >= cells.count) break;
			const isMaybeNumber = this.#maybeNumbers.has(column);
			const filled = this.#filled[column];
			// A column with any other value is neither of CVVs nor of expiries.
			if (!isMaybeNumber && filled > this.#codes[column] && filled > this.#expiries[column]) continue;
			const { start, end } = value.number(bytes, cells.starts[column], cells.ends[column]);
			if (isMaybeNumber && isMistyped(bytes, start, end)) this.#mistyped.add(column);
			// Zeros may be a value of the column, so only other placeholders count as empty.
			if (start === end || (!isDigit(bytes[start]) && isPlaceholder(bytes, start, end))) continue;
			this.#filled[column]++;
			if (isCode(bytes, start, end)) this.#takeCode(bytes, column, start, end);
			if (codeLengths & (1 << (end - start))) this.#fittingCodes[column]++;
			if (isMonthAndYear(bytes, start, end)) this.#expiries[column]++;
		}
	}

	/** Returns the columns in which every filled cell looks like a CVV, or like an expiry, and those of mistyped numbers. */
	findings(): UnusedColumn[] {
		const fewest = Math.max(1, Math.min(FEWEST_ROWS, this.#sampled));
		return this.#columns.flatMap((index): UnusedColumn[] => {
			if (this.#mistyped.has(index)) return [{ index, field: 'number' }];
			const filled = this.#filled[index];
			if (filled < fewest) return [];
			if (this.#expiries[index] === filled) return [{ index, field: 'expiry' }];
			const isConstant = this.#only[index] >= 0 && filled >= FEWEST_SAME_ROWS;
			const isCodes = this.#codes[index] === filled && this.#fittingCodes[index] >= filled * FITTING_SHARE;
			return isCodes && !isConstant ? [{ index, field: 'cvv' }] : [];
		});
	}

	/**
	 * Returns the lengths of the CVVs of the row's cards as bits, or 0 if the row has no number written in digits. A card in a
	 * column that is not designated may have its CVV in another one that is not.
	 */
	#codeLengths(bytes: Buffer): number {
		const { cells } = this;
		let lengths = 0;
		for (let column = 0; column < cells.count; column++) {
			let { start, end } = value.number(bytes, cells.starts[column], cells.ends[column]);
			if (end - start < SHORTEST_NUMBER) continue;
			const isKnown = this.#numberColumns.includes(column);
			// A word may stand before the number, but a token may begin with letters too.
			if (end - start !== TOKEN_LENGTH) while (start < end && !isDigit(bytes[start])) start++;
			const isNumber = isKnown ? areDigits(bytes, start, start + 2) : holdsCard(bytes, start, end);
			if (end - start >= SHORTEST_NUMBER && isNumber) lengths |= 1 << (isAmexRange(bytes, start) ? 4 : 3);
		}
		return lengths;
	}

	#takeCode(bytes: Buffer, column: number, start: number, end: number): void {
		const code = numberAt(bytes, start, end);
		this.#codes[column]++;
		if (this.#only[column] === -1) this.#only[column] = code;
		else if (this.#only[column] !== code) this.#only[column] = -2;
	}
}

/** Tells whether a value has as many digits as a card number, in groups or not, and holds no card. */
function isMistyped(bytes: Buffer, start: number, end: number): boolean {
	let digits = 0;
	for (let i = start; i < end; i++) {
		if (isDigit(bytes[i])) digits++;
		else if (bytes[i] !== BLANK && bytes[i] !== HYPHEN) return false;
	}
	return digits >= MISTYPED_DIGITS.from && digits <= MISTYPED_DIGITS.to && !holdsCard(bytes, start, end);
}

/** Matches what is written like an expiry: `12/29`, `12/2029`, `2029-12` or `1229`, but without a day and without a fraction. */
const MONTH_AND_YEAR = /^(?:\d{4}|\d\d[/-]\d\d(?:\d\d)?|\d{4}[/-]\d\d)$/;
const LONGEST_MONTH_AND_YEAR = 7;

function isMonthAndYear(bytes: Buffer, start: number, end: number): boolean {
	if (end - start > LONGEST_MONTH_AND_YEAR || !MONTH_AND_YEAR.test(bytes.toString('latin1', start, end))) return false;
	const year = Math.floor(readExpiry(bytes, start, end) / 100);
	return year >= EXPIRY_YEARS.from && year <= EXPIRY_YEARS.to;
}
