// What the keys and values of a JSON text mean: which objects are cards, and where their fields stand.

import type { Findings } from '../../src/transfer/format.ts';
import { BARE, CARD, FIELD_BITS, SURE, TOKEN, UNREAD, VALUE } from './card-names.ts';
import { FIELD, type Field, type FieldReading, type HeldCard } from './held-card.ts';
import { HeldCards, MAX_LEAD_BYTES, outgrown, WEIGHT } from './held-cards.ts';
import { isWrittenAsCvv } from './held-cvvs.ts';
import type { JsonPlace } from './json-field.ts';
import { keyText } from './json-names.ts';
import { JsonOpenKeys } from './json-open-keys.ts';
import { codeInWrap, PART } from './json-wrap.ts';
import { NameNotices } from './name-notices.ts';

/** Deeper nesting is refused. */
export const MAX_JSON_DEPTH = 512;

// Bits of an open array or object.
export const OBJECT = 1;
/** It stands under a key that says `card`. */
const IS_CARD = 2;

/**
 * A card object is held from its first card field until it closes, since its fields come in any order. When a window
 * ends before that, scanning starts over at that field. Fields far ahead of any number are let go of, so that an object
 * around the whole file may have a `reference`; a hold with a number or a CVV that outgrows its limit is an error.
 */
export class JsonCards {
	depth = 0;
	readonly kinds = new Uint8Array(MAX_JSON_DEPTH + 1);
	readonly held: HeldCards;
	/** By depth: what the key means whose value the array or object is, where its inside belongs to that field. */
	readonly #wraps = new Uint16Array(MAX_JSON_DEPTH + 1);
	readonly #notices = new NameNotices('key', keyText);
	readonly #keys = new JsonOpenKeys(MAX_JSON_DEPTH);
	/** What the pending key means, and the depth of the object it is a field of. */
	#code = 0;
	#fieldDepth = 0;
	/** Where the pending key begins. */
	#keyAt = 0;
	#keyLine = 0;

	constructor(reading: FieldReading) {
		this.held = new HeldCards(reading, this.#notices);
	}

	/** A key whose first quote is at `at` and whose inside ends at `end`; `code` is what it means. True when a card may be held now. */
	key(bytes: Buffer, at: number, end: number, code: number, line: number, found: Findings): boolean {
		const { depth } = this;
		const wrap = this.#wraps[depth];
		this.#fieldDepth = depth;
		this.#keys.start = at + 1;
		this.#keys.end = end;
		if (code === 0 && wrap === 0) {
			this.#code = 0;
			return false;
		}
		this.#keyAt = at;
		this.#keyLine = line;
		if (wrap !== 0) {
			code = codeInWrap(code, wrap);
			if ((code & PART) !== 0 && this.#cardAt(depth - 1) !== undefined) this.#fieldDepth = depth - 1;
		}
		const isCard = (this.kinds[depth] & IS_CARD) !== 0;
		// The value of a card as a whole: `"card": {"value": "4111…"}`.
		if (isCard && (code & VALUE) !== 0 && (code & FIELD_BITS) === 0) code = FIELD.NUMBER | CARD;
		this.#code = code;
		if ((code & UNREAD) !== 0) this.#notices.tell('unread', bytes, at + 1, end, found);
		if ((code & (FIELD_BITS | CARD)) === 0) return false;
		this.#hold(isCard, found);
		return true;
	}

	/** The object at hand has a card field, or a card in it, whose key is pending. */
	#hold(isCard: boolean, found: Findings): void {
		const { held } = this;
		const at = this.#keyAt;
		const field = (this.#code & FIELD_BITS) as Field;
		let card = this.#cardAt(this.#fieldDepth);
		if (card !== undefined && card.numberCount === 0 && card.cvvs.count === 0 && at - card.start > MAX_LEAD_BYTES) {
			if (held.items[held.count - 1] === card) {
				held.count--;
				card = undefined;
				this.#fieldDepth = this.depth;
			}
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
		card.depth = this.depth;
		card.isCard = isCard;
		return card;
	}

	/** The open card whose fields stand in the object at `depth`. */
	#cardAt(depth: number): HeldCard | undefined {
		for (let i = this.held.count - 1; i >= 0; i--) {
			const card = this.held.items[i];
			if (card.depth <= depth) return card.depth === depth ? card : undefined;
		}
		return undefined;
	}

	/** A key that nobody needs. */
	passKey(): void {
		this.#code = 0;
		this.#keys.drop();
	}

	/** A value that nobody needs. */
	passValue(): void {
		this.#code = 0;
	}

	/** The window is read up to where the next one begins. */
	endWindow(bytes: Buffer): void {
		this.#keys.endWindow(bytes, this.depth);
	}

	/** Where the next window begins. */
	place(state: Pick<JsonPlace, 'isInKey' | 'isInString' | 'expectsKey'>): JsonPlace {
		const kinds = this.kinds.subarray(1, this.depth + 1);
		return this.#keys.place(
			state,
			Array.from(kinds, (kind) => (kind & OBJECT) !== 0),
		);
	}

	/** An array or an object opens. */
	open(kind: number): void {
		const code = this.#code;
		const isCard = (code & CARD) !== 0;
		const field = code & FIELD_BITS;
		const isObject = kind === OBJECT;
		const isMember = (this.kinds[this.depth] & OBJECT) !== 0;
		const depth = ++this.depth;
		this.#keys.open(depth, isMember);
		const isWrapped = field === FIELD.NUMBER || field === FIELD.CVV || (isObject && field === FIELD.EXPIRY);
		// A list of cards may be one of numbers: `"cards": ["4111…"]`.
		const element = isCard && field === 0 ? FIELD.NUMBER | CARD : isWrapped ? code : 0;
		this.#wraps[depth] = !isObject ? element : isWrapped && !isCard ? code : 0;
		// What stands in the object under a number's key is a card's: `"pan": {"number": …}`.
		const isNumber = isObject && field === FIELD.NUMBER && (code & SURE) !== 0;
		this.kinds[depth] = isCard || isNumber ? kind | IS_CARD : kind;
		const isCardInside = isCard || (!isObject && field === FIELD.NUMBER);
		if (isCardInside && this.held.count > 0) {
			const outer = this.held.items[this.held.count - 1];
			if (outer.depth === depth - 1) outer.hasCardChild = true;
		}
		this.#code = isObject ? 0 : element;
	}

	/** The next member of an object, or the next element of an array. */
	next(isObject: boolean): void {
		// Elements of `"cards": [...]` count as the array does; an object's keys speak for themselves.
		this.#code = isObject ? 0 : this.#wraps[this.depth];
	}

	/** The innermost array or object closes. */
	close(bytes: Buffer, found: Findings): void {
		const { held } = this;
		if (held.count > 0 && held.items[held.count - 1].depth === this.depth) {
			held.settle(held.items[--held.count], bytes, found);
		}
		this.depth--;
		this.#code = 0;
	}

	/** A string, without the blanks around it, or a bare number. */
	value(
		bytes: Buffer,
		start: number,
		end: number,
		isBare: boolean,
		isEscaped: boolean,
		line: number,
		found: Findings,
	): void {
		const code = this.#code;
		const field = (code & FIELD_BITS) as Field;
		if (field === FIELD.NONE) {
			if (this.held.count > 0 && !isBare) this.#suspect(bytes, start, end);
			return;
		}
		const isElement = (this.kinds[this.depth] & OBJECT) === 0;
		if (isElement && field === FIELD.NUMBER) this.#element(bytes, start, end, isBare, isEscaped, line, found);
		else this.#note(field, bytes, start, end, isBare, isEscaped, line, isElement, found);
	}

	#note(
		field: Field,
		bytes: Buffer,
		start: number,
		end: number,
		isBare: boolean,
		isEscaped: boolean,
		line: number,
		isElement: boolean,
		found: Findings,
	): void {
		const code = this.#code;
		const { held } = this;
		const isSure = (code & SURE) !== 0;
		const card = this.#cardAt(isElement ? this.depth - 1 : this.#fieldDepth);
		if (card === undefined) {
			if (field === FIELD.CVV && isSure && !this.#keys.isGone)
				held.stray(bytes, this.#keys.start, this.#keys.end, found);
		} else if (field === FIELD.NUMBER) {
			if ((code & TOKEN) !== 0 && held.weigh(bytes, start, end, isEscaped) !== WEIGHT.NUMBER) return;
			const isGated = (code & CARD) !== 0 && !isSure;
			if (isGated && !held.holdsNumber(card, bytes, start, end, isEscaped, WEIGHT.DIGITS)) return;
			if (isSure || isGated || card.isCard) held.addNumber(card, start, end, line, isBare, isEscaped, found);
			else held.addCandidate(bytes, card, start, end, line, isBare, isEscaped);
		} else if (field !== FIELD.CVV) {
			this.#date(card, field, isSure);
			card.addField(field, start, end, isEscaped, isSure, !card.isCard && (code & BARE) !== 0);
		} else if (isSure) card.cvvs.add(start, end, isBare, isEscaped, true, this.#keys.start, this.#keys.end);
		else if ((code & BARE) === 0 || card.isCard) this.#cvvWord(card, bytes, start, end, isBare, isEscaped);
	}

	/** A word such as `code` is a security code only where it looks like one; else it may be the code of the card's type. */
	#cvvWord(card: HeldCard, bytes: Buffer, start: number, end: number, isBare: boolean, isEscaped: boolean): void {
		if (isWrittenAsCvv(bytes, start, end)) {
			card.cvvs.add(start, end, isBare, isEscaped, false, this.#keys.start, this.#keys.end);
		} else if (card.isCard) card.addField(FIELD.TYPE, start, end, isEscaped, false, false);
	}

	#date(card: HeldCard, field: Field, isSure: boolean): void {
		if (!isSure || (field !== FIELD.EXPIRY && field !== FIELD.MONTH && field !== FIELD.YEAR)) return;
		card.dateNameStart = this.#keys.start;
		card.dateNameEnd = this.#keys.end;
	}

	/** An element of an array of numbers is a card by itself, however long the array is. */
	#element(
		bytes: Buffer,
		start: number,
		end: number,
		isBare: boolean,
		isEscaped: boolean,
		line: number,
		found: Findings,
	): void {
		const { held } = this;
		if ((this.#code & SURE) === 0) {
			// A word for a card may hold any number that is long enough; any other word only what is surely one.
			const needed = (this.#code & CARD) !== 0 ? WEIGHT.DIGITS : WEIGHT.NUMBER;
			if (held.weigh(bytes, start, end, isEscaped) < needed) return;
		}
		held.hasCardPlace = true;
		const card = held.open(start, line, found);
		held.addNumber(card, start, end, line, isBare, isEscaped, found);
		held.settle(held.items[--held.count], bytes, found);
	}

	/** Three or four digits under a key that nobody knows, in an object that may be a card. */
	#suspect(bytes: Buffer, start: number, end: number): void {
		if (bytes[start] === 0x2a || !isWrittenAsCvv(bytes, start, end)) return;
		const card = this.held.items[this.held.count - 1];
		if (card.depth !== this.depth || (this.kinds[this.depth] & OBJECT) === 0) return;
		card.cvvs.suspect(this.#keys.start, this.#keys.end, end - start);
	}

	/** The outermost card does not end within its limit. @throws FileError when it has a number or a CVV. */
	dropOutgrown(found: Findings): void {
		const outermost = this.held.items[0];
		const field = this.#code & FIELD_BITS;
		const isPending = outermost.depth === this.#fieldDepth && (this.#code & (FIELD_BITS | CARD)) !== 0;
		const isLongValue = isPending && (field === FIELD.NUMBER || field === FIELD.CVV);
		const hasCard = outermost.numberCount > 0 || outermost.cvvs.count > 0;
		if (hasCard || (isLongValue && (this.#code & SURE) !== 0 && outermost.start === this.#keyAt)) {
			throw outgrown(outermost, 'a card object, from its first card field on,');
		}
		const isAtKey = outermost.start === this.#keyAt;
		const { isCard } = outermost;
		this.held.remove(0);
		// The field whose value is about to come begins a hold of its own.
		if (isPending && !isAtKey) {
			this.#fieldDepth = this.depth;
			this.#open(isCard, found).see(field as Field, (this.#code & SURE) !== 0);
		} else if (isPending) this.#code &= CARD;
	}

	/** Back to the first field of the outermost open card: it comes again with the next window. */
	rollBack(found: Findings): HeldCard {
		const card = this.held.rollBack(found);
		this.depth = card.depth;
		this.#code = 0;
		return card;
	}
}
