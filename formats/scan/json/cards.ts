// Decides what the keys and values of a JSON text mean: which objects are cards, and where their fields are.

import type { JsonReader } from '../../../src/base/text/json.ts';
import type { Findings } from '../../../src/engine/format.ts';
import { BARE, CARD, COLUMNS, FIELD_BITS, PAIR, PART, SURE, TOKEN, UNREAD, VALUE } from '../card-names.ts';
import { FIELD, type Field, type FieldReading, type HeldCard } from '../held-card.ts';
import { HeldCards, MAX_LEAD_BYTES, outgrown } from '../held-cards.ts';
import { HeldValue } from '../held-value.ts';
import type { NameMemo } from '../name-memo.ts';
import { NameNotices } from '../name-notices.ts';
import { OpenNames } from '../open-names.ts';
import { keyText, PIECE, tellSplitNumber } from './number-parts.ts';
import { JsonWraps } from './open-wraps.ts';
import { JsonValues } from './values.ts';

/**
 * The parser holds a card object from its first card field until it closes, because the fields come in any order. If a
 * window ends before that, the next window begins at that field. Fields far ahead of any number are dropped, because an
 * object around the whole file may have a `reference` too. A held object that has a number or a CVV and exceeds its
 * limit is an error.
 */
export class JsonCards {
	readonly held: HeldCards;
	readonly #reader: JsonReader;
	/** For each depth, 1 if the array or object open there is the value of a key that says `card`. */
	readonly #cards: Uint8Array;
	/** For each depth, the field whose value is the array or object open at that depth, as in `"number": ["4111…"]`. */
	readonly #wraps: Uint16Array;
	readonly #names: NameMemo;
	readonly #values: JsonValues;
	/** The current value, and before it the name of the key. */
	readonly #value = new HeldValue();
	readonly #notices = new NameNotices('key', keyText);
	readonly keys: OpenNames;
	readonly #openWraps = new JsonWraps(this.#notices);
	/** The depth of the array that has just opened, as long as it has no element; otherwise 0. */
	#empty = 0;
	/** The meaning of the key whose value has not been read yet. */
	#code = 0;
	#fieldDepth = 0;
	/** The position of the pending key, whose value has not been read yet. */
	#keyAt = 0;
	#keyLine = 0;
	/** The position and depth of the name in the last pair: the `CVC` of `{"name": "CVC", "value": "123"}`. */
	readonly #pair = { nameStart: 0, nameEnd: 0, depth: 0 };

	constructor(reader: JsonReader, names: NameMemo, reading: FieldReading) {
		const depths = reader.maxDepth + 1;
		this.#reader = reader;
		this.#cards = new Uint8Array(depths);
		this.#wraps = new Uint16Array(depths);
		this.keys = new OpenNames(reader.maxDepth, keyText);
		this.#names = names;
		this.held = new HeldCards(reading, this.#notices);
		this.#values = new JsonValues(this.held);
	}

	/** Handles the key that was read; `code` is its meaning. Returns true if its object is held now. */
	key(bytes: Buffer, code: number, found: Findings): boolean {
		const { depth, start, stop } = this.#reader;
		const wrap = this.#wraps[depth];
		this.#fieldDepth = depth;
		this.keys.start = this.#value.nameStart = start;
		this.keys.end = this.#value.nameEnd = stop;
		if (code === 0 && wrap === 0) {
			this.#code = 0;
			return false;
		}
		this.#keyAt = start - 1;
		this.#keyLine = this.#reader.line;
		if (wrap !== 0) code = this.#inWrap(code === 0 ? datePart(bytes, start, stop, wrap) : code, wrap);
		const isCard = this.#cards[depth] === 1;
		if ((code & VALUE) !== 0 && (code & FIELD_BITS) === 0) {
			if (this.#pair.depth === depth) code = this.#inPair(bytes);
			// The member `value` of a card object is the card number: `"card": {"value": "4111…"}`.
			else if (isCard) code = FIELD.NUMBER | CARD;
		}
		this.#code = code;
		if ((code & UNREAD) !== 0) this.#notices.tell('unread', bytes, start, stop, found);
		const isPair = (code & PAIR) !== 0 && this.#isElement(depth);
		if ((code & (FIELD_BITS | CARD | PIECE)) === 0 && !isPair) return false;
		this.#hold(isCard, found);
		return true;
	}

	#inWrap(code: number, wrap: number): number {
		const inner = codeInWrap(code, wrap);
		if ((inner & PART) !== 0) {
			const { depth } = this.#reader;
			const open = this.#openWraps.at(depth);
			if (open !== undefined && !open.isLost) this.#value.callAs(open);
			const outer = open?.isElement && open.field !== FIELD.NUMBER ? open.cardDepth : depth - 1;
			if (this.held.at(outer) !== undefined) this.#fieldDepth = outer;
		}
		return inner;
	}

	#isElement(depth: number): boolean {
		return depth > 1 && !this.#reader.isObject(depth - 1);
	}

	/**
	 * Returns the meaning of `value` in a pair such as `{"name": "CVC", "value": "123"}`. All pairs of an array form one
	 * card, and the value is a field of it. The object of the pair has been held since its name was read.
	 */
	#inPair(bytes: Buffer): number {
		const { held } = this;
		const { depth } = this.#reader;
		const code = this.#names.find(bytes, this.#pair.nameStart, this.#pair.nameEnd);
		const card = this.held.at(depth);
		this.#pair.depth = 0;
		if ((code & FIELD_BITS) === 0 || card === undefined || held.items[held.count - 1] !== card) return 0;
		if (card.numberCount > 0 || card.cvvs.count > 0) return 0;
		this.#value.callAs(this.#pair);
		this.#fieldDepth = depth - 1;
		if (this.held.at(depth - 1) !== undefined) held.count--;
		else {
			card.begin(card.start, card.line);
			card.depth = depth - 1;
			card.isCard = this.#cards[depth - 1] === 1;
		}
		return code & ~PAIR;
	}

	/** Holds the current object as a card from now on, because the key read last is that of a card or a card field. */
	#hold(isCard: boolean, found: Findings): void {
		const { held } = this;
		const at = this.#keyAt;
		const field = (this.#code & FIELD_BITS) as Field;
		let card = this.held.at(this.#fieldDepth);
		const isFar = card !== undefined && at - card.start > MAX_LEAD_BYTES && held.items[held.count - 1] === card;
		if (isFar && card!.numberCount === 0 && card!.cvvs.count === 0) {
			held.count--;
			card = undefined;
			this.#fieldDepth = this.#reader.depth;
		}
		card ??= this.#open(isCard, found);
		if (field === FIELD.NONE) return;
		const isSure = (this.#code & SURE) !== 0;
		card.see(field, isSure);
		const isPlace = isSure || (card.isCard && (this.#code & CARD) === 0);
		if (field === FIELD.NUMBER && isPlace && (this.#code & TOKEN) === 0) held.hasCardPlace = true;
	}

	#open(isCard: boolean, found: Findings): HeldCard {
		const card = this.held.open(this.#keyAt, this.#keyLine, found);
		const { depth } = this.#reader;
		card.depth = card.depthAtStart = depth;
		card.isCardAtStart = this.#cards[depth];
		card.wrapAtStart = this.#wraps[depth];
		card.isCard = isCard;
		return card;
	}

	/** Skips the rest of a key or a string that is not needed for any card. */
	pass(isKey: boolean): void {
		this.#code = 0;
		if (isKey) this.keys.drop();
	}

	/** Ends the current window: keeps the names of the open keys, because the next window lacks their bytes. */
	endWindow(bytes: Buffer): void {
		this.keys.endWindow(bytes, this.#reader.depth);
		this.#openWraps.endWindow(this.#reader.depth);
	}

	open(): void {
		const code = this.#code;
		const isCard = (code & CARD) !== 0;
		const field = code & FIELD_BITS;
		const { depth } = this.#reader;
		const isObject = this.#reader.isObject(depth);
		this.keys.open(depth, this.#reader.isObject(depth - 1));
		const isWrapped = field !== FIELD.NONE && field <= FIELD.CVV;
		// The value of a card key can be a list of numbers: `"cards": ["4111…"]`.
		// The first row of an array of arrays may list the names of columns: `[["card", "cvv"], ["4111…", "123"]]`.
		const isFirstRow = !isObject && depth > 1 && this.#empty === depth - 1;
		this.#empty = isObject ? 0 : depth;
		const columns = isFirstRow ? COLUMNS : code & COLUMNS;
		const element = isCard && field === 0 ? FIELD.NUMBER | CARD : isWrapped ? code & ~PAIR : columns;
		this.#wraps[depth] = !isObject ? element : isWrapped && !isCard ? code : 0;
		if (isWrapped && !isCard && !this.keys.isGone) {
			this.#openWraps.open(depth, this.#fieldDepth, element, isObject, this.keys.start, this.keys.end);
		}
		// The object under a number's key belongs to a card: `"pan": {"number": …}`.
		const isNumber = isObject && field === FIELD.NUMBER && (code & SURE) !== 0;
		this.#cards[depth] = isCard || isNumber ? 1 : 0;
		const outer = isCard || (!isObject && field === FIELD.NUMBER) ? this.held.at(depth - 1) : undefined;
		if (outer !== undefined) outer.hasCardChild = true;
		this.#code = isObject ? 0 : element;
	}

	/** Goes on to the next element of an array. Elements of `"cards": [...]` have the meaning of the array's key. */
	next(): void {
		this.#code = this.#wraps[this.#reader.depth];
		this.#empty = 0;
	}

	close(bytes: Buffer, found: Findings): void {
		const { held } = this;
		const depth = this.#reader.depth + 1;
		const wrap = this.#openWraps.close(depth);
		const isRead =
			wrap === undefined || this.#values.wrapped(wrap, this.held.at(wrap.cardDepth), this.#value, bytes, found);
		const isSplit = !isRead && this.#openWraps.tellUnread(wrap, bytes, found);
		if (held.count > 0 && held.items[held.count - 1].depth === depth) {
			const card = held.items[--held.count];
			held.settle(card, bytes, found);
			if (!isSplit) tellSplitNumber(card, this.#notices, bytes, found);
		}
		this.#code = 0;
	}

	/** Handles a string, without the blanks around it, or a bare number. */
	value(bytes: Buffer, start: number, end: number, isBare: boolean, found: Findings): void {
		const code = this.#code;
		if (code === 0 && this.held.count === 0) return;
		const { depth, isEscaped, line } = this.#reader;
		const value = this.#value;
		const values = this.#values;
		value.start = start;
		value.end = end;
		value.isBare = isBare;
		value.isEscaped = !isBare && isEscaped;
		value.line = line;
		if (this.#openWraps.count > 0 && this.#openWraps.see(bytes, depth, code, value)) return;
		const isElement = !this.#reader.isObject(depth);
		if ((code & (PAIR | COLUMNS)) !== 0) {
			if (!isElement) this.#nameOf(start, end);
			else if (!isBare) this.#column(bytes, start, end, found);
		}
		if ((code & FIELD_BITS) === 0) {
			const card = isElement || this.held.count === 0 ? undefined : this.held.items[this.held.count - 1];
			if (card?.depth !== depth) return;
			if (code === PIECE) values.part(card, bytes, value);
			else this.held.suspect(card, bytes, value);
		} else if (isElement && (code & FIELD_BITS) === FIELD.NUMBER) values.element(code, value, bytes, found);
		else {
			const card = this.held.at(isElement ? depth - 1 : this.#fieldDepth);
			if (card !== undefined) values.note(card, code, value, bytes, found);
			else if ((code & (FIELD_BITS | SURE)) === (FIELD.CVV | SURE) && !this.keys.isGone) {
				this.held.stray(bytes, { nameStart: this.keys.start, nameEnd: this.keys.end }, found);
			}
		}
	}

	/** Tells of a column whose name says security code, because the rows of its table are not read as card fields. */
	#column(bytes: Buffer, start: number, end: number, found: Findings): void {
		const code = this.#names.find(bytes, start, end) & (FIELD_BITS | BARE);
		if (code === FIELD.CVV) this.#notices.tell('listed-cvv', bytes, start, end, found);
	}

	/** Keeps a value that is itself the name of the value next to it. */
	#nameOf(start: number, end: number): void {
		this.#pair.nameStart = start;
		this.#pair.nameEnd = end;
		const { depth } = this.#reader;
		this.#pair.depth = this.#isElement(depth) ? depth : 0;
	}

	/** Drops the outermost card, which exceeds its limit. @throws FileError if it has a number or a CVV */
	dropOutgrown(found: Findings): void {
		const outermost = this.held.items[0];
		const field = this.#code & FIELD_BITS;
		const isPending =
			outermost.depth === this.#fieldDepth && (this.#code & (FIELD_BITS | CARD)) !== 0 && !this.#reader.expectsKey;
		const isLongValue = isPending && (field === FIELD.NUMBER || field === FIELD.CVV);
		const hasCard = outermost.numberCount > 0 || outermost.cvvs.count > 0;
		if (hasCard || (isLongValue && (this.#code & SURE) !== 0 && outermost.start === this.#keyAt)) {
			throw outgrown(outermost, 'a card object, from its first card field on,');
		}
		const { isCard } = outermost;
		const isAtKey = outermost.start === this.#keyAt;
		this.held.remove(0);
		// The key whose value comes next belonged to the dropped card, so a new card is opened for it.
		if (isPending && !isAtKey) {
			this.#fieldDepth = this.#reader.depth;
			this.#open(isCard, found).see(field as Field, (this.#code & SURE) !== 0);
		} else if (isPending) this.#code &= CARD;
	}

	/** Goes back to the first field of the outermost open card, which is read again with the next window. */
	rollBack(found: Findings): void {
		const card = this.held.rollBack(found);
		const depth = card.depthAtStart;
		this.#reader.rewind(card.start, card.line, depth);
		// In the meantime another object may have opened at this depth, so the state of this one is restored.
		this.#cards[depth] = card.isCardAtStart;
		this.#wraps[depth] = card.wrapAtStart;
		this.#pair.depth = 0;
		this.#empty = 0;
		this.#code = 0;
	}
}

/**
 * Returns the meaning of a key in an object that is itself the value of a field; `wrap` is the meaning of that field's
 * key. Such a key is a part of the field, as in `{"expiry": {"month": 12}}` and `{"cvv": {"value": "123"}}`, or it
 * keeps its own meaning, `code`.
 */
function codeInWrap(code: number, wrap: number): number {
	const outer = wrap & FIELD_BITS;
	const own = code & FIELD_BITS;
	const isDate = own === FIELD.EXPIRY || own === FIELD.MONTH || own === FIELD.YEAR;
	const isPart = outer === FIELD.EXPIRY ? isDate : outer === FIELD.CVV && own === outer;
	const isValue = (code & VALUE) !== 0 || (outer === FIELD.NUMBER && (code & TOKEN) !== 0);
	if (!isPart && !isValue) return code;
	const marks = outer === FIELD.MONTH || outer === FIELD.YEAR ? SURE | CARD | BARE : SURE | CARD;
	return PART | (isPart ? own : outer) | (wrap & marks) | (code & TOKEN);
}

/**
 * Returns the meaning of a key such as `m` or `yyyy`, which says month or year only in the object of an expiry; `wrap`
 * is the meaning of that object's key.
 */
function datePart(bytes: Uint8Array, start: number, end: number, wrap: number): number {
	if ((wrap & FIELD_BITS) !== FIELD.EXPIRY || end - start > 4) return 0;
	const letter = bytes[start] | 0x20;
	for (let i = start + 1; i < end; i++) if ((bytes[i] | 0x20) !== letter) return 0;
	return letter === 0x6d ? FIELD.MONTH : letter === 0x79 ? FIELD.YEAR : 0;
}
