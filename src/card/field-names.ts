// What files and messages call the fields of a card: one table for every format, preset and check (docs/formats/names.md).
// A name is read word by word, so that `Card No.`, `guestCardNumber` and `NUMERO_DE_CARTE` need no lines of their own.

import { readWords, type Word } from './field-name-words.ts';
import type { WordKind } from './field-words.ts';

/** The fields of a card that a name may stand for. `expiry` is a whole date; `month` and `year` are its parts. */
export const CARD_FIELDS = ['number', 'expiry', 'month', 'year', 'cvv', 'type', 'name', 'reference'] as const;
export type CardField = (typeof CARD_FIELDS)[number];

/** What a name stands for. */
export interface FieldMeaning {
	readonly field: CardField;
	/**
	 * True for a name that says by itself that it belongs to a card (`Card No.`, `cvv2`). False for a name that does so
	 * only beside or inside something that says card (`number` in a `card` object, `Expiry` beside a card number).
	 */
	readonly isSure: boolean;
}

/** A meaning with what else a name says: for layouts that tell which of several cards a field belongs to. */
export interface FieldName extends FieldMeaning {
	/** Whose card, or which: the words that say nothing of the field (`guest`, `2`), joined; empty for none. */
	readonly stem: string;
	/** The name holds a word for a card. */
	readonly saysCard: boolean;
	/** The name is another thing's (`Passport Expiry`) unless a card number of the same stem stands beside it. */
	readonly isForeign: boolean;
	/** `Month` or `Year` without a word for expiry: of whatever stands beside it. */
	readonly isVague: boolean;
}

/** Longer names are nobody's. */
const MAX_NAME_LENGTH = 80;
/** Names remembered: a file has few, and those again and again. */
const MAX_KEPT = 4096;
const kept = new Map<string, FieldName | undefined>();

/**
 * A name without what does not count in it: case, blanks, punctuation, camel case and accents. `Numéro de carte`,
 * `NUMERO_DE_CARTE` and `numeroDeCarte` are one name.
 */
export function foldFieldName(name: string): string {
	return name
		.normalize('NFKD')
		.replace(/ß/g, 'ss')
		.replace(/[^\p{L}\p{Nd}]/gu, '')
		.toLowerCase();
}

/** What a name of a column, key, element, attribute or form field stands for; undefined when it is no card field's. */
export function findFieldMeaning(name: string): FieldMeaning | undefined {
	const read = readFieldName(name);
	return read?.isForeign ? undefined : read;
}

/** The same with the words that say whose card it is. */
export function readFieldName(name: string): FieldName | undefined {
	if (name.length > MAX_NAME_LENGTH) return undefined;
	if (kept.has(name)) return kept.get(name);
	if (kept.size >= MAX_KEPT) kept.clear();
	const read = new NameReading(readWords(name)).read();
	kept.set(name, read);
	return read;
}

/** Words that say whose card it is; any other word beside a field that does not say card makes it another thing's. */
const AROUND: ReadonlySet<WordKind | undefined> = new Set<WordKind>(['whose', 'joint']);
/** An ordinal is one or two digits. */
const ORDINAL = /^\d{1,2}$/;
/** What a word adds to the stem in place of itself. */
const STEMS: Readonly<Record<string, string>> = {
	...{ first: '1', '1st': '1', second: '2', '2nd': '2', third: '3', '3rd': '3' },
	...{
		bta: 'bta',
		btaaccount: 'bta',
		billingaccount: 'billing',
		lodgeaccount: 'lodge',
		ghostaccount: 'ghost',
		bill: 'billing',
		orig: 'originating',
	},
};
/** Alone they are a copy of a letter, a cost centre, the sales of a card company. */
const SHORT_CARDS: ReadonlySet<string> = new Set('cc cb cm kk crd bta uatp airplus amex mastercard diners'.split(' '));

class NameReading {
	readonly #words: readonly Word[];
	readonly #kinds: ReadonlySet<WordKind | undefined>;
	readonly #saysCard: boolean;
	/** Words of unknown meaning, before, amid and after those that are known. */
	readonly #strangers = { before: 0, amid: 0, after: 0 };

	constructor(words: readonly Word[]) {
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

	/** Whether a word of this kind means nothing without another that is not there. */
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

	/** Security says it alone; of verification there are many. */
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
		if (this.#has('type') || this.#isCardCode()) return this.#ofCard('type');
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

	/** `Card Code` is a type; of codes without a card there are many. */
	#isCardCode(): boolean {
		return this.#has('code') && this.#has('card') && !this.#has('number');
	}

	#ofCard(field: CardField): FieldName | undefined {
		if (this.#saysCard) return this.#strangers.after > 0 ? undefined : this.#named(field, true);
		return this.#isBare() && !this.#has('number') ? this.#named(field, false) : undefined;
	}

	/** Nothing but words of the field itself, and perhaps which of several. */
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
			saysCard: this.#saysCard && !isShort,
			stem: stemOf(this.#words),
		};
	}
}

/** `CVV 2` is CVV2 or the CVV of the second card: where numbers have ordinals, it is the latter. */
function ordinalIn({ kind, text, isApart }: Word): string {
	return kind === 'cvv' && isApart && text.endsWith('2') ? '2' : '';
}

function stemOf(words: readonly Word[]): string {
	// The 2 of `CVV2 1` is no ordinal: another one stands behind it.
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
