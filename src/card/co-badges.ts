// Lists the number ranges of cards that carry the marks of two brands, of which the cardholder may choose one
// (regulation (EU) 2015/751, article 8, for cards of the European Economic Area).

import type { CardType } from './brand.ts';

interface CoBadge {
	/** The lowest and the highest first six digits, both inclusive. */
	readonly from: number;
	readonly to: number;
	/** The two brands; the first is the one that `brandOf` gives for these numbers. */
	readonly types: readonly [CardType, CardType];
}

export const CO_BADGES: readonly CoBadge[] = [
	{ from: 457100, to: 457199, types: ['Visa', 'Dankort'] },
	{ from: 401178, to: 401179, types: ['Elo', 'Visa'] },
	{ from: 431274, to: 431274, types: ['Elo', 'Visa'] },
	{ from: 438935, to: 438935, types: ['Elo', 'Visa'] },
	{ from: 451416, to: 451416, types: ['Elo', 'Visa'] },
	{ from: 457393, to: 457393, types: ['Elo', 'Visa'] },
	{ from: 457631, to: 457632, types: ['Elo', 'Visa'] },
	{ from: 622126, to: 622925, types: ['UnionPay', 'Discover'] },
];

/** Returns the brands between which the holder of this number may choose; empty if there is only one. */
export function coBadgesOf(digits: string): readonly CardType[] {
	const prefix = Number(digits.slice(0, 6));
	return CO_BADGES.find(({ from, to }) => prefix >= from && prefix <= to)?.types ?? [];
}
