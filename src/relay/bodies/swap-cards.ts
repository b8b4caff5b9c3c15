// A body as it goes on: texts in place of the numbers that were tokenized, and no CVV but that of a refused card.

import { Edits } from '../../transfer/splice.ts';
import type { LocatedBody, StarrableCode } from '../selectors/selectors.ts';

/** What is to stand in place of the number of the card at `nth`. */
export type Replacement = readonly [nth: number, text: string];

/** What came of the cards of a body; those that are in neither list are none. */
export interface Outcome {
	readonly replacements: readonly Replacement[];
	/** Cards that pass unchanged, their CVVs too (spec §5.3.1). */
	readonly refused: readonly number[];
}

/**
 * The body with replacements for its cards, and stars for every CVV that is not a refused card's (shapes §11): it stands
 * beside nothing, something masked or a token, or nobody can say which of several numbers it belongs to. The body itself
 * where nothing is to be written.
 */
export function swapCards(body: Buffer, { cards, looseCodes }: LocatedBody, outcome: Outcome): Buffer {
	const edits = new Edits();
	const texts = new Map(outcome.replacements);
	const refused = new Set(outcome.refused);
	// A place may be of several cards, and is written once.
	const written = new Set<unknown>();
	for (const [nth, text] of texts) {
		cards[nth].hide(edits, text);
		for (const place of cards[nth].places) written.add(place);
	}
	const star = (codes: readonly StarrableCode[]) => {
		for (const code of codes) {
			if (written.has(code.place)) continue;
			written.add(code.place);
			code.starCode(edits);
		}
	};
	const mixed = new Set(cards.filter((_, nth) => !refused.has(nth)).map(({ container }) => container));
	for (const [nth, card] of cards.entries()) {
		if (!refused.has(nth)) star(card.codes);
		else if (mixed.has(card.container)) star(card.strayCodes);
	}
	star(looseCodes);
	return edits.count === 0 ? body : edits.apply(body, 0, body.length);
}
