// Recognises the words that people write before an expiry, in text and in its field: `EXPIRY DATE`, `VALID THRU`,
// `GUELTIG BIS`, `VTO`.

import { bitOf, Phrase } from './phrase.ts';

const SAYS_EXPIRY = bitOf('expiry') | bitOf('due') | bitOf('valid');

/** Reads the words before an expiry, one phrase at a time. */
export const EXPIRY_WORDS = new Phrase(
	['expiry', 'due', 'valid', 'date', 'monthYear', 'month', 'year', 'joint'],
	(kinds) => (kinds & SAYS_EXPIRY) !== 0,
);
