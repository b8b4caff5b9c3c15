// An account or a folder may set these options for text that people typed. AIR and IUR share them.

import { z } from 'zod';

const DEFAULT_KEYWORDS = [
	'CARD',
	'CREDIT',
	'KARTE',
	'VISA',
	'MASTERCARD',
	'AMEX',
	'DINERS',
	'JCB',
	'DISCOVER',
] as const;

// A keyword made of hexadecimal letters alone could occur inside a token, so it is refused.
const keyword = z
	.string()
	.regex(/^[A-Za-z][A-Za-z0-9 -]{1,31}$/, 'letters, digits, blanks and hyphens, 2 to 32 characters, a letter first')
	.regex(/[G-Zg-z]/, 'at least one letter behind F, so that no token can hold it');

export const freeTextOptions = {
	/** Decides whether remarks are searched for numbers after a keyword. Numbers after a card code are always found. */
	freeText: z.boolean().default(true),
	keywords: z
		.array(keyword)
		.min(1)
		.max(64)
		.default(() => [...DEFAULT_KEYWORDS]),
};
