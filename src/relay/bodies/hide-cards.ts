// Writes texts in place of the numbers that were tokenized, and stars over every CVV except that of a refused card.

import { Edits } from '../../transfer/splice.ts';
import type { LocatedBody, StarrableCode } from '../selectors/selectors.ts';

/** The ordinal of a card in the body, from 0, and the text that replaces its number. */
export type Replacement = readonly [nth: number, text: string];

/** Lists which cards of a body were replaced and which were refused. A place that is in neither list holds no card. */
export interface Outcome {
	readonly replacements: readonly Replacement[];
	/** The cards that were refused. They stay in the body unchanged, and so do their CVVs (spec §5.3.1). */
	readonly refused: readonly number[];
}

/**
 * Returns the body with replacements for its cards, and with stars for every CVV except those of refused cards
 * (shapes §11). Stars are also written over a CVV that stands without a number, next to a masked number or a token, or
 * where it may belong to several numbers that were not all refused. If nothing has to be written, the original body is
 * returned.
 */
export function swapCards(body: Buffer, { cards, looseCodes }: LocatedBody, outcome: Outcome): Buffer {
	const edits = new Edits();
	const texts = new Map(outcome.replacements);
	const refused = new Set(outcome.refused);
	// Several cards may share the place of a CVV, which is written only once.
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
