// Handles the values inside an object or array that is itself the value of a card field: `{"cvv": {"S": "123"}}`.

import { isDigit, numberAt } from '../../../src/base/card/ascii.ts';
import type { Findings } from '../../../src/engine/format.ts';
import { FIELD_BITS, PART, SURE } from '../card-names.ts';
import { FIELD } from '../held-card.ts';
import type { HeldValue } from '../held-value.ts';
import { InnerValues } from '../inner-values.ts';
import type { NameNotices } from '../name-notices.ts';

/** Describes one open object or array under the key of a number, an expiry, a month, a year or a CVV. */
export class JsonWrap extends InnerValues {
	depth = 0;
	/** The depth of the object to whose card the field belongs. */
	cardDepth = 0;
	code = 0;
	isObject = false;
	/** True if the object is an element of an array, as in `"CVV": [{"_": "123"}]`. */
	isElement = false;
	nameStart = 0;
	nameEnd = 0;
	/** True if part of it is in an earlier window, so that its positions no longer hold. */
	isLost = false;

	get field(): number {
		return this.code & FIELD_BITS;
	}

	/** Tells whether this is an array of a date's parts or of one date, whose elements are read when it closes. */
	get isDates(): boolean {
		return !this.isObject && this.field !== FIELD.NUMBER && this.field !== FIELD.CVV;
	}

	/**
	 * Tells whether the only value of an object is the value of its field although its key is unknown. An expiry must have
	 * a digit. A number does not count: the search outside the card fields finds it.
	 */
	isSoleValue(bytes: Buffer): boolean {
		const { start, end, isEscaped } = this.last;
		if (this.field === FIELD.NUMBER || !this.isSole(bytes, this.field === FIELD.CVV)) return false;
		return this.field === FIELD.CVV || (!isEscaped && bytes.subarray(start, end).some(isDigit));
	}
}

/** Holds the open wraps, outermost first. */
export class JsonWraps {
	count = 0;
	readonly #items: JsonWrap[] = [];
	readonly #notices: NameNotices;

	constructor(notices: NameNotices) {
		this.#notices = notices;
	}

	/** Returns the innermost wrap if it is the array or object at `depth`. */
	at(depth: number): JsonWrap | undefined {
		const top = this.count > 0 ? this.#items[this.count - 1] : undefined;
		return top?.depth === depth ? top : undefined;
	}

	open(depth: number, cardDepth: number, code: number, isObject: boolean, nameStart: number, nameEnd: number): void {
		const outer = this.at(depth - 1);
		if (this.count === this.#items.length) this.#items.push(new JsonWrap());
		const wrap = this.#items[this.count++];
		wrap.isElement = outer?.isObject === false;
		wrap.depth = depth;
		wrap.cardDepth = wrap.isElement ? outer!.cardDepth : cardDepth;
		wrap.code = code;
		wrap.isObject = isObject;
		// Inside an array, the key that was read last may be a member of the element before this one.
		wrap.nameStart = wrap.isElement ? outer!.nameStart : nameStart;
		wrap.nameEnd = wrap.isElement ? outer!.nameEnd : nameEnd;
		wrap.isLost = false;
		wrap.clear();
	}

	/**
	 * Notes a value inside the innermost wrap. Returns true if nothing else is to be done with it: the elements of an
	 * array under a date's key are read together when the array closes.
	 */
	see(bytes: Buffer, depth: number, code: number, value: HeldValue): boolean {
		const wrap = this.#items[this.count - 1];
		if (wrap.depth !== depth) {
			wrap.addDeeper(bytes, value);
			return false;
		}
		const isNumberWord = wrap.field === FIELD.CVV && (code & (FIELD_BITS | SURE)) === FIELD.NUMBER;
		wrap.add(bytes, value, (code & FIELD_BITS) === 0 || isNumberWord);
		if (wrap.isObject ? (code & PART) !== 0 : !wrap.isDates) {
			wrap.isRead = true;
			return false;
		}
		return !wrap.isObject;
	}

	/** Closes the wrap that is the array or object at `depth` and returns it; undefined if there is none. */
	close(depth: number): JsonWrap | undefined {
		const wrap = this.at(depth);
		if (wrap !== undefined) this.count--;
		return wrap;
	}

	/**
	 * Tells what was not read in a wrap: a CVV, or a card number whose digits are split over its members or elements.
	 * Returns whether it is such a number.
	 */
	tellUnread(wrap: JsonWrap, bytes: Buffer, found: Findings): boolean {
		if (wrap.isLost || (wrap.isObject && wrap.isRead)) return false;
		const isCvv = wrap.isObject && (wrap.code & (FIELD_BITS | SURE)) === (FIELD.CVV | SURE);
		if (!isCvv && wrap.field !== FIELD.NUMBER) return false;
		return wrap.tellUnread(isCvv, bytes, wrap, this.#notices, found);
	}

	/** Ends a window: wraps deeper than `depth` are read again, and the positions in the others no longer hold. */
	endWindow(depth: number): void {
		while (this.count > 0 && this.#items[this.count - 1].depth > depth) this.count--;
		for (let i = 0; i < this.count; i++) this.#items[i].isLost = true;
	}
}

/**
 * Returns which of two or three elements are the month and the year, as in `[2029, 12]`, `[2029, 12, 31]` and
 * `["12", "2029"]`; undefined if they are no date.
 */
export function monthAndYearOf(spans: readonly number[], bytes: Uint8Array): [month: number, year: number] | undefined {
	const read = (at: number) => (spans[at + 1] - spans[at] > 4 ? -1 : numberAt(bytes, spans[at], spans[at + 1]));
	const [first, second] = [read(0), read(2)];
	const isYear = (value: number) => value >= 1900 && value <= 2999;
	const isMonth = (value: number) => value >= 1 && value <= 12;
	if (isYear(first) && isMonth(second) && spans.length <= 6) return [1, 0];
	if (spans.length !== 4) return undefined;
	if (isMonth(first) && (isYear(second) || (second >= 0 && second < 100))) return [0, 1];
	return first > 12 && first < 100 && isMonth(second) ? [1, 0] : undefined;
}
