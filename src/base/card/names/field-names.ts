// Recognises the names that files and messages use for the fields of a card. Every format, preset and check uses this
// one table (docs/formats/names.md). A name is read word by word, so `Card No.`, `guestCardNumber` and
// `NUMERO_DE_CARTE` need no entries of their own.

import { readWords, type Word } from './field-name-words.ts';
import type { WordKind } from './field-words.ts';

/** The card fields that a name can mean. `expiry` is a whole date; `month` and `year` are its parts. */
export const CARD_FIELDS = ['number', 'expiry', 'month', 'year', 'cvv', 'type', 'name', 'reference'] as const;
export type CardField = (typeof CARD_FIELDS)[number];

/** Describes the meaning of the name of a field. */
export interface FieldMeaning {
	readonly field: CardField;
	/**
	 * True if the name alone shows that it belongs to a card (`Card No.`, `cvv2`). False if it does so only next to or
	 * inside something that says card (`number` in a `card` object, `Expiry` next to a card number).
	 */
	readonly isSure: boolean;
}

/** Describes the meaning of a name with further facts, for layouts that assign fields to one of several cards. */
export interface FieldName extends FieldMeaning {
	/** The words that say whose card it is, or which one (`guest`, `2`), joined; empty if there are none. */
	readonly stem: string;
	/** True if the name contains a word for a card. */
	readonly saysCard: boolean;
	/**
	 * True if the name belongs to something other than a card (`Passport Expiry`). A layout may use the field
	 * nevertheless if it has a card number whose name has the same `stem`.
	 */
	readonly isForeign: boolean;
	/** True if the name is `Month` or `Year` without a word for expiry, so that it belongs to the field next to it. */
	readonly isVague: boolean;
	/**
	 * True if the name means a card's type only because it says code (`Card Code`). Some systems have the CVV under such a
	 * name.
	 */
	readonly isCode?: boolean;
}

/** Names longer than this are not examined and mean no card field. */
const MAX_NAME_LENGTH = 80;
/** The meanings of at most this many names are cached, because a file repeats a few names again and again. */
const MAX_KEPT = 4096;
const kept = new Map<string, FieldName | undefined>();

/**
 * Returns a name without case, blanks, punctuation, camel case and accents: `Numéro de carte`, `NUMERO_DE_CARTE` and
 * `numeroDeCarte` become one name.
 */
export function foldFieldName(name: string): string {
	return name
		.normalize('NFKD')
		.replace(/ß/g, 'ss')
		.replace(/[^\p{L}\p{Nd}]/gu, '')
		.toLowerCase();
}

/**
 * Returns the meaning of the name of a column, key, element, attribute or form field, or undefined if it does not name
 * a card field.
 */
export function findFieldMeaning(name: string): FieldMeaning | undefined {
	const read = readFieldName(name);
	return read?.isForeign ? undefined : read;
}

/** Returns the meaning of a name like `findFieldMeaning`, with the words that say whose card it is. */
export function readFieldName(name: string): FieldName | undefined {
	if (name.length > MAX_NAME_LENGTH) return undefined;
	if (kept.has(name)) return kept.get(name);
	if (kept.size >= MAX_KEPT) kept.clear();
	const read = new NameReading(readWords(name)).read();
	kept.set(name, read);
	return read;
}

/**
 * Words of these kinds, such as `guest` and `de`, only surround the words that name the field. If a name contains no
 * word for a card, any other extra word means that the name belongs to something else.
 */
const AROUND: ReadonlySet<WordKind | undefined> = new Set<WordKind>(['whose', 'joint']);
const BEFORE_ID: ReadonlySet<string> = new Set('pan cvv card cardKind account number whose masked'.split(' '));
/** Matches an ordinal in a name, which is one or two digits. */
const ORDINAL = /^\d{1,2}$/;
/**
 * Maps words that say whose or which card it is to the form that they have in `stem`, so that `first`, `1st` and `1`
 * become the same.
 */
const STEMS: Readonly<Record<string, string>> = {
	first: '1',
	'1st': '1',
	second: '2',
	'2nd': '2',
	third: '3',
	'3rd': '3',
	bta: 'bta',
	btaaccount: 'bta',
	billingaccount: 'billing',
	lodgeaccount: 'lodge',
	ghostaccount: 'ghost',
	bill: 'billing',
	orig: 'originating',
};
/**
 * A name that is one of these words alone may mean something else: a copy of a letter, a cost centre, the sales of a
 * card company.
 */
const SHORT_CARDS: ReadonlySet<string> = new Set('cc cb cm kk crd bta uatp airplus amex mastercard diners'.split(' '));

/** A `Card Company` is the brand of a card, but a `Company Card` is a card that a company gives to its travellers. */
const COMPANIES: ReadonlySet<string> = new Set(['company', 'vendor', 'gesellschaft']);

class NameReading {
	readonly #words: readonly Word[];
	readonly #kinds: ReadonlySet<WordKind | undefined>;
	readonly #saysCard: boolean;
	/** True if the name ends with ID, so that `CardID` may also be the number of a row in a database. */
	readonly #isId: boolean;
	/**
	 * Counts the unknown words of a name by their position: before the first word that names the field, after the last
	 * one, and in between.
	 */
	readonly #strangers = { before: 0, amid: 0, after: 0 };

	constructor(read: readonly Word[]) {
		const words = withoutId(read).map((word, at, all) =>
			isOwner(word, all[at + 1]) ? { ...word, kind: 'whose' as const } : word,
		);
		this.#isId = words.length < read.length;
		const kinds = new Set(words.map(({ kind }) => kind));
		this.#saysCard = kinds.has('card') || kinds.has('pan') || kinds.has('cardHolder');
		const isStranger = ({ kind, text }: Word) => (kind === undefined ? !ORDINAL.test(text) : this.#isIdle(kind, kinds));
		const isCore = (word: Word) => !isStranger(word) && word.kind !== undefined && !AROUND.has(word.kind);
		const first = words.findIndex(isCore);
		const last = words.findLastIndex(isCore);
		for (const [index, word] of words.entries()) {
			if (isStranger(word)) this.#strangers[index < first ? 'before' : index > last ? 'after' : 'amid']++;
		}
		this.#words = words;
		this.#kinds = new Set(words.filter((word) => !isStranger(word)).map(({ kind }) => kind));
	}

	/**
	 * Tells whether a word that only adds to the word for a card (`credit`) is treated as unknown. This is so if the name
	 * has no word for a card or a form of payment.
	 */
	#isIdle(kind: WordKind, kinds: ReadonlySet<WordKind | undefined>): boolean {
		return kind === 'cardKind' && !this.#saysCard && !kinds.has('form');
	}

	read(): FieldName | undefined {
		if (this.#has('not')) return undefined;
		const { before, amid, after } = this.#strangers;
		if (this.#has('cvv')) return this.#named('cvv', after === 0 && amid === 0 && !this.#has('masked'));
		if (this.#isSecurityCode()) {
			return this.#named('cvv', this.#isCardLike(), amid + after > 0 || (before > 0 && !this.#isCardLike()));
		}
		return amid > 0 ? undefined : (this.#readDate() ?? this.#readOther());
	}

	#isSecurityCode(): boolean {
		const hasCode = this.#has('code') || this.#has('number') || this.#has('pan');
		if (this.#has('security')) return hasCode || this.#saysCard;
		return this.#has('verification') && (hasCode || this.#saysCard);
	}

	/**
	 * Tells whether the name is about a card. The word `security` is enough, but `verification` is not, because other
	 * things are verified too.
	 */
	#isCardLike(): boolean {
		return this.#saysCard || this.#has('security');
	}

	#readDate(): FieldName | undefined {
		const isOfCard = this.#saysCard || this.#has('form');
		const isExpiry =
			this.#has('expiry') ||
			(this.#has('due') && isOfCard) ||
			(this.#has('valid') && (this.#has('month') || this.#has('year') || this.#has('monthYear')));
		const [hasMonth, hasYear] = [this.#has('month'), this.#has('year')];
		if (!isExpiry && !hasMonth && !hasYear && !this.#has('monthYear')) return undefined;
		if (!isExpiry && this.#words.every(({ text }) => text.length === 1)) return undefined;
		const field = hasMonth === hasYear || this.#has('monthYear') ? 'expiry' : hasMonth ? 'month' : 'year';
		if (isOfCard) return this.#strangers.after > 0 ? undefined : this.#named(field, true);
		if (isExpiry) return this.#named(field, false, this.#hasStrangers());
		return this.#isBare() ? { ...this.#named(field, false), isVague: true } : undefined;
	}

	#readOther(): FieldName | undefined {
		const { after } = this.#strangers;
		if (this.#has('type')) return this.#ofCard('type');
		if (this.#isCardCode()) return after > 0 ? undefined : { ...this.#named('type', true), isCode: true };
		if (this.#has('reference')) return this.#ofCard('reference');
		if (this.#has('name')) return this.#ofCard('name');
		const hasNumber = this.#has('number') || this.#has('pan') || this.#has('account');
		if (this.#has('part')) return undefined;
		if (hasNumber) {
			if (this.#saysCard || (this.#has('form') && this.#has('number'))) {
				const isWhole = this.#has('number') || this.#has('pan');
				return this.#named('number', isWhole && after === 0 && !this.#has('masked'));
			}
			return this.#isBare() ? this.#named('number', false) : undefined;
		}
		if (this.#has('holder') || this.#has('cardHolder')) return this.#ofCard('name');
		if (!this.#has('card') || this.#has('code') || this.#hasStrangers() || this.#has('masked') || this.#has('date'))
			return undefined;
		return this.#named('number', false);
	}

	/** Tells whether the name means a card type: `Card Code` does, but a code without the word card can be anything. */
	#isCardCode(): boolean {
		return this.#has('code') && this.#has('card') && !this.#has('number');
	}

	#ofCard(field: CardField): FieldName | undefined {
		if (this.#saysCard) return this.#strangers.after > 0 ? undefined : this.#named(field, true);
		return this.#isBare() && !this.#has('number') ? this.#named(field, false) : undefined;
	}

	/**
	 * Tells whether the name consists only of words for the field itself and perhaps an ordinal. An unknown word, or a
	 * word such as `guest` or `masked`, makes it false.
	 */
	#isBare(): boolean {
		return !this.#hasStrangers() && !this.#has('whose') && !this.#has('masked');
	}

	#hasStrangers(): boolean {
		return this.#strangers.before + this.#strangers.amid + this.#strangers.after > 0;
	}

	#has(kind: WordKind): boolean {
		return this.#kinds.has(kind);
	}

	#named(field: CardField, isSure: boolean, isForeign = false): FieldName {
		const isShort = this.#words.length === 1 && SHORT_CARDS.has(this.#words[0].text);
		return {
			field,
			isSure,
			isForeign,
			isVague: false,
			saysCard: this.#saysCard && !isShort && (isSure || !this.#isId),
			stem: stemOf(this.#words),
		};
	}
}

/** Leaves out the last word of `PrimaryAccountNumberID`, `CV2ID` and `CardID`, as schemas name identifiers. */
function withoutId(words: readonly Word[]): readonly Word[] {
	const [last, ...others] = [...words].reverse();
	if (last?.text !== 'id' || !others.some(({ kind }) => kind === 'pan' || kind === 'cvv' || kind === 'card'))
		return words;
	return others.every(({ kind }) => kind !== undefined && BEFORE_ID.has(kind)) ? others.reverse() : words;
}

/** Tells whether a word before a word for a card says whose it is, and not of which brand. */
function isOwner({ text }: Word, next: Word | undefined): boolean {
	return COMPANIES.has(text) && (next?.kind === 'card' || next?.kind === 'cardKind');
}

/**
 * Returns the ordinal that a word contains. `CVV 2` means either CVV2 or the CVV of the second card. This function
 * takes the 2 for an ordinal; it only counts if the columns of card numbers have ordinals too.
 */
function ordinalIn({ kind, text, isApart }: Word): string {
	return kind === 'cvv' && isApart && text.endsWith('2') ? '2' : '';
}

function stemOf(words: readonly Word[]): string {
	// The 2 of `CVV2 1` is not an ordinal, because another number follows it.
	const hasOrdinal = words.some(({ text }) => ORDINAL.test(STEMS[text] ?? text));
	const partOf = (word: Word) => {
		if (word.kind === undefined || word.kind === 'whose') return word.text;
		return hasOrdinal ? '' : ordinalIn(word);
	};
	return words
		.map((word) => STEMS[word.text] ?? partOf(word))
		.filter((part) => part !== '')
		.join(' ');
}
