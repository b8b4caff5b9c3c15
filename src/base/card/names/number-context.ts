// Decides what a place is for in which digits like those of a card were found. Phone numbers and tickets have 13 digits,
// and no cards of that length are issued any more. So in a place that is for them, such digits are no finding, unless a
// word beside them says card or an expiry follows. Numbers of the lengths of cards in use are findings everywhere.

import { endOfDigits } from '../ascii.ts';
import { ISSUED_LENGTHS, isExpiry } from '../card-digits.ts';
import { utf8Of } from '../plain-text.ts';
import { findCardType } from './brand-names.ts';
import { readWords } from './field-name-words.ts';
import type { WordKind } from './field-words.ts';
import { NUMBER_WORDS, PURPOSE_WORDS, type Purpose, TEXT_WORDS } from './purpose-words.ts';

/** This much text before and behind a number is its context. */
export const CONTEXT_BEFORE = 48;
export const CONTEXT_BEHIND = 24;
/** A label says what the number behind it is, if it has no other number with as many digits between. */
const DIGITS_BETWEEN = /\d{6}/;
/** A number behind a label in text is at most this many characters away from it. */
const LONGEST_GAP = 24;
/** In a service request of a host, a flight may be between: `SSR TKNE LH HK1 FRAJFK0400Y12NOV-220…`. */
const LONGEST_GAP_OF_HOST = 40;
const OF_HOST = /\bSSR [A-Z]{4} /;
/** These kinds of words say that a number beside them is that of a card. */
const CARD_KINDS: ReadonlySet<WordKind | undefined> = new Set<WordKind>(['card', 'pan', 'cardHolder', 'cvv', 'expiry']);
/** Shorter words mean too much else to say card: `cm`, `al`, `ed`. */
const SHORTEST_CARD_WORD = 3;
const SHORT_CARD_WORDS: ReadonlySet<string> = new Set(['cc', 'kk']);
/** Matches what divides a number from the expiry right behind it; the month and the year follow. */
const EXPIRY = /^(?:[ /*+#D-]{1,3}|[ /-]?EXP[: -]{0,2})(\d\d)[/ -]?(?:20)?(\d\d)(?!\d)/i;
/** Matches a ticket and the last digits of its last conjunction ticket: `2202405679017-18`. */
const CONJUNCTION = /^\d{13}[-/ ]\d{2,3}$/;
const TICKET_DIGITS = 13;
/** The serial number of a ticket follows the three digits of its airline. */
const AIRLINE_DIGITS = 3;
/** The purposes of at most this many names are cached, because a file repeats a few names again and again. */
const MAX_KEPT = 4096;
const kept = new Map<string, Purpose | undefined>();

/** A comment of XML is no value of the element that it stands in. */
const COMMENT = '!--';

const PURPOSES = Object.keys(PURPOSE_WORDS) as Purpose[];
const listed = (words: string) => words.split(/\s+/).join('|');
const PATTERNS = PURPOSES.map((purpose) => {
	const { parts, words } = PURPOSE_WORDS[purpose];
	return { purpose, pattern: new RegExp(`(?:${listed(parts)})|\\b(?:${listed(words)})(?:${NUMBER_WORDS})?\\b`, 'g') };
});
const TAGS = new Map(
	PURPOSES.flatMap((purpose) => {
		const { tags } = PURPOSE_WORDS[purpose];
		return tags === '' ? [] : tags.split(' ').map((tag) => [tag, purpose] as const);
	}),
);

/** Digits that were found, with the text around them. */
export interface FoundDigits {
	/** The digits as they are spelled. */
	readonly spelling: string;
	/** The name of the column, key, element or line tag that contains them, if it is known. */
	readonly name: string | undefined;
	/** True if `name` is the tag of a line, which is not read word by word. */
	readonly isTag: boolean;
	/** The text of the same place before the digits and behind them. */
	readonly before: string;
	readonly behind: string;
}

/** Tells whether digits that pass for a card number belong to a phone, a ticket or the like, because their place says so. */
export function isOtherThing({ spelling, name, isTag, before, behind }: FoundDigits): boolean {
	const isText = before.startsWith(COMMENT) || isSentence(before + behind);
	const purposeOfPlace = isTag ? TAGS.get(name ?? '') : isText ? undefined : purposeOfName(name);
	const purpose = purposeOfPlace ?? purposeOfLabel(before);
	if (purpose === undefined || (!/^\d+$/.test(spelling) && purpose !== 'ticket')) return false;
	if (spelling.length === TICKET_DIGITS + 1 && !(purpose === 'ticket' && hasTicketCheckDigit(spelling))) return false;
	return !saysCard(before) && !saysCard(behind) && !isBehindCode(before) && !isBeforeExpiry(behind);
}

/**
 * Tells whether the digits `bytes[start, end)` are spelled as those of phones, tickets and the like may be: undivided, with
 * a length in which no cards are issued, or as a ticket with its check digit or its conjunction tickets. Digits in the
 * groups of a card are not.
 */
export function mayBeOtherThing(bytes: Buffer, start: number, end: number): boolean {
	const length = end - start;
	const digitsEnd = endOfDigits(bytes, start, end);
	if (digitsEnd < end)
		return digitsEnd - start === TICKET_DIGITS && CONJUNCTION.test(bytes.toString('latin1', start, end));
	return !ISSUED_LENGTHS.has(length) || length === TICKET_DIGITS + 1;
}

/**
 * Tells whether a text has words, which may be about anything, as in `numéro …, arrival late`. Airlines have two letters, and
 * tokens have letters between digits.
 */
function isSentence(text: string): boolean {
	return /(?<![a-z\d])[a-z]{3,}(?![a-z\d])/i.test(text);
}

function purposeOfName(name: string | undefined): Purpose | undefined {
	if (name === undefined) return undefined;
	if (kept.has(name)) return kept.get(name);
	if (kept.size >= MAX_KEPT) kept.clear();
	const words = readWords(name);
	const texts = words.map(({ text }) => text);
	// Capitals may divide a word: `WhatsApp`.
	const purpose = lastPurpose(texts.join(' '))[0] ?? lastPurpose(texts.join(''))[0];
	// A flyer's number may be called that of a card, but any other name with such a word is about a payment.
	const isOfCard = purpose !== 'flyer' && words.some(({ kind, text }) => isCardWord(kind, text));
	const isOfText = texts.some((text) => TEXT_WORDS.has(text));
	const meaning = isOfCard || isOfText ? undefined : purpose;
	kept.set(name, meaning);
	return meaning;
}

function purposeOfLabel(before: string): Purpose | undefined {
	const text = withoutAccents(before);
	const [purpose, end] = lastPurpose(plain(text));
	const gap = text.slice(end);
	const longest = OF_HOST.test(text) ? LONGEST_GAP_OF_HOST : LONGEST_GAP;
	return gap.length > longest || DIGITS_BETWEEN.test(gap) ? undefined : purpose;
}

/** Returns a text, of which each character is a byte, without accents; it may be UTF-8 or Windows-1252. */
function withoutAccents(text: string): string {
	if (!/[\x80-\xff]/.test(text)) return text;
	return utf8Of(Buffer.from(text, 'latin1')).toString().normalize('NFD').replace(/\p{M}/gu, '');
}

/** Returns the purpose that the last word of a text names, and the end of that word. */
function lastPurpose(text: string): [purpose: Purpose | undefined, end: number] {
	let found: [Purpose | undefined, number] = [undefined, 0];
	for (const { purpose, pattern } of PATTERNS) {
		for (const match of text.matchAll(pattern)) {
			if (match.index + match[0].length > found[1]) found = [purpose, match.index + match[0].length];
		}
	}
	return found;
}

/** Returns a text of the same length in which every character but letters is a blank, without capitals. */
function plain(text: string): string {
	return text.toLowerCase().replace(/[^a-z]/g, ' ');
}

function saysCard(text: string): boolean {
	return /[a-z]{2}/i.test(text) && readWords(text).some(({ kind, text: word }) => isCardWord(kind, word));
}

function isCardWord(kind: WordKind | undefined, text: string): boolean {
	if (text.length < SHORTEST_CARD_WORD) return SHORT_CARD_WORDS.has(text);
	return CARD_KINDS.has(kind) || findCardType(text) !== undefined;
}

/** Tells whether a form of payment with the code of a network is directly before a number: `/GVI/`, `CCVI`. */
function isBehindCode(before: string): boolean {
	const [, code] = /(?:CC[/-]?|\/G)([A-Z]{2})[ /-]{0,2}$/.exec(before) ?? [];
	return code !== undefined && findCardType(code) !== undefined;
}

function isBeforeExpiry(behind: string): boolean {
	const [match, month, year] = EXPIRY.exec(behind) ?? [];
	return match !== undefined && isExpiry(Buffer.from(month + year), 0, 2);
}

/** Tells whether the 14th digit is the remainder of the ticket or of its serial number by seven, as airlines print it. */
function hasTicketCheckDigit(digits: string): boolean {
	const check = Number(digits[TICKET_DIGITS]);
	const whole = Number(digits.slice(0, TICKET_DIGITS));
	return whole % 7 === check || Number(digits.slice(AIRLINE_DIGITS, TICKET_DIGITS)) % 7 === check;
}
