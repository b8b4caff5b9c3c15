// What markup and JSON scanners remember of a card whose element or object is still open: its fields may stand in any
// order, so nothing of it is settled before it closes.

import { EXPIRY_ABSENT, type Expiry, type ExpiryFormat, readExpiry, readMonthAndYear } from '../../src/card/expiry.ts';
import { FileError, type Finding, type Findings } from '../../src/transfer/format.ts';

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
} as const;
export type Field = (typeof FIELD)[keyof typeof FIELD];

/** What a format brings along to read a card's fields. */
export interface FieldReading {
	readonly expiryFormat?: ExpiryFormat;
	decode(bytes: Buffer, start: number, end: number): Buffer;
}

const FIELD_COUNT = 9;
/** Room for every digit as a reference, and for a remark in between. */
const MAX_SPELLING_BYTES = 1024;

/** One open card. Pooled by its scanner; `begin` makes it fresh. Offsets point into the current window. */
export class HeldCard {
	/** Where the window has to begin again when it ends before the card does, and the state at that place. */
	start = 0;
	line = 0;
	recordsBefore = 0;
	foundBefore = 0;
	/** How many objects or elements are open at `start`. */
	depthAtStart = 0;
	/** Depth of the object or element the fields belong to. */
	depth = 0;
	/** Ordinal in the file; 0 until it is known. */
	record = 0;
	/** Which selector this card answers to; markup only. */
	selector = 0;
	/** Bit set of the fields that stood here, empty ones too. */
	seen = 0;
	numberCount = 0;
	cvvCount = 0;
	readonly #spans = new Int32Array(FIELD_COUNT * 2);
	/** Bit set of the fields whose span holds escapes. */
	#escaped = 0;
	#isPairLast = false;
	readonly #numbers: number[] = [];
	/** Start, end and bareness of each CVV. */
	readonly #cvvs: number[] = [];

	begin(start: number, line: number, recordsBefore: number, foundBefore: number): this {
		this.start = start;
		this.line = line;
		this.recordsBefore = recordsBefore;
		this.foundBefore = foundBefore;
		this.record = 0;
		this.seen = 0;
		this.numberCount = 0;
		this.cvvCount = 0;
		this.#spans.fill(0);
		this.#escaped = 0;
		this.#isPairLast = false;
		return this;
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

	addCvv(start: number, end: number, isBare: boolean, isEscaped: boolean): void {
		this.#cvvs[this.cvvCount * 3] = start;
		this.#cvvs[this.cvvCount * 3 + 1] = end;
		this.#cvvs[this.cvvCount * 3 + 2] = isBare ? 1 : 0;
		this.cvvCount++;
		if (isEscaped) this.#escaped |= 1 << FIELD.CVV;
	}

	/** Any field but number and CVV. The last one of its kind counts. */
	addField(field: Field, start: number, end: number, isEscaped: boolean): void {
		this.#spans[field * 2] = start;
		this.#spans[field * 2 + 1] = end;
		this.#escaped = isEscaped ? this.#escaped | (1 << field) : this.#escaped & ~(1 << field);
		if (field === FIELD.EXPIRY) this.#isPairLast = false;
		else if (field === FIELD.MONTH || field === FIELD.YEAR) this.#isPairLast = true;
	}

	/**
	 * The card is complete: gives its findings what they share. With several CVVs the last belongs to the last
	 * number and so on backwards, because the last of a duplicate is the one readers of such a file go by.
	 */
	settle(bytes: Buffer, found: Findings, reading: FieldReading): void {
		if (this.numberCount === 0) return;
		if (this.cvvCount > this.numberCount) throw this.#tooManyCvvs();
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
			const cvv = i - (this.numberCount - this.cvvCount);
			if (cvv >= 0) this.#giveCvv(finding, cvv);
		}
		// A unique reference names one token, so it goes to the number that counts.
		const last = found.items[this.#numbers[this.numberCount - 1]];
		last.referenceStart = spans[FIELD.REFERENCE * 2];
		last.referenceEnd = spans[FIELD.REFERENCE * 2 + 1];
	}

	#giveCvv(finding: Finding, index: number): void {
		finding.cvvStart = this.#cvvs[index * 3];
		finding.cvvEnd = this.#cvvs[index * 3 + 1];
		finding.isCvvBare = this.#cvvs[index * 3 + 2] === 1;
	}

	/** One finding carries one CVV; a second one would be left in clear beside its token. */
	#tooManyCvvs(): FileError {
		const offset = this.#cvvs[this.cvvCount * 3 - 3];
		return new FileError('a card has more CVVs than numbers', {
			offset,
			line: this.line,
			record: this.record,
		});
	}

	/** The last expiry counts; half a month-and-year pair only where there is no other. */
	#readExpiry(bytes: Buffer, reading: FieldReading): Expiry {
		const whole = this.#has(FIELD.EXPIRY);
		const hasPair = this.#has(FIELD.MONTH) && this.#has(FIELD.YEAR);
		if (whole && !(this.#isPairLast && hasPair)) return this.#readWhole(bytes, reading);
		if (!this.#has(FIELD.MONTH) && !this.#has(FIELD.YEAR)) return EXPIRY_ABSENT;
		const [monthStart, monthEnd] = this.#span(FIELD.MONTH);
		const [yearStart, yearEnd] = this.#span(FIELD.YEAR);
		if ((this.#escaped & ((1 << FIELD.MONTH) | (1 << FIELD.YEAR))) === 0) {
			return readMonthAndYear(bytes, monthStart, monthEnd, yearStart, yearEnd);
		}
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

const TEXT_FIELDS = (1 << FIELD.CVV) | (1 << FIELD.TYPE) | (1 << FIELD.NAME) | (1 << FIELD.REFERENCE);
