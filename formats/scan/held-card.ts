// Keeps the facts about a card whose element or object is still open, for the markup and JSON scanners. Its fields can
// come in any order, so nothing is decided before it closes.

import {
	EXPIRY_ABSENT,
	type Expiry,
	type ExpiryFormat,
	readExpiry,
	readMonthAndYear,
} from '../../src/base/card/expiry.ts';
import { FileError, type Finding, type Findings } from '../../src/engine/format.ts';
import { HeldCvvs, takeCodeOfExpiry } from './held-cvvs.ts';
import { type HeldValue, HeldValues } from './held-value.ts';

/** Numbers the fields of a card. `NONE` stands for every other key or element. */
export const FIELD = {
	NONE: 0,
	NUMBER: 1,
	EXPIRY: 2,
	MONTH: 3,
	YEAR: 4,
	CVV: 5,
	TYPE: 6,
	NAME: 7,
	REFERENCE: 8,
	/** The name is unknown, but it occurs inside a card, so its value is examined. */
	UNKNOWN: 9,
} as const;
export type Field = (typeof FIELD)[keyof typeof FIELD];

/** Holds the facts that a format supplies for reading a card's fields. */
export interface FieldReading {
	readonly expiryFormat?: ExpiryFormat;
	decode(bytes: Buffer, start: number, end: number): Buffer;
	/** Leaves out what the language of the file writes beside a date that is not part of it. */
	trimDate?(field: Field, bytes: Buffer, value: HeldValue): void;
}

/** Says what a value means by its name. */
export interface Meaning {
	readonly field: Field;
	/** True if the name clearly says that it belongs to a card. Every name that an account gives is regarded as clear. */
	readonly isSure: boolean;
	/** True if the name is a month or a year without a word for expiry. */
	readonly isBare: boolean;
	/**
	 * True if the name is a word that means the field only if its value looks like the field and the rest of the card
	 * agrees.
	 */
	readonly isWord: boolean;
	/** True if the name says code and card: the card's type, or its CVV if three or four digits are there. */
	readonly isCode: boolean;
	/** The level of `WEIGHT` that the value must reach to be read as a card number; `WEIGHT.NONE` accepts any value. */
	readonly gate: number;
}

const FIELD_COUNT = 10;
/**
 * A card number may be spelled with at most this many bytes. They are enough even if every digit is a character
 * reference and a comment stands between the digits.
 */
const MAX_SPELLING_BYTES = 1024;

const bit = (...fields: Field[]) => fields.reduce<number>((bits, field) => bits | (1 << field), 0);
const TEXT_FIELDS = bit(FIELD.TYPE, FIELD.NAME, FIELD.REFERENCE);
const DATES = bit(FIELD.EXPIRY, FIELD.MONTH, FIELD.YEAR);
/** If a card has one of these fields under a name that says card, a number next to it is taken for a card number. */
const STRONG = DATES | bit(FIELD.CVV, FIELD.TYPE, FIELD.NAME);
/** This bit of `seen` is set if a number was found under a name that does not say card. */
export const WORD = 1 << FIELD.NONE;
const PAIR = bit(FIELD.MONTH, FIELD.YEAR);

/** Tells how strong the evidence is that a number belongs to a card although its name does not say so. */
export const EVIDENCE = { NONE: 0, WEAK: 1, STRONG: 2 } as const;

/**
 * Holds one open card, which is a card whose object or element has not ended yet. The object is reused for another card
 * after `begin` has reset it. Offsets point into the current window.
 */
export class HeldCard {
	/**
	 * The offset where the card begins. If the window ends before the card does, the next window begins at this offset,
	 * and the scanner returns to the state that it had there.
	 */
	start = 0;
	line = 0;
	recordsBefore = 0;
	straysBefore = 0;
	foundBefore = 0;
	/** The number of objects or elements open at `start`, and what JSON says of the innermost. */
	depthAtStart = 0;
	isCardAtStart = 0;
	wrapAtStart = 0;
	/** The depth of the object or element that contains the fields. */
	depth = 0;
	/** The ordinal of the card in the file, counted from 1; 0 until it is known. */
	record = 0;
	/** The selector that found this card; used by markup only. */
	selector = 0;
	/**
	 * True if the object or element has a name that says card, so that words such as `type` and `number` are its fields.
	 */
	isCard = false;
	/** True if the object contains another card; used by JSON only. */
	hasCardChild = false;
	/** The position of the last date name that says card, so that a notice can show this name. */
	dateNameStart = 0;
	dateNameEnd = 0;
	/** The position of the name of a list of several expiries, none of which is read; used by JSON only. */
	listNameStart = 0;
	listNameEnd = 0;
	/**
	 * True if the value under a word for a card is a masked number, as in `"card": "XXXX…1111"`. The card then has its
	 * number, so no value under another word is taken for it.
	 */
	isFilled = false;
	/**
	 * True if a name such as `number`, which does not say card, has a masked number as its value. If the rest of the
	 * object agrees, that name is regarded as the field for the card's number.
	 */
	hasMaskedWord = false;
	/** The fields that occurred, including empty ones, as bits. */
	seen = 0;
	numberCount = 0;
	readonly cvvs = new HeldCvvs();
	/** Possible card numbers under names that do not say card. */
	readonly candidates = new HeldValues();
	/** Short values under words for a number, which may be the parts of one; used by JSON only. */
	readonly parts = new HeldValues();
	readonly #spans = new Int32Array(FIELD_COUNT * 2);
	/**
	 * As bits: `#sure` has the fields with a value under a name that says card, and `#bare` those whose value is under a
	 * month or year without a word for expiry.
	 */
	#sure = 0;
	#bare = 0;
	#seenSure = 0;
	/** The fields whose span contains escapes, as bits. */
	#escaped = 0;
	#isPairLast = false;
	readonly #numbers: number[] = [];

	begin(start: number, line: number): this {
		this.start = start;
		this.line = line;
		this.record = 0;
		this.isCard = false;
		this.hasCardChild = false;
		this.isFilled = false;
		this.hasMaskedWord = false;
		this.listNameStart = this.listNameEnd = 0;
		this.seen = 0;
		this.numberCount = 0;
		this.cvvs.clear();
		this.candidates.length = 0;
		this.parts.length = 0;
		this.#spans.fill(0);
		this.#sure = 0;
		this.#bare = 0;
		this.#seenSure = 0;
		this.#escaped = 0;
		this.#isPairLast = false;
		return this;
	}

	/** Notes that a field occurred, no matter what its value is. */
	see(field: Field, isSure: boolean): void {
		this.seen |= field === FIELD.NUMBER && !isSure ? WORD : 1 << field;
		if (isSure) this.#seenSure |= 1 << field;
	}

	/** Adds a card number. The other fields of the card are added to its finding when the card is complete. */
	addNumber({ start, end, line, isBare, isEscaped }: HeldValue, found: Findings): Finding {
		// The spelling, comments included, is sealed with the card. Its length is limited so that it does not fill a page
		// of its own.
		if (isEscaped && end - start > MAX_SPELLING_BYTES) {
			const message = `a card number is spelled with more than ${MAX_SPELLING_BYTES} bytes`;
			const fault = { code: 'card-too-long', parameters: { bytes: MAX_SPELLING_BYTES } } as const;
			throw new FileError(message, { offset: start, line, record: this.record }, fault);
		}
		this.#numbers[this.numberCount++] = found.length;
		const finding = found.next();
		finding.record = this.record;
		finding.line = line;
		finding.numberStart = start;
		finding.numberEnd = end;
		finding.isEscaped = isEscaped;
		if (isBare) finding.shape = 'quoted';
		return finding;
	}

	/**
	 * Notes that a finding was inserted at `index` of the list of findings, so that the later findings of this card have
	 * moved by one position.
	 */
	shift(index: number): void {
		for (let i = 0; i < this.numberCount; i++) if (this.#numbers[i] >= index) this.#numbers[i]++;
		if (this.foundBefore > index) this.foundBefore++;
	}

	/** Notes that the finding of the number which this card got last has moved to `index` of the list of findings. */
	moveLast(index: number): void {
		this.#numbers[this.numberCount - 1] = index;
	}

	/**
	 * Adds any field except number and CVV. The last field of a kind is used, but one whose name does not say card never
	 * replaces one whose name does.
	 */
	addField(field: Field, { start, end, isEscaped }: HeldValue, isSure: boolean, isBare = false): void {
		const mark = 1 << field;
		if (isSure) this.#sure |= mark;
		else if ((this.#sure & mark) !== 0) return;
		this.#spans[field * 2] = start;
		this.#spans[field * 2 + 1] = end;
		this.#escaped = isEscaped ? this.#escaped | mark : this.#escaped & ~mark;
		this.#bare = isBare ? this.#bare | mark : this.#bare & ~mark;
		if (field === FIELD.EXPIRY) this.#isPairLast = false;
		else if ((mark & PAIR) !== 0) this.#isPairLast = !isBare;
	}

	/** Returns how strong the evidence for a card is, apart from a number under a name that says card. */
	evidence(): number {
		if (this.isCard || (this.#seenSure & STRONG) !== 0) return EVIDENCE.STRONG;
		const hasDate = (this.seen & (1 << FIELD.EXPIRY)) !== 0 || (this.seen & PAIR) === PAIR;
		// There is a name for a number, but no number, so a word next to it may hold the card's number.
		const hasEmptyPlace = (this.#seenSure & (1 << FIELD.NUMBER)) !== 0;
		return hasDate || hasEmptyPlace || this.cvvs.wordCount > 0 ? EVIDENCE.WEAK : EVIDENCE.NONE;
	}

	/** Tells whether the card has a date with a value and with a name that says card. */
	hasSureDate(): boolean {
		return (this.#sure & DATES) !== 0;
	}

	/**
	 * Completes the card: its findings get the fields they share. If there are several CVVs, the last belongs to the last
	 * number and so on backwards, because readers of a file with duplicate names use the last one.
	 */
	settle(bytes: Buffer, found: Findings, reading: FieldReading): void {
		if (this.numberCount === 0) return;
		this.cvvs.choose(bytes, this.numberCount, this);
		const spans = this.#spans;
		const expiry = this.#readExpiry(bytes, reading);
		const isEscaped = (this.#escaped & TEXT_FIELDS) !== 0;
		for (let i = 0; i < this.numberCount; i++) {
			const finding = found.items[this.#numbers[i]];
			finding.expiry = expiry;
			finding.typeStart = spans[FIELD.TYPE * 2];
			finding.typeEnd = spans[FIELD.TYPE * 2 + 1];
			finding.nameStart = spans[FIELD.NAME * 2];
			finding.nameEnd = spans[FIELD.NAME * 2 + 1];
			if (isEscaped) finding.isEscaped = true;
			const cvv = i - (this.numberCount - this.cvvs.count);
			if (cvv >= 0) this.cvvs.give(bytes, finding, cvv);
			const [start, end] = this.#span(FIELD.EXPIRY);
			if ((this.#escaped & (1 << FIELD.EXPIRY)) === 0)
				takeCodeOfExpiry(bytes, start, end, finding, reading.expiryFormat);
		}
		// A reference names one token. It goes to the last number, because programs that read duplicate names use the
		// last one.
		const last = found.items[this.#numbers[this.numberCount - 1]];
		last.referenceStart = spans[FIELD.REFERENCE * 2];
		last.referenceEnd = spans[FIELD.REFERENCE * 2 + 1];
	}

	/**
	 * Gives the CVV and the expiry of this object to the only card inside it, if that card lacks them. An expiry without
	 * a CVV is given only if its name says card, or if the object has a key for a card number. Otherwise it may be the date
	 * of a booking.
	 * @returns whether the CVV was given to the card
	 */
	lend(bytes: Buffer, finding: Finding, reading: FieldReading): boolean {
		const hasCvv = this.cvvs.isOne() && finding.cvvStart === finding.cvvEnd;
		if (hasCvv) this.cvvs.give(bytes, finding, 0);
		// The card may be the only element of an array under this object's own key for a number: `"CardNumber": ["4111…"]`.
		const hasPlace = (this.#seenSure & (1 << FIELD.NUMBER)) !== 0;
		const isDated = (this.#bare & DATES) === 0 && (hasCvv || hasPlace || this.hasSureDate());
		if (isDated && finding.expiry === EXPIRY_ABSENT) finding.expiry = this.#readExpiry(bytes, reading);
		return hasCvv;
	}

	/** Returns the finding of one of the card's numbers, counted from 0 in the order of the file. */
	numberAt(index: number, found: Findings): Finding {
		return found.items[this.#numbers[index]];
	}

	/** Reads the last expiry. Half of a month-and-year pair is used only if there is no other date. */
	#readExpiry(bytes: Buffer, reading: FieldReading): Expiry {
		const hasPair = this.#has(FIELD.MONTH) && this.#has(FIELD.YEAR);
		const isWhole = this.#has(FIELD.EXPIRY) && !(this.#isPairLast && hasPair);
		const whole = isWhole ? this.#readWhole(bytes, reading) : EXPIRY_ABSENT;
		if (whole !== EXPIRY_ABSENT) return whole;
		if (!this.#has(FIELD.MONTH) && !this.#has(FIELD.YEAR)) return EXPIRY_ABSENT;
		// The year of a booking must not become half an expiry, so a bare year is used only in an object that is a card.
		if (!hasPair && !this.isCard && (this.#bare & PAIR) !== 0) return EXPIRY_ABSENT;
		const [monthStart, monthEnd] = this.#span(FIELD.MONTH);
		const [yearStart, yearEnd] = this.#span(FIELD.YEAR);
		if ((this.#escaped & PAIR) === 0) return readMonthAndYear(bytes, monthStart, monthEnd, yearStart, yearEnd);
		const month = reading.decode(bytes, monthStart, monthEnd);
		const pair = Buffer.concat([month, reading.decode(bytes, yearStart, yearEnd)]);
		return readMonthAndYear(pair, 0, month.length, month.length, pair.length);
	}

	#readWhole(bytes: Buffer, reading: FieldReading): Expiry {
		const [start, end] = this.#span(FIELD.EXPIRY);
		if ((this.#escaped & (1 << FIELD.EXPIRY)) === 0) return readExpiry(bytes, start, end, reading.expiryFormat);
		const text = reading.decode(bytes, start, end);
		return readExpiry(text, 0, text.length, reading.expiryFormat);
	}

	#has(field: Field): boolean {
		return this.#spans[field * 2] !== this.#spans[field * 2 + 1];
	}

	#span(field: Field): [number, number] {
		return [this.#spans[field * 2], this.#spans[field * 2 + 1]];
	}
}
