import type { Findings } from '../../../src/engine/format.ts';
import { BARE, CARD, CODE, FIELD_BITS, PART, SURE, TOKEN } from '../card-names.ts';
import { FIELD, type Field, type HeldCard } from '../held-card.ts';
import { type HeldCards, WEIGHT } from '../held-cards.ts';
import type { HeldValue } from '../held-value.ts';
import { isNumberPart } from '../inner-values.ts';
import { type JsonWrap, monthAndYearOf } from './open-wraps.ts';

/** A number has at most this many parts. */
const MOST_PARTS = 8;

/** Passes the values of card fields to the cards that are open. */
export class JsonValues {
	readonly #held: HeldCards;
	/** What the key of the current value means. */
	readonly #how = {
		...{ field: FIELD.NONE as Field, isSure: false, isBare: false, isWord: false, isCode: false },
		gate: WEIGHT.NONE as number,
	};

	constructor(held: HeldCards) {
		this.#held = held;
	}

	/** Handles a value under a key that means `code`, in the object of `card`. */
	note(card: HeldCard, code: number, value: HeldValue, bytes: Buffer, found: Findings): void {
		const how = this.#how;
		const field = (code & FIELD_BITS) as Field;
		const isNumber = field === FIELD.NUMBER;
		how.field = field;
		how.isSure = (code & SURE) !== 0;
		how.isBare = (code & BARE) !== 0;
		how.isCode = (code & CODE) !== 0;
		how.gate = isNumber && (code & CARD) !== 0 && !how.isSure ? WEIGHT.DIGITS : WEIGHT.NONE;
		how.isWord = !how.isSure && (!isNumber || (how.gate === WEIGHT.NONE && !card.isCard));
		if (isNumber && (code & TOKEN) !== 0 && this.#held.weigh(bytes, value) !== WEIGHT.NUMBER) return;
		// Under words such as `card1`, a short value may be a part of a number.
		if (isNumber && !how.isSure) this.part(card, bytes, value);
		if (field === FIELD.CVV && how.isWord && how.isBare && !card.isCard) this.#held.suspect(card, bytes, value);
		else this.#held.note(card, how, value, bytes, found);
	}

	/** Handles a value that may be a part of a number. */
	part({ parts }: HeldCard, bytes: Buffer, value: HeldValue): void {
		if (isNumberPart(bytes, value.start, value.end) && parts.length < MOST_PARTS) parts.add(value);
	}

	/** Handles an element of an array of numbers. Each is a card by itself, so the array may have any length. */
	element(code: number, value: HeldValue, bytes: Buffer, found: Findings): void {
		const held = this.#held;
		if ((code & SURE) === 0) {
			// Under a word for a card, any number that is long enough is accepted; under another word it must clearly be a
			// card number.
			const needed = (code & CARD) !== 0 ? WEIGHT.DIGITS : WEIGHT.NUMBER;
			if (held.weigh(bytes, value) < needed) return;
		}
		held.hasCardPlace = true;
		const card = held.open(value.start, value.line, found);
		held.addNumber(card, value, found);
		held.settle(held.items[--held.count], bytes, found);
	}

	/**
	 * Reads an object or array under the key of a field when it closes: its only value is that of the field, and two or
	 * three elements may be a date. Returns false if nothing was read.
	 */
	wrapped(wrap: JsonWrap, card: HeldCard | undefined, value: HeldValue, bytes: Buffer, found: Findings): boolean {
		const { spans, code } = wrap;
		if (wrap.isLost || spans.length === 0) return false;
		// A month or year without a word for expiry may be that of a booking, so its object is read only in a card object.
		if ((code & BARE) !== 0 && card?.isCard !== true) return false;
		value.take(wrap.last).callAs(wrap);
		if (wrap.isDates ? wrap.count > 1 : !wrap.isSoleValue(bytes)) {
			const date = wrap.isDates && wrap.field === FIELD.EXPIRY ? monthAndYearOf(spans, bytes) : undefined;
			if (date === undefined && card !== undefined && wrap.isDates) {
				card.listNameStart = wrap.nameStart;
				card.listNameEnd = wrap.nameEnd;
			}
			if (date === undefined || card === undefined) return false;
			for (const [index, field] of [FIELD.MONTH, FIELD.YEAR].entries()) {
				[value.start, value.end] = spans.slice(date[index] * 2);
				this.note(card, (code & ~FIELD_BITS) | field, value, bytes, found);
			}
			return true;
		}
		if (card !== undefined) this.note(card, PART | code, value, bytes, found);
		else if ((code & (FIELD_BITS | SURE)) === (FIELD.CVV | SURE)) this.#held.stray(bytes, wrap, found);
		return true;
	}
}
