// What stands at the places of a card, read by the rules of cards: a call and a trial of its profile read alike.

import { EXPIRY_ABSENT, EXPIRY_UNREADABLE, type Expiry, expiryOf } from '../card/expiry.ts';

/** For readers of bytes. A character beyond Latin-1 becomes `?`: its lower half alone could be a digit (`д` ends in that of `4`). */
export function valueBytes(text = ''): Buffer {
	return Buffer.from(text.replace(/[^\0-\xff]/gu, '?'), 'latin1');
}

/** An expiry of its month and year, as they stand. */
export function expiryOfValues(month = '', year = ''): Expiry {
	if (month.trim() === '' && year.trim() === '') return EXPIRY_ABSENT;
	if (!/^\s*\d{1,2}\s*$/.test(month) || !/^\s*(\d{2}|\d{4})\s*$/.test(year)) return EXPIRY_UNREADABLE;
	return expiryOf(Number(month), Number(year));
}
