import { isPlaceholder } from '../../../src/base/card/names/placeholders.ts';
import type { Findings } from '../../../src/engine/format.ts';
import { BARE, CARD, CODE, FIELD_BITS, isDate, SURE, TOKEN } from '../card-names.ts';
import { FIELD, type Field, type HeldCard } from '../held-card.ts';
import { type HeldCards, WEIGHT } from '../held-cards.ts';
import { isWrittenAsCvv } from '../held-cvvs.ts';
import { isNumberPart } from '../split-number.ts';
import { keepPart } from './number-parts.ts';
import { type JsonWrap, monthAndYearOf } from './open-wraps.ts';
import { PART } from './wrap.ts';

/** Passes the values of card fields to the cards that are open. Its members describe the current value. */
export class JsonValues {
	/** The position of the name by which a notice calls the value. */
	nameStart = 0;
	nameEnd = 0;
	isBare = false;
	isEscaped = false;
	line = 0;
	readonly #held: HeldCards;

	constructor(held: HeldCards) {
		this.#held = held;
	}

	/** Makes notices call the value by another name than that of its own key. */
	callAs({ nameStart, nameEnd }: { nameStart: number; nameEnd: number }): void {
		this.nameStart = nameStart;
		this.nameEnd = nameEnd;
	}

	/** Handles a value under a key that means `code`, in the object of `card`. */
	note(card: HeldCard, code: number, bytes: Buffer, start: number, end: number, found: Findings): void {
		const field = (code & FIELD_BITS) as Field;
		const isSure = (code & SURE) !== 0;
		if (field === FIELD.NUMBER) this.#number(card, code, bytes, start, end, found);
		else if (field === FIELD.CVV) {
			if (isSure) this.#cvv(card, start, end, true);
			else if ((code & BARE) === 0 || card.isCard) this.#cvvWord(card, bytes, start, end);
			else this.suspect(card, bytes, start, end);
		} else if ((code & CODE) !== 0 && isWrittenAsCvv(bytes, start, end)) this.#cvv(card, start, end, false);
		else {
			if (isDate(field) && !this.isEscaped && isPlaceholder(bytes, start, end)) return;
			if (isSure && isDate(field)) {
				card.dateNameStart = this.nameStart;
				card.dateNameEnd = this.nameEnd;
			}
			card.addField(field, start, end, this.isEscaped, isSure, !card.isCard && (code & BARE) !== 0);
		}
	}

	#number(card: HeldCard, code: number, bytes: Buffer, start: number, end: number, found: Findings): void {
		const { isBare, isEscaped, line } = this;
		const held = this.#held;
		const isSure = (code & SURE) !== 0;
		if ((code & TOKEN) !== 0 && held.weigh(bytes, start, end, isEscaped) !== WEIGHT.NUMBER) return;
		const isGated = (code & CARD) !== 0 && !isSure;
		// Under words such as `card1`, a short value may be a part of a number.
		if (!isSure) this.part(card, bytes, start, end);
		if (isGated && !held.holdsNumber(card, bytes, start, end, isEscaped, WEIGHT.DIGITS)) return;
		if (isSure || isGated || card.isCard) held.addNumber(card, start, end, line, isBare, isEscaped, found);
		else held.addCandidate(bytes, card, start, end, line, isBare, isEscaped);
	}

	/** Handles a value that may be a part of a number. */
	part(card: HeldCard, bytes: Buffer, start: number, end: number): void {
		if (isNumberPart(bytes, start, end)) keepPart(card, this.nameStart, this.nameEnd, start, end);
	}

	#cvv(card: HeldCard, start: number, end: number, isSure: boolean): void {
		card.cvvs.add(start, end, this.isBare, this.isEscaped, isSure, this.nameStart, this.nameEnd);
	}

	/**
	 * Handles the value of a word such as `code`. It is a CVV if it is written like one; otherwise it may be the code of
	 * the card's type.
	 */
	#cvvWord(card: HeldCard, bytes: Buffer, start: number, end: number): void {
		if (isWrittenAsCvv(bytes, start, end)) this.#cvv(card, start, end, false);
		else if (card.isCard) card.addField(FIELD.TYPE, start, end, this.isEscaped, false, false);
	}

	/** Handles an element of an array of numbers. Each is a card by itself, so the array may have any length. */
	element(code: number, bytes: Buffer, start: number, end: number, found: Findings): void {
		const { isBare, isEscaped, line } = this;
		const held = this.#held;
		if ((code & SURE) === 0) {
			// Under a word for a card, any number that is long enough is accepted; under another word it must clearly be a
			// card number.
			const needed = (code & CARD) !== 0 ? WEIGHT.DIGITS : WEIGHT.NUMBER;
			if (held.weigh(bytes, start, end, isEscaped) < needed) return;
		}
		held.hasCardPlace = true;
		const card = held.open(start, line, found);
		held.addNumber(card, start, end, line, isBare, isEscaped, found);
		held.settle(held.items[--held.count], bytes, found);
	}

	/**
	 * Reads an object or array under the key of a field when it closes: its only value is that of the field, and two or
	 * three elements may be a date. Returns false if nothing was read.
	 */
	wrapped(wrap: JsonWrap, card: HeldCard | undefined, bytes: Buffer, found: Findings): boolean {
		const { spans, code } = wrap;
		if (wrap.isLost || spans.length === 0) return false;
		// A month or year without a word for expiry may be that of a booking, so its object is read only in a card object.
		if ((code & BARE) !== 0 && card?.isCard !== true) return false;
		this.callAs(wrap);
		this.isBare = wrap.isBare;
		this.isEscaped = wrap.isEscaped;
		this.line = wrap.line;
		const [start, end] = spans;
		if (wrap.isDates ? wrap.count > 1 : !wrap.isSoleValue(bytes)) {
			const date = wrap.isDates && wrap.field === FIELD.EXPIRY ? monthAndYearOf(spans, bytes) : undefined;
			if (date === undefined && card !== undefined && wrap.isDates) {
				card.listNameStart = wrap.nameStart;
				card.listNameEnd = wrap.nameEnd;
			}
			if (date === undefined || card === undefined) return false;
			for (const [index, field] of [FIELD.MONTH, FIELD.YEAR].entries()) {
				const at = date[index] * 2;
				this.note(card, (code & ~FIELD_BITS) | field, bytes, spans[at], spans[at + 1], found);
			}
			return true;
		}
		if (card !== undefined) this.note(card, PART | code, bytes, start, end, found);
		else if ((code & (FIELD_BITS | SURE)) === (FIELD.CVV | SURE)) {
			this.#held.stray(bytes, wrap.nameStart, wrap.nameEnd, found);
		}
		return true;
	}

	/** Notes three or four digits under an unknown key, because they may be a CVV. */
	suspect(card: HeldCard, bytes: Buffer, start: number, end: number): void {
		if (this.isBare || bytes[start] === 0x2a || !isWrittenAsCvv(bytes, start, end)) return;
		card.cvvs.suspect(this.nameStart, this.nameEnd, end - start);
	}
}
