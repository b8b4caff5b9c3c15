// What an account or a folder may set about text that people typed; the same for AIR and IUR.

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

// A keyword of hexadecimal letters alone could turn up inside a token.
const keyword = z
	.string()
	.regex(/^[A-Za-z][A-Za-z0-9 -]{1,31}$/, 'letters, digits, blanks and hyphens, 2 to 32 characters, a letter first')
	.regex(/[G-Zg-z]/, 'at least one letter behind F, so that no token can hold it');

export const freeTextOptions = {
	/** Whether numbers behind a keyword are looked for in remarks. Numbers behind a card code always are. */
	freeText: z.boolean().default(true),
	keywords: z
		.array(keyword)
		.min(1)
		.max(64)
		.default(() => [...DEFAULT_KEYWORDS]),
};
