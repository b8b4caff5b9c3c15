// Tells the brand of a number while it is typed, from the table that also judges the card when it is stored.

import { BRAND_RANGES, brandOf, CARD_TYPES, type CardType } from './brand.ts';
import { MAX_CARD_DIGITS } from './verdict.ts';

/** These brands fill whole leading digits that others share, so that they show only after some more digits. */
const LATE: ReadonlySet<CardType> = new Set(['Maestro', 'UATP'] as const);
const LATE_DIGITS = 4;
const RANGE_DIGITS = 6;

/** Returns the brand of a number while it is typed: that of the complete number, or else what its first digits tell. */
export function typedBrandOf(digits: string): CardType {
	const complete = brandOf(Buffer.from(digits), 0, digits.length);
	return complete === 0 ? brandOfBeginning(digits) : CARD_TYPES[complete];
}

/** Returns the brand of the first range within which a number stays, whatever digits follow. */
export function brandOfBeginning(digits: string): CardType {
	if (digits === '') return 'Unspecified';
	const least = Number(digits.slice(0, RANGE_DIGITS).padEnd(RANGE_DIGITS, '0'));
	const most = Number(digits.slice(0, RANGE_DIGITS).padEnd(RANGE_DIGITS, '9'));
	const range = BRAND_RANGES.find(({ from, to }) => least >= from && most <= to);
	return range === undefined || (LATE.has(range.type) && digits.length < LATE_DIGITS) ? 'Unspecified' : range.type;
}

/** Returns how many digits a card of this brand has at most. */
export function longestOf(brand: CardType): number {
	const lengths = BRAND_RANGES.reduce((bits, { type, lengths }) => (type === brand ? bits | lengths : bits), 0);
	return lengths === 0 ? MAX_CARD_DIGITS : 31 - Math.clz32(lengths);
}
