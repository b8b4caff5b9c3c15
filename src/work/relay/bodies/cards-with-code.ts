// Decides which cards of a message are sent with their CVV.

import type { Profile } from '../profiles/profile.ts';
import type { FilledBytes } from '../selectors/selectors.ts';

const CVV_PLACEHOLDER = /\{\{cvv(?::(\d+))?\}\}/g;

/** Returns the ordinals, from 1, of the cards whose CVV the placeholders of a text ask for, such as `{{cvv:2}}`. */
export function codesInText(text: string): number[] {
	return [...new Set(text.matchAll(CVV_PLACEHOLDER).map(([, ordinal = 1]) => Number(ordinal)))];
}

/** Returns the ordinals, from 1, of those of the `count` cards for whose CVV a body has a place. */
export function cardsWithCode(
	{ body, cards }: Pick<Profile, 'body' | 'cards'>,
	hasCode: FilledBytes['hasCode'],
	message: { readonly body: Buffer; readonly count: number },
): number[] {
	const { count } = message;
	if (body === 'text') return message.body.includes('{{cvv') ? codesInText(message.body.toString('latin1')) : [];
	if (!cards.some((card) => card.securityCode)) return [];
	const asked = hasCode.flatMap((has, nth) => (has ? [nth + 1] : []));
	// If the body has more or fewer places for cards than there are cards, it is not known which cards go to the places
	// that include a CVV. So every card may need its CVV.
	if (asked.length > 0 && hasCode.length !== count) return Array.from({ length: count }, (_, nth) => nth + 1);
	return asked;
}
