// Finds card numbers in text that people typed (rule AIR-3, formats §3.4), only after a keyword and only if everything
// indicates a card, because a wrong finding would be reported as a bad card.

import { z } from 'zod';
import { endOfDigits, isAlphanumeric, isAlphanumericAt, isDigit } from '../../src/base/card/ascii.ts';
import { brandOf } from '../../src/base/card/brand.ts';
import { ISSUED_LENGTHS } from '../../src/base/card/card-digits.ts';
import { EXPIRY_ABSENT } from '../../src/base/card/expiry.ts';
import { passesLuhn } from '../../src/base/card/luhn.ts';
import { findCardType } from '../../src/base/card/names/brand-names.ts';
import { spellingsOf } from '../../src/base/card/names/field-words.ts';
import { WordTree } from '../../src/base/card/names/word-tree.ts';
import { NumberReading, TOKEN_LENGTH } from '../../src/base/card/number.ts';
import { endOfStars } from '../../src/base/card/spelling/code-behind.ts';
import { isMaskedAlone } from '../../src/base/card/zero-mask.ts';
import type { LineFindings } from './lines/findings.ts';
import { endOfToken } from './lines/number.ts';

/** A number may be at most this far after its keyword. */
const MAX_GAP = 16;
/**
 * A keyword with this many letters may be a part of a word: `GUESTCARD`. A shorter one, such as KK, may not, and bare digits
 * behind it may be a ticket (`CC 5086069930786`), so they must be as many as the numbers of cards in use have.
 */
const LEAST_INSIDE = 3;

/** Looks in text for the keywords of an account or a folder, and for a card number after each. */
export class FreeText {
	readonly #keywords: WordTree;
	/** Tells for each keyword, from 1 on, whether it names a card type (VISA, AMEX) or only says that a card follows (CARD). */
	readonly #namesType: readonly boolean[];
	readonly #reading = new NumberReading();

	constructor(keywords: readonly string[]) {
		this.#keywords = new WordTree(keywords.map((word, index) => [word, index + 1]));
		// A keyword that names a card type names it for the card behind it. Two letters do not: `CB` may stand before a card of
		// Visa too, because French cards are of Cartes Bancaires and of another brand at once.
		this.#namesType = [false, ...keywords.map((word) => word.length > 2 && findCardType(word) !== undefined)];
	}

	/** Adds the numbers of a line that follow a keyword, unless another rule has found them already. */
	scan(bytes: Buffer, start: number, end: number, line: LineFindings): void {
		line.sort();
		for (let i = start; i < end; i++) {
			const keyword = this.#keywords.find(bytes, i, end);
			if (keyword === 0) continue;
			const keywordEnd = this.#keywords.end;
			const isShort = keywordEnd - i < LEAST_INSIDE;
			if (isShort && !isWord(bytes, i, keywordEnd, start, end)) continue;
			const numberStart = this.#findNumber(bytes, keywordEnd, end);
			if (numberStart === -1 || (isShort && isUnusual(bytes, numberStart, end))) continue;
			const known = line.findOverlap(numberStart, numberStart + 1);
			const typeEnd = this.#namesType[keyword] ? keywordEnd : i;
			if (known === undefined) {
				line.add(numberStart, endOfTextNumber(bytes, numberStart, end), EXPIRY_ABSENT, i, typeEnd);
			} else if (known.typeStart === known.typeEnd) {
				known.typeStart = i;
				known.typeEnd = typeEnd;
			}
		}
	}

	/** Returns the start of the number or token at most `MAX_GAP` bytes after a keyword, with no digit between, or -1. */
	#findNumber(bytes: Buffer, keywordEnd: number, end: number): number {
		const limit = Math.min(end - 1, keywordEnd + MAX_GAP);
		for (let at = keywordEnd; at <= limit; at++) {
			const isFree = !isAlphanumeric(bytes[at - 1]);
			if (isFree && endOfToken(bytes, at, end) !== -1) return isAlphanumericAt(bytes, at + TOKEN_LENGTH, end) ? -1 : at;
			// Stars of a security code stand for its digits, behind which no keyword reaches.
			if (endOfStars(bytes, at, end) - at > 2) return -1;
			if (!isDigit(bytes[at])) continue;
			return isFree && this.#isCard(bytes, at, end) ? at : -1;
		}
		return -1;
	}

	#isCard(bytes: Buffer, at: number, end: number): boolean {
		const numberEnd = endOfTextNumber(bytes, at, end);
		if (numberEnd === -1 || isAlphanumericAt(bytes, numberEnd, end)) return false;
		const { digits, count } = this.#reading.read(bytes, at, numberEnd);
		const isMasked = isMaskedAlone(digits, 0, count);
		const isCard = passesLuhn(digits, 0, count) && brandOf(digits, 0, count) !== 0 && !isMasked;
		this.#reading.clear();
		return isCard;
	}
}

/** Tells whether undivided digits at `at` have a length in which hardly any card is issued. */
function isUnusual(bytes: Uint8Array, at: number, end: number): boolean {
	const length = endOfDigits(bytes, at, end) - at;
	return length >= 13 && !ISSUED_LENGTHS.has(length);
}

function isWord(bytes: Uint8Array, at: number, wordEnd: number, start: number, end: number): boolean {
	return (at === start || !isAlphanumeric(bytes[at - 1])) && !isAlphanumericAt(bytes, wordEnd, end);
}

/** Matches 13 to 19 digits, or digits in the groups 4-4-4-4 or 4-6-5. */
const TEXT_NUMBER = /^(?:\d{13,19}|\d{4}(?:[ -]\d{4}){3}|\d{4}[ -]\d{6}[ -]\d{5})(?!\d)/;
const LONGEST_TEXT_NUMBER = 20;

/** Returns the end of the token or number that begins at `at`, or -1. */
function endOfTextNumber(bytes: Buffer, at: number, end: number): number {
	const tokenEnd = endOfToken(bytes, at, end);
	if (tokenEnd !== -1) return tokenEnd;
	const number = TEXT_NUMBER.exec(bytes.toString('latin1', at, Math.min(end, at + LONGEST_TEXT_NUMBER)));
	return number === null ? -1 : at + number[0].length;
}

const OTHERS = 'CREDIT,KREDIT,VISA,MASTER,AMERICAN EXPRESS,JCB,DISCOVER,MAESTRO,UNIONPAY,RUPAY'.split(',');
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
