// Converts parts of a card between our form and a third party's: date formats and card types.

import type { CardPart, PartSelector } from '../profiles/profile.ts';

/** Holds the parts of one card in our own form, to which `readPart` converts the texts of a body. */
export interface CardValues {
	number?: string;
	/** The month as `MM`, or unchanged if it cannot be read. */
	expiryMonth?: string;
	/** The year as `YYYY`, or unchanged if it cannot be read. */
	expiryYear?: string;
	nameOnCard?: string;
	securityCode?: string;
	/** Our name of the card type if the profile maps it, otherwise the original text. */
	type?: string;
}

/** Converts a part from our form, with months as `MM` and years as `YYYY`, to that which its selector requires. */
export function formatPart(part: CardPart, { format, map }: PartSelector, value: string): string {
	if (part === 'expiryMonth' && format === 'M') return value.replace(/^0(?=\d)/, '');
	if (part === 'expiryYear' && format === 'YY') return value.slice(-2);
	if (part === 'type' && map !== undefined && Object.hasOwn(map, value)) return map[value];
	return value;
}

/** Converts a part as a third party writes it to our own form; this is the inverse of `formatPart`. */
export function readPart(part: CardPart, { map }: PartSelector, text: string): string {
	const value = text.trim();
	if (part === 'expiryMonth') return /^\d$/.test(value) ? `0${value}` : value;
	if (part === 'expiryYear') return /^\d\d$/.test(value) ? `20${value}` : value;
	return part === 'type' && map !== undefined ? ourType(map, value) : value;
}

/** Keeps the inverse of each profile's map of card types, so that it is not computed for every card of a body. */
const inverses = new WeakMap<object, ReadonlyMap<string, string>>();

/**
 * Returns our name of a card type, given the third party's name of it. A name in the same case is preferred to one in
 * another case. If the third party has the same name for several of our types, the first of these is returned.
 */
function ourType(map: Readonly<Record<string, string>>, theirs: string): string {
	let inverse = inverses.get(map);
	if (inverse === undefined) {
		const entries = Object.entries(map).reverse();
		const folded = entries.map(([ours, name]) => [name.toLowerCase(), ours] as const);
		inverse = new Map([...folded, ...entries.map(([ours, name]) => [name, ours] as const)]);
		inverses.set(map, inverse);
	}
	return inverse.get(theirs) ?? inverse.get(theirs.toLowerCase()) ?? theirs;
}
