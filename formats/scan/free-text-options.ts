// An account or a folder may set these options for text that people typed. AIR and IUR share them.

import { z } from 'zod';
import { spellingsOf } from '../../src/base/card/names/field-words.ts';

const OTHERS = [
	'CREDIT',
	'KREDIT',
	'VISA',
	'MASTER',
	'AMERICAN EXPRESS',
	'JCB',
	'DISCOVER',
	'MAESTRO',
	'UNIONPAY',
	'RUPAY',
];
/** The words of the vocabulary for a card. `CM` is an airline too, and the word before an account's number finds it. */
const CARDS = spellingsOf('card').filter((word) => word !== 'cm' && !/acc/.test(word));
/** Such a word makes longer ones with it superfluous, unless they name a brand. */
const isInside = (word: string) => CARDS.some((other) => other.length > 2 && other !== word && word.includes(other));

/** The keywords of free text, if an account has no others. */
export const DEFAULT_KEYWORDS: readonly string[] = [
	...CARDS.filter((word) => word === 'mastercard' || !isInside(word)).map((word) => word.toUpperCase()),
	...OTHERS,
];

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
