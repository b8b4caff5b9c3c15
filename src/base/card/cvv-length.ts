// Says how many digits the CVVs of each brand have, for forms (spec §2.4).

import { CARD_TYPES, type CardTypeIndex } from './brand.ts';

const AMEX = CARD_TYPES.indexOf('AMEX');

/** Says how many digits a CVV may have. */
export type CvvLength = 'three' | 'four' | 'both';

/** Returns how many digits a form takes for the CVV of a card of this brand; 0 is an unknown brand (spec §2.4). */
export function cvvLengthOf(brand: CardTypeIndex): CvvLength {
	return brand === 0 || brand === AMEX ? 'both' : 'three';
}

/**
 * Returns how many digits a form for nothing but the CVV takes. It asks for the code that a payment needs, which cards of
 * American Express have on their front, with four digits.
 */
export function storedCvvLengthOf(brand: CardTypeIndex): CvvLength {
	return brand === AMEX ? 'four' : cvvLengthOf(brand);
}
