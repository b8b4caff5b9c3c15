import { brandOf } from '../../src/base/card/brand.ts';
import { ValueNumbers } from '../../src/base/card/finder/value-numbers.ts';
import { passesLuhn } from '../../src/base/card/luhn.ts';
import { NumberReading } from '../../src/base/card/number.ts';
import { FileError, type Finding, type Findings } from '../../src/engine/format.ts';
import { EVIDENCE, FIELD, type FieldReading, HeldCard, WORD } from './held-card.ts';
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

/**
 * Tells how much a value looks like a card number: it is masked, it is no number, it has enough digits, or it is a
 * number that any reader recognises (or a token).
 */
export const WEIGHT = { MASKED: -1, NONE: 0, DIGITS: 1, NUMBER: 2 } as const;

// A possible card number, as `HeldCard` keeps it among its `candidates`, has these marks, as bits.
const ESCAPED = 1;
const BARE = 2;
const LIKELY = 4;

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

	/** Removes the card at `index` from the open cards, and keeps its object for reuse. */
	remove(index: number): void {
		const [card] = this.items.splice(index, 1);
		this.items.push(card);
		this.count--;
	}

	/**
	 * Returns the offset up to which a window that ends at `to` may be read, because a held card may not exceed its
	 * limit.
	 */
	limit(to: number): number {
		return this.count === 0 ? to : Math.min(to, this.items[0].start + MAX_HELD_BYTES);
	}

	/** Adds a number whose name or position says that it is the card's. */
	addNumber(
		card: HeldCard,
		start: number,
		end: number,
		line: number,
		isBare: boolean,
		isEscaped: boolean,
		found: Findings,
	): void {
		if (card.record === 0) card.record = ++this.records;
		const finding = card.addNumber(start, end, line, isEscaped, found);
		if (isBare) finding.shape = 'quoted';
	}

	/** Adds a value under a word such as `number`. It is a card's number if the rest of its object or element agrees. */
	addCandidate(
		bytes: Buffer,
		card: HeldCard,
		start: number,
		end: number,
		line: number,
		isBare: boolean,
		isEscaped: boolean,
	): void {
		const weight = this.weigh(bytes, start, end, isEscaped);
		if (weight === WEIGHT.MASKED) card.hasMaskedWord = true;
		if (weight <= WEIGHT.NONE) return;
		const marks = (isEscaped ? ESCAPED : 0) | (isBare ? BARE : 0) | (weight === WEIGHT.NUMBER ? LIKELY : 0);
		card.candidates.push(start, end, line, marks);
	}

	/**
	 * Tells whether the value under a word for a card is a number: in `"card": "4111…"` it is, in `"card": "Visa"` it is
	 * not. If the value is a masked number, notes that the card already has its number.
	 */
	holdsNumber(card: HeldCard, bytes: Buffer, start: number, end: number, isEscaped: boolean, least: number): boolean {
		const weight = this.weigh(bytes, start, end, isEscaped);
		if (weight >= least) this.hasCardPlace = true;
		if (weight === WEIGHT.MASKED) {
			this.hasCardPlace = true;
			card.isFilled = true;
		}
		return weight >= least;
	}

	/** Returns how much a value looks like a card number. */
	weigh(bytes: Buffer, start: number, end: number, isEscaped: boolean): number {
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
		const { candidates } = card;
		for (let i = 0; i < candidates.length; i += 4) {
			const marks = candidates[i + 3];
			if (evidence === EVIDENCE.WEAK && (marks & LIKELY) === 0) continue;
			this.hasCardPlace = true;
			const isEscaped = (marks & ESCAPED) !== 0;
			const finding = card.addNumber(candidates[i], candidates[i + 1], candidates[i + 2], isEscaped, found);
			if ((marks & BARE) !== 0) finding.shape = 'quoted';
			this.#sortIn(card, finding, found);
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
		card.cvvs.eachInClear(bytes, (start, end) => {
			this.#strays++;
			this.#notices.tell('stray-cvv', bytes, start, end, found);
		});
	}

	#tellSuspects(card: HeldCard, bytes: Buffer, found: Findings): void {
		const { suspects } = card.cvvs;
		if (suspects.length === 0) return;
		const { numberStart, numberEnd } = card.numberAt(card.numberCount - 1, found);
		const isAmex = numberEnd - numberStart === AMEX_DIGITS && bytes[numberStart] === 0x33;
		for (let i = 0; i < suspects.length; i += 3) {
			if (suspects[i + 2] === (isAmex ? 4 : 3)) {
				this.#notices.tell('like-cvv', bytes, suspects[i], suspects[i + 1], found);
			}
		}
	}

	/** Reports a CVV in clear that is outside any held card. */
	stray(bytes: Buffer, nameStart: number, nameEnd: number, found: Findings): void {
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
	return new FileError(message, { offset: card.start, line: card.line, record: card.record || undefined, field });
}
