import { brandOf } from '../../src/base/card/brand.ts';
import { ValueNumbers } from '../../src/base/card/finder/value-numbers.ts';
import { passesLuhn } from '../../src/base/card/luhn.ts';
import { isPlaceholder } from '../../src/base/card/names/placeholders.ts';
import { NumberReading } from '../../src/base/card/number.ts';
import { FileError, type Finding, type Findings } from '../../src/engine/format.ts';
import { isDate } from './card-names.ts';
import { EVIDENCE, FIELD, type FieldReading, HeldCard, type Meaning, WORD } from './held-card.ts';
import { isWrittenAsCvv } from './held-cvvs.ts';
import type { HeldValue, Named } from './held-value.ts';
import type { NameNotices } from './name-notices.ts';

/** A card element or object longer than this is refused, or no longer held if it contains no card. */
const MAX_HELD_BYTES = 65_536;

/**
 * A field that begins this far before a card's number belongs to the card only if an element or object of the card
 * contains both. The rest of `MAX_HELD_BYTES` is left for fields after the number.
 */
export const MAX_LEAD_BYTES = 16_384;

const MIN_DIGITS = 12;
const MAX_DIGITS = 22;
const AMEX_DIGITS = 15;
const STAR = 0x2a;

/**
 * Tells how much a value looks like a card number: it is masked, it is no number, it has enough digits, or it is a
 * number that any reader recognises (or a token).
 */
export const WEIGHT = { MASKED: -1, NONE: 0, DIGITS: 1, NUMBER: 2 } as const;

/**
 * Holds the open cards, which are those whose object or element has not ended at the current position, outermost first,
 * and counts of the cards that have ended.
 */
export class HeldCards {
	/** The cards; only the first `count` are in use, and the others are kept for reuse. */
	readonly items: HeldCard[] = [];
	count = 0;
	/** The number of cards found so far. */
	records = 0;
	/** True once a field for a card number was seen, with or without a number. */
	hasCardPlace = false;
	/** Counts the CVVs in clear that belong to no card. */
	#strays = 0;
	readonly #notices: NameNotices;
	readonly #reading: FieldReading;
	readonly #number = new NumberReading();
	readonly #values = new ValueNumbers();

	constructor(reading: FieldReading, notices: NameNotices) {
		this.#reading = reading;
		this.#notices = notices;
	}

	open(start: number, line: number, found: Findings): HeldCard {
		if (this.count === this.items.length) this.items.push(new HeldCard());
		const card = this.items[this.count++].begin(start, line);
		card.recordsBefore = this.records;
		card.straysBefore = this.#strays;
		card.foundBefore = found.length;
		return card;
	}

	/** Returns the open card whose fields are in the object at `depth`; used by JSON, where inner cards are deeper. */
	at(depth: number): HeldCard | undefined {
		for (let i = this.count - 1; i >= 0; i--) {
			const card = this.items[i];
			if (card.depth <= depth) return card.depth === depth ? card : undefined;
		}
		return undefined;
	}

	/** Removes the card at `index` from the open cards, and keeps its object for reuse. */
	remove(index: number): void {
		const card = this.items[index];
		this.count--;
		for (let i = index; i < this.count; i++) this.items[i] = this.items[i + 1];
		this.items[this.count] = card;
	}

	/**
	 * Returns the offset up to which a window that ends at `to` may be read, because a held card may not exceed its
	 * limit.
	 */
	limit(to: number): number {
		return this.count === 0 ? to : Math.min(to, this.items[0].start + MAX_HELD_BYTES);
	}

	/** Handles the value of a field of a card. */
	note(card: HeldCard, how: Meaning, value: HeldValue, bytes: Buffer, found: Findings): void {
		const { field } = how;
		if (field === FIELD.NUMBER) {
			if (how.gate !== WEIGHT.NONE) {
				if (!this.#holdsNumber(card, bytes, value, how.gate)) return;
				card.see(field, true);
			}
			if (how.isWord) this.#addCandidate(bytes, card, value);
			else this.addNumber(card, value, found);
		} else if (field === FIELD.CVV && !how.isWord) card.cvvs.add(value, true);
		else if ((field === FIELD.CVV || how.isCode) && isWrittenAsCvv(bytes, value.start, value.end))
			card.cvvs.add(value, false);
		else if (field === FIELD.CVV) {
			// A word such as `code` may also name the code of the card's type.
			if (card.isCard) card.addField(FIELD.TYPE, value, false);
		} else {
			if (isDate(field) && !value.isEscaped) {
				if (isPlaceholder(bytes, value.start, value.end)) return;
				this.#reading.trimDate?.(field, bytes, value);
			}
			if (how.isSure && isDate(field)) {
				card.dateNameStart = value.nameStart;
				card.dateNameEnd = value.nameEnd;
			}
			card.addField(field, value, how.isSure, how.isBare && !card.isCard);
		}
	}

	/** Notes a value of three or four digits under an unknown name in a card, because it may be a CVV. */
	suspect(card: HeldCard, bytes: Buffer, value: HeldValue): void {
		const { start, end, isBare } = value;
		if (!isBare && bytes[start] !== STAR && isWrittenAsCvv(bytes, start, end)) card.cvvs.suspect(value);
	}

	/** Adds a number whose name or position says that it is the card's. */
	addNumber(card: HeldCard, value: HeldValue, found: Findings): void {
		if (card.record === 0) card.record = ++this.records;
		card.addNumber(value, found);
	}

	/** Adds a value under a word such as `number`. It is a card's number if the rest of its object or element agrees. */
	#addCandidate(bytes: Buffer, card: HeldCard, value: HeldValue): void {
		const weight = this.weigh(bytes, value);
		if (weight === WEIGHT.MASKED) card.hasMaskedWord = true;
		if (weight > WEIGHT.NONE) card.candidates.add(value, weight === WEIGHT.NUMBER);
	}

	/**
	 * Tells whether the value under a word for a card is a number: in `"card": "4111…"` it is, in `"card": "Visa"` it is
	 * not. If the value is a masked number, notes that the card already has its number.
	 */
	#holdsNumber(card: HeldCard, bytes: Buffer, value: HeldValue, least: number): boolean {
		const weight = this.weigh(bytes, value);
		if (weight === WEIGHT.MASKED) card.isFilled = true;
		if (weight >= least || weight === WEIGHT.MASKED) this.hasCardPlace = true;
		return weight >= least;
	}

	/** Returns how much a value looks like a card number. */
	weigh(bytes: Buffer, { start, end, isEscaped }: HeldValue): number {
		if (end - start < MIN_DIGITS) return WEIGHT.NONE;
		const text = isEscaped ? this.#reading.decode(bytes, start, end) : bytes;
		const [from, to] = isEscaped ? [0, text.length] : [start, end];
		const number = this.#number.read(text, from, to);
		const { kind, digits, count } = number;
		const isLong = kind === 'digits' && !number.hasOtherCharacters && count >= MIN_DIGITS && count <= MAX_DIGITS;
		const isNumber = isLong && passesLuhn(digits, 0, count) && brandOf(digits, 0, count) !== 0;
		number.clear();
		if (isNumber || kind === 'token') return WEIGHT.NUMBER;
		if (isLong) return WEIGHT.DIGITS;
		if (this.#values.holdsCard(text, from, to)) return WEIGHT.NUMBER;
		return kind === 'masked' ? WEIGHT.MASKED : WEIGHT.NONE;
	}

	/**
	 * Completes a card whose object or element closes: its numbers get their fields, and CVVs without a card are
	 * reported.
	 */
	settle(card: HeldCard, bytes: Buffer, found: Findings): void {
		const { cvvs } = card;
		if (card.numberCount === 0 && !card.isFilled) this.#takeCandidates(card, found);
		if (card.listNameEnd > 0 && (card.numberCount > 0 || card.hasCardChild))
			this.#notices.tell('unread-dates', bytes, card.listNameStart, card.listNameEnd, found);
		if (card.numberCount > 0) {
			card.settle(bytes, found, this.#reading);
			if (cvvs.count === 0) this.#tellSuspects(card, bytes, found);
			if (cvvs.isUndecided) this.#tellStrays(card, bytes, found);
			for (let i = 0; i < card.numberCount && cvvs.count > 0; i++) this.#tellUnswapped(card, i, bytes, found);
			return;
		}
		const isOnly = card.hasCardChild && found.length === card.foundBefore + 1;
		const isLent = isOnly && card.lend(bytes, found.items[card.foundBefore], this.#reading);
		if (isLent && !this.#isSwappable(bytes, found.items[card.foundBefore])) this.#tellStrays(card, bytes, found);
		const hasCvvs = cvvs.count + cvvs.wordCount > 0;
		if (hasCvvs && !isLent && !this.#passUp(card)) {
			this.#tellStrays(card, bytes, found);
		}
		if (!isOnly && card.hasSureDate() && (card.seen & (WORD | (1 << FIELD.NUMBER))) === 0) {
			this.#notices.tell('stray-date', bytes, card.dateNameStart, card.dateNameEnd, found);
		}
	}

	/**
	 * Passes the CVVs of an object to the card around it. A CVV can be in an object of its own inside the card:
	 * `{"number": "4111…", "security": {"cvv": "123"}}`.
	 */
	#passUp(card: HeldCard): boolean {
		const outer = this.count > 0 ? this.items[this.count - 1] : undefined;
		if (outer === undefined || outer === card || outer.depth < card.depth - 2) return false;
		// An object with a field for a number is a card itself, even if the number was not accepted, and keeps its CVVs.
		if ((card.seen & (WORD | (1 << FIELD.NUMBER))) !== 0) return false;
		// A card two levels further out gets the CVVs only if a card object is in between:
		// `{"number": …, "card": {"security": {"cvv": …}}}`.
		if (outer.depth === card.depth - 2 && !outer.hasCardChild) return false;
		const isCard =
			outer.hasCardChild ||
			outer.numberCount > 0 ||
			outer.candidates.length > 0 ||
			outer.evidence() === EVIDENCE.STRONG;
		if (isCard) card.cvvs.moveTo(outer.cvvs);
		return isCard;
	}

	/** Reports a CVV that is not starred because the number beside it is masked or already a token. */
	#tellUnswapped(card: HeldCard, index: number, bytes: Buffer, found: Findings): void {
		const finding = card.numberAt(index, found);
		if (finding.cvvStart === finding.cvvEnd || this.#isSwappable(bytes, finding)) return;
		this.#tellStrays(card, bytes, found);
	}

	#isSwappable(bytes: Buffer, { numberStart, numberEnd, isEscaped }: Finding): boolean {
		const text = isEscaped ? this.#reading.decode(bytes, numberStart, numberEnd) : bytes;
		const [from, to] = isEscaped ? [0, text.length] : [numberStart, numberEnd];
		const { kind } = this.#number.read(text, from, to);
		this.#number.clear();
		return kind === 'masked' ? this.#values.holdsCard(text, from, to) : kind !== 'token';
	}

	/** Adds the numbers under words such as `number`, in the order of the file, if the object has no other number. */
	#takeCandidates(card: HeldCard, found: Findings): void {
		if ((card.seen & WORD) === 0) return;
		const evidence = card.evidence();
		if (evidence === EVIDENCE.NONE) return;
		if (evidence === EVIDENCE.STRONG || card.hasMaskedWord) this.hasCardPlace = true;
		const { items, length } = card.candidates;
		for (let i = 0; i < length; i++) {
			if (evidence === EVIDENCE.WEAK && !items[i].isSure) continue;
			this.hasCardPlace = true;
			this.#sortIn(card, card.addNumber(items[i], found), found);
		}
	}

	/**
	 * Moves the newest finding to its place, so that findings are in the order of their numbers in the file. It was added
	 * when its object closed. Findings of inner objects were added before it, but their numbers may come later.
	 */
	#sortIn(card: HeldCard, finding: Finding, found: Findings): void {
		const last = found.length - 1;
		let index = last;
		while (index > card.foundBefore && found.items[index - 1].numberStart > finding.numberStart) index--;
		if (card.record === 0) {
			this.records++;
			card.record = this.records;
			for (let i = index; i < last; i++) card.record = Math.min(card.record, found.items[i].record);
			for (let i = index; i < last; i++) found.items[i].record++;
			for (let i = 0; i < this.count; i++) {
				const other = this.items[i];
				if (other !== card && other.record >= card.record) other.record++;
			}
		}
		finding.record = card.record;
		if (index === last) return;
		found.items.splice(last, 1);
		found.items.splice(index, 0, finding);
		for (let i = 0; i < this.count; i++) this.items[i].shift(index);
		card.moveLast(index);
	}

	#tellStrays(card: HeldCard, bytes: Buffer, found: Findings): void {
		card.cvvs.eachInClear(bytes, (value) => this.stray(bytes, value, found));
	}

	#tellSuspects(card: HeldCard, bytes: Buffer, found: Findings): void {
		const { items, length } = card.cvvs.suspects;
		if (length === 0) return;
		const { numberStart, numberEnd } = card.numberAt(card.numberCount - 1, found);
		const isAmex = numberEnd - numberStart === AMEX_DIGITS && bytes[numberStart] === 0x33;
		for (let i = 0; i < length; i++) {
			const { start, end, nameStart, nameEnd } = items[i];
			if (end - start === (isAmex ? 4 : 3)) this.#notices.tell('like-cvv', bytes, nameStart, nameEnd, found);
		}
	}

	/** Reports a CVV in clear that belongs to no card. */
	stray(bytes: Buffer, { nameStart, nameEnd }: Named, found: Findings): void {
		this.#strays++;
		this.#notices.tell('stray-cvv', bytes, nameStart, nameEnd, found);
	}

	/** Goes back to where the outermost open card begins, because the window ends before that card does. */
	rollBack(found: Findings): HeldCard {
		const card = this.items[0];
		this.count = 0;
		this.records = card.recordsBefore;
		this.#strays = card.straysBefore;
		found.truncate(card.foundBefore);
		return card;
	}

	/** Reports at the end of the file how many CVVs were left in clear. */
	finish(found: Findings): void {
		if (this.#strays === 0) return;
		found.notice(`Security codes left in clear, with no number beside them that can be tokenized: ${this.#strays}`);
	}
}

/** Returns the error for a card that does not close within the limit. */
export function outgrown(card: HeldCard, what: string, field?: string): FileError {
	const message = `${what} is longer than ${MAX_HELD_BYTES} bytes`;
	const place = { offset: card.start, line: card.line, record: card.record || undefined, field };
	return new FileError(message, place, { code: 'card-too-long', parameters: { bytes: MAX_HELD_BYTES } });
}
