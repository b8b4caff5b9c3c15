// What a part of a card looks like at its place: date formats, the third party's card types, and back.

import type { CardPart, PartSelector } from '../profile.ts';

/** Parts of one card as they stand in a body; see `readPart`. */
export interface CardValues {
	number?: string;
	/** `MM`, or as it stands when it cannot be read. */
	expiryMonth?: string;
	/** `YYYY`, or as it stands when it cannot be read. */
	expiryYear?: string;
	nameOnCard?: string;
	securityCode?: string;
	/** Our name of the card type where the profile maps it, else as it stands. */
	type?: string;
}

/** The text of a part as its selector wants it. Dates come as `MM` and `YYYY`. */
export function formatPart(part: CardPart, { format, map }: PartSelector, value: string): string {
	if (part === 'expiryMonth' && format === 'M') return value.replace(/^0(?=\d)/, '');
	if (part === 'expiryYear' && format === 'YY') return value.slice(-2);
	if (part === 'type' && map !== undefined && Object.hasOwn(map, value)) return map[value];
	return value;
}

/** What a part says in our words; the inverse of `formatPart`. */
export function readPart(part: CardPart, { map }: PartSelector, text: string): string {
	const value = text.trim();
	if (part === 'expiryMonth') return /^\d$/.test(value) ? `0${value}` : value;
	if (part === 'expiryYear') return /^\d\d$/.test(value) ? `20${value}` : value;
	return part === 'type' && map !== undefined ? ourType(map, value) : value;
}

/** Inverse maps by the maps of profiles; each card of a body asks. */
const inverses = new WeakMap<object, ReadonlyMap<string, string>>();

/** The exact name counts before one in another case, the first type before a later one of the same name. */
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
