// Compares the rows that can be the header of a file, because a title such as `Card Number:;XXXXXXXXXXXX1111` above the
// table also names a card number.

import { ValueNumbers } from '../../../src/base/card/finder/value-numbers.ts';
import { TOKEN_LENGTH } from '../../../src/base/card/number.ts';
import { ValueSpan } from './cell.ts';
import { ABSENT, columnsOf, type Heading } from './header/columns.ts';
import type { FoundHead } from './header/head.ts';
import type { HeaderName } from './header/name.ts';
import type { Cells } from './row.ts';

/** A row with at most this many filled cells may be a title. */
const WIDEST_TITLE = 2;
/** A row that names at least this many card fields is not a title with a single value behind it. */
const FEWEST_FIELDS = 2;
/** A row of this many card fields is preferred to a title, even if it does not surely name a card number. */
const FIELDS_OF_TABLE = 3;
/** A masked or misspelled card number has at least this many digits and mask characters. */
const SHORTEST_SPELLING = 8;

const value = new ValueSpan();
const values = new ValueNumbers();

/** Describes a row that can be the header. */
export interface Candidate {
	readonly found: FoundHead;
	readonly heading: Heading;
	/** The number of columns that are named as a card field. */
	readonly fields: number;
	readonly isNarrow: boolean;
	/** True if every filled cell looks like a name, so that none holds a value. */
	readonly isAllNames: boolean;
}

export function candidateOf(found: FoundHead, heading: Heading, names: readonly HeaderName[]): Candidate {
	const named = new Set([...heading.cards.flatMap(columnsOf), ...heading.unused.map(({ index }) => index)]);
	named.delete(ABSENT);
	const filled = names.filter(({ text }) => text !== '');
	return {
		found,
		heading,
		fields: named.size,
		isNarrow: filled.length <= WIDEST_TITLE,
		isAllNames: filled.every(({ isNameLike }) => isNameLike),
	};
}

/**
 * Tells whether a later row is the header rather than `first`, which stands above it. Of two rows that surely name a
 * card number, that with more card fields is the header. If both have as many, a row that can be a title is not.
 */
export function isBetter(later: Candidate, first: Candidate): boolean {
	if (later.heading.isSure !== first.heading.isSure) {
		return later.heading.isSure ? !isTitle(later) || !isTable(first) : isTable(later) && isTitle(first);
	}
	if (!later.heading.isSure) return false;
	if (later.fields !== first.fields) return later.fields > first.fields;
	if (later.isNarrow !== first.isNarrow) return first.isNarrow;
	return later.isAllNames && !first.isAllNames;
}

/** Tells whether a row names only a card number and is narrow enough for a title. */
export function isTitle({ isNarrow, fields }: Candidate): boolean {
	return isNarrow && fields < FEWEST_FIELDS;
}

function isTable({ fields }: Candidate): boolean {
	return fields >= FIELDS_OF_TABLE;
}

/**
 * Tells whether a row below a candidate shows that the candidate is the header, because a column of its card numbers
 * holds one. Below a row that names nothing but a number, only a valid number or a token shows it. The answer is the
 * same once the numbers are tokens, so that the way back finds the same header.
 */
export function isConfirmedBy(bytes: Buffer, cells: Cells, { heading, fields }: Candidate): boolean {
	return heading.cards.some(({ number }) => {
		if (number >= cells.count) return false;
		const { start, end } = value.number(bytes, cells.starts[number], cells.ends[number]);
		return fields < FEWEST_FIELDS ? values.holdsCard(bytes, start, end) : isSpelledNumber(bytes, start, end);
	});
}

/** Tells whether a cell holds a token, or enough digits and mask characters for a number. */
function isSpelledNumber(bytes: Buffer, start: number, end: number): boolean {
	if (end - start === TOKEN_LENGTH) return true;
	const signs = bytes.toString('latin1', start, end).match(/[\dXx*#.]/g);
	return signs !== null && signs.length >= SHORTEST_SPELLING;
}
