// Converts the texts found at the places of a card for the card rules. Calls and trials of a profile share these
// functions, so both read a card in the same way.

import { EXPIRY_ABSENT, EXPIRY_UNREADABLE, type Expiry, expiryOf } from '../card/expiry.ts';

/**
 * Returns the bytes of a text for the readers of the card rules. A character beyond Latin-1 becomes `?`, because its
 * low byte alone could be a digit: that of `д` is `4`.
 */
export function valueBytes(text = ''): Buffer {
	return Buffer.from(text.replace(/[^\0-\xff]/gu, '?'), 'latin1');
}

/** Reads an expiry from its month and year. */
export function expiryOfValues(month = '', year = ''): Expiry {
	if (month.trim() === '' && year.trim() === '') return EXPIRY_ABSENT;
	if (!/^\s*\d{1,2}\s*$/.test(month) || !/^\s*(\d{2}|\d{4})\s*$/.test(year)) return EXPIRY_UNREADABLE;
	return expiryOf(Number(month), Number(year));
}
