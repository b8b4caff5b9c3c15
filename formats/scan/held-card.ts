// What markup and JSON scanners remember of a card whose element or object is still open: its fields may stand in any
// order, so nothing of it is settled before it closes.

import { EXPIRY_ABSENT, type Expiry, type ExpiryFormat, readExpiry, readMonthAndYear } from '../../src/card/expiry.ts';
import { FileError, type Finding, type Findings } from '../../src/transfer/format.ts';
import { HeldCvvs } from './held-cvvs.ts';

/** The fields of a card; `NONE` is every other key or element. */
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
	/** Of a name that nobody knows, in a card: its value is looked at all the same. */
	UNKNOWN: 9,
} as const;
export type Field = (typeof FIELD)[keyof typeof FIELD];

/** What a format brings along to read a card's fields. */
export interface FieldReading {
	readonly expiryFormat?: ExpiryFormat;
	decode(bytes: Buffer, start: number, end: number): Buffer;
}

const FIELD_COUNT = 10;
/** Room for every digit as a reference, and for a remark in between. */
const MAX_SPELLING_BYTES = 1024;

const bit = (...fields: Field[]) => fields.reduce<number>((bits, field) => bits | (1 << field), 0);
const TEXT_FIELDS = bit(FIELD.TYPE, FIELD.NAME, FIELD.REFERENCE);
const DATES = bit(FIELD.EXPIRY, FIELD.MONTH, FIELD.YEAR);
/** Where one of them stands by a sure name, a number beside it is a card's. */
const STRONG = DATES | bit(FIELD.CVV, FIELD.TYPE, FIELD.NAME);
/** Stands in `seen` for a number under a name that does not say card. */
export const WORD = 1 << FIELD.NONE;
const PAIR = bit(FIELD.MONTH, FIELD.YEAR);

/** How well a card is known that has numbers under names which do not say card. */
export const EVIDENCE = { NONE: 0, WEAK: 1, STRONG: 2 } as const;

/** One open card. Pooled by its scanner; `begin` makes it fresh. Offsets point into the current window. */
export class HeldCard {
	/** Where the window has to begin again when it ends before the card does, and the state at that place. */
	start = 0;
	line = 0;
	recordsBefore = 0;
	straysBefore = 0;
	foundBefore = 0;
	/** How many objects or elements are open at `start`; JSON: and what is known of the innermost. */
	depthAtStart = 0;
	kindAtStart = 0;
	wrapAtStart = 0;
	/** Depth of the object or element the fields belong to. */
	depth = 0;
	/** Ordinal in the file; 0 until it is known. */
	record = 0;
	/** Which selector this card answers to; markup only. */
	selector = 0;
	/** The object or element says card by its name: words such as `type` and `number` are its fields. */
	isCard = false;
	/** A card of its own stands in it; JSON only. */
	hasCardChild = false;
	/** Name of the last date that says card by it. */
	dateNameStart = 0;
	dateNameEnd = 0;
	/** A word for a card holds a masked number here: no other word stands for it. */
	isFilled = false;
	/** Any other word holds one: a place for a number, if the rest of the object says so. */
	hasMaskedWord = false;
	/** Bit set of the fields that stood here, empty ones too. */
	seen = 0;
	numberCount = 0;
	readonly cvvs = new HeldCvvs();
	/** What may be numbers, under names that do not say card: start, end, line and marks of each. */
	readonly candidates: number[] = [];
	readonly #spans = new Int32Array(FIELD_COUNT * 2);
	/** Bit sets of fields: those with a value under a name that says card, and under a bare month or year. */
	#sure = 0;
	#bare = 0;
	#seenSure = 0;
	/** Bit set of the fields whose span holds escapes. */
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
		this.seen = 0;
		this.numberCount = 0;
		this.cvvs.clear();
		if (this.candidates.length > 0) this.candidates.length = 0;
		this.#spans.fill(0);
		this.#sure = 0;
		this.#bare = 0;
		this.#seenSure = 0;
		this.#escaped = 0;
		this.#isPairLast = false;
		return this;
	}

	/** A field stands here, whatever its value. */
	see(field: Field, isSure: boolean): void {
		this.seen |= field === FIELD.NUMBER && !isSure ? WORD : 1 << field;
		if (isSure) this.#seenSure |= 1 << field;
	}

	/** A number of this card. The other fields follow in `settle`. */
	addNumber(start: number, end: number, line: number, isEscaped: boolean, found: Findings): Finding {
		// The spelling is sealed with the card, comments and all: it may not make a page of its own.
		if (isEscaped && end - start > MAX_SPELLING_BYTES) {
			const message = `a card number is spelled with more than ${MAX_SPELLING_BYTES} bytes`;
			throw new FileError(message, { offset: start, line, record: this.record });
		}
		this.#numbers[this.numberCount++] = found.length;
		const finding = found.next();
		finding.record = this.record;
		finding.line = line;
		finding.numberStart = start;
		finding.numberEnd = end;
		finding.isEscaped = isEscaped;
		return finding;
	}

	/** A finding was put in at `index`, before others of an open card: their places move on. */
	shift(index: number): void {
		for (let i = 0; i < this.numberCount; i++) if (this.#numbers[i] >= index) this.#numbers[i]++;
		if (this.foundBefore > index) this.foundBefore++;
	}

	/** The number added last was put in at `index`. */
	moveLast(index: number): void {
		this.#numbers[this.numberCount - 1] = index;
	}

	/** Any field but number and CVV. The last one of its kind counts, but none in place of one whose name says card. */
	addField(field: Field, start: number, end: number, isEscaped: boolean, isSure = true, isBare = false): void {
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

	/** What speaks for a card here, before any number under a name that says so. */
	evidence(): number {
		if (this.isCard || (this.#seenSure & STRONG) !== 0) return EVIDENCE.STRONG;
		const hasDate = (this.seen & (1 << FIELD.EXPIRY)) !== 0 || (this.seen & PAIR) === PAIR;
		// A number's name without a number: what the word beside it holds may be the card's all the same.
		const hasEmptyPlace = (this.#seenSure & (1 << FIELD.NUMBER)) !== 0;
		return hasDate || hasEmptyPlace || this.cvvs.wordCount > 0 ? EVIDENCE.WEAK : EVIDENCE.NONE;
	}

	/** Whether a date stands here that says card by its name and has a value. */
	hasSureDate(): boolean {
		return (this.#sure & DATES) !== 0;
	}

	/**
	 * The card is complete: gives its findings what they share. With several CVVs the last belongs to the last
	 * number and so on backwards, because the last of a duplicate is the one readers of such a file go by.
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
			if (cvv >= 0) this.cvvs.give(finding, cvv);
		}
		// A unique reference names one token, so it goes to the number that counts.
		const last = found.items[this.#numbers[this.numberCount - 1]];
		last.referenceStart = spans[FIELD.REFERENCE * 2];
		last.referenceEnd = spans[FIELD.REFERENCE * 2 + 1];
	}

	/**
	 * The fields of this object go to the only card in it, where that has none of its own: a security code, and what
	 * stands beside one. A date alone may be that of a booking, unless its name says card.
	 *
	 * @returns whether the CVV found its card.
	 */
	lend(bytes: Buffer, finding: Finding, reading: FieldReading): boolean {
		const hasCvv = this.cvvs.isOne() && finding.cvvStart === finding.cvvEnd;
		if (hasCvv) this.cvvs.give(finding, 0);
		const isDated = (this.#bare & DATES) === 0 && (hasCvv || this.hasSureDate());
		if (isDated && finding.expiry === EXPIRY_ABSENT) finding.expiry = this.#readExpiry(bytes, reading);
		return hasCvv;
	}

	/** One of the numbers, in their order. */
	numberAt(index: number, found: Findings): Finding {
		return found.items[this.#numbers[index]];
	}

	/** The last expiry counts; half a month-and-year pair only where there is no other. */
	#readExpiry(bytes: Buffer, reading: FieldReading): Expiry {
		const whole = this.#has(FIELD.EXPIRY);
		const hasPair = this.#has(FIELD.MONTH) && this.#has(FIELD.YEAR);
		if (whole && !(this.#isPairLast && hasPair)) return this.#readWhole(bytes, reading);
		if (!this.#has(FIELD.MONTH) && !this.#has(FIELD.YEAR)) return EXPIRY_ABSENT;
		// The year of a booking is half an expiry only where everything is the card's.
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
