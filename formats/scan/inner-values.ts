import { areDigits } from '../../src/base/card/ascii.ts';
import { cardBrandOf, LONGEST_CARD } from '../../src/base/card/card-digits.ts';
import type { Findings } from '../../src/engine/format.ts';
import { isWrittenAsCvv, LEAST_INSIDE } from './held-cvvs.ts';
import { HeldValue, type Named } from './held-value.ts';
import type { NameNotices } from './name-notices.ts';

/** The positions of at most this many values are kept. */
const MAX_VALUES = 8;

/**
 * Holds the values inside an open element, object or array that is itself the value of a card field:
 * `<CVV><Digits>123</Digits></CVV>`, `{"cvv": {"S": "123"}}`.
 */
export class InnerValues {
	/** True if a value inside was already read as that of the field, as in `<CVV><PlainText>123</PlainText></CVV>`. */
	isRead = false;
	/** The number of values, without those further inside. */
	count = 0;
	/** The start and end of each of these values. */
	readonly spans: number[] = [];
	/** True if a value inside, at any depth, is written like a CVV. */
	hasCode = false;
	readonly last = new HeldValue();
	/** True if the name of the last value has no meaning. */
	isUnknown = false;

	clear(): void {
		this.isRead = this.hasCode = false;
		this.count = 0;
		if (this.spans.length > 0) this.spans.length = 0;
	}

	add(bytes: Uint8Array, value: HeldValue, isUnknown: boolean): void {
		this.addDeeper(bytes, value);
		this.count++;
		if (this.count <= MAX_VALUES) this.spans.push(value.start, value.end);
		this.last.take(value);
		this.isUnknown = isUnknown;
	}

	/** Notes a value further inside, which only tells that something was not read. */
	addDeeper(bytes: Uint8Array, { start, end }: HeldValue): void {
		this.hasCode ||= bytes[start] !== 0x2a && isWrittenAsCvv(bytes, start, end);
	}

	/**
	 * Tells whether there is only one value, whose name has no meaning, so that it may be the value of the field. A CVV
	 * must be written like one.
	 */
	isSole(bytes: Uint8Array, isCvv: boolean): boolean {
		const { start, end, isEscaped } = this.last;
		if (this.isRead || this.count !== 1 || !this.isUnknown) return false;
		return !isCvv || (!isEscaped && isWrittenAsCvv(bytes, start, end, LEAST_INSIDE));
	}

	/**
	 * Tells what was not read: a CVV, or a card number whose digits are split over the values. Returns whether it is such a
	 * number. `name` has the position of the field's name.
	 */
	tellUnread(
		isCvv: boolean,
		bytes: Buffer,
		{ nameStart, nameEnd }: Named,
		notices: NameNotices,
		found: Findings,
	): boolean {
		const isSplit = !isCvv && isSplitNumber(bytes, this.spans);
		if (isSplit) notices.tell('split-number', bytes, nameStart, nameEnd, found);
		else if (isCvv && this.hasCode) notices.tell('unread-cvv', bytes, nameStart, nameEnd, found);
		return isSplit;
	}
}

/** A part of a number has at least and at most this many digits; shorter values are counters. */
const MIN_PART_DIGITS = 3;
const MAX_PART_DIGITS = 12;

/** Tells whether a value has only digits, and as many as a part of a card number may have. */
export function isNumberPart(bytes: Uint8Array, start: number, end: number): boolean {
	if (end - start < MIN_PART_DIGITS || end - start > MAX_PART_DIGITS) return false;
	return areDigits(bytes, start, end);
}

/**
 * Tells whether two or more values are the parts of one card number: their digits, joined in order, have the first
 * digits and the length of a brand and a correct check digit: `{"first6": "411111", "middle6": …, "last4": …}`.
 * @param spans holds the start and end of each value, one behind the other
 */
export function isSplitNumber(bytes: Uint8Array, spans: readonly number[]): boolean {
	const digits = Buffer.alloc(LONGEST_CARD);
	let count = 0;
	for (let i = 0; i < spans.length; i += 2) {
		const [start, end] = [spans[i], spans[i + 1]];
		if (!isNumberPart(bytes, start, end) || count + end - start > LONGEST_CARD) return false;
		for (let at = start; at < end; at++) digits[count++] = bytes[at];
	}
	const isNumber = spans.length > 2 && cardBrandOf(digits, 0, count) !== 0;
	digits.fill(0);
	return isNumber;
}
