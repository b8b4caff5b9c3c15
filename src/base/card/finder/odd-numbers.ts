// Finds card numbers inside other figures: behind zeros that fill a column, in the notation of floating-point numbers,
// and in front of their own expiry without any blank between.

import { isAlphanumeric, isDigit, isLetter } from '../ascii.ts';
import { isTypePlausible } from '../brand.ts';
import { cardBrandOf, ISSUED_LENGTHS, isExpiry, LONGEST_CARD, MAESTRO, SHORTEST_CARD } from '../card-digits.ts';
import { findCardType } from '../names/brand-names.ts';
import { BYTE, BYTE_CLASS, DigitReader, UNIT } from '../spelling/digit-text.ts';
import { isBesideToken, isPartOfCode } from './number-decoys.ts';
import { type NumberPlaces, PLACE } from './number-places.ts';

/** Figures with more digits than this are no card number with zeros in front of it. */
const LONGEST_PADDED = 40;
/** The lengths of what may follow a number: MMYY, with a security code of three or four digits or without one. */
const TAILS = [4, 7, 8];
/** A number with what follows it has this many digits. */
const SHORTEST_WITH_TAIL = 17;
const LONGEST_WITH_TAIL = 23;
/** A card code has at most this many letters: `MASTERCARD`. */
const LONGEST_CODE = 16;
/** At most this many characters divide a card code from its number: `VISA: 4111…`. */
const MOST_DIVIDING = 2;
const DIVIDING = new Set(Buffer.from(' /-:.=,;*'));
/** The notation of a floating-point number leaves out at most this many zeros at the end of a number. */
const MOST_ZEROS = 2;
const ZERO = 0x30;
const STAR = 0x2a;
const COMMA = 0x2c;
const POINT = 0x2e;
const PLUS = 0x2b;
const LETTER_E = 0x65;

/** Searches runs of digits and separators for numbers that stand inside longer figures. */
export class OddNumbers {
	/** The start and end of the text that may be examined. */
	start = 0;
	end = 0;
	readonly #isInValue: boolean;
	readonly #number = Buffer.alloc(LONGEST_CARD);
	readonly #reader = new DigitReader();

	/** `isInValue` says that the text is the value of a card field, which is read as such again once a token is in it. */
	constructor(isInValue = false) {
		this.#isInValue = isInValue;
	}

	/**
	 * Adds to `places` the numbers in the run `bytes[from, to)`, except in figures that share a byte with the numbers that
	 * were found in this run before, which are the places from index `known` on.
	 */
	find(bytes: Buffer, from: number, to: number, places: NumberPlaces, known: number): void {
		const before = places.count;
		// Most long runs are one card number and nothing else.
		if (before > known && places.starts[known] === from && places.ends[known] === to) return;
		let next = known;
		for (let at = from; at < to; at++) {
			const first = at;
			while (at < to && isDigit(bytes[at])) at++;
			if (at - first < SHORTEST_CARD - 1) continue;
			while (next < before && places.ends[next] <= first) next++;
			if (next < before && places.starts[next] < at) continue;
			if (bytes[first] === ZERO) {
				this.#addBehindZeros(bytes, first, at, places, () => {
					if (this.#isInValue) return true;
					// The digits between two numbers that were found, or between one of them and an end of the run.
					const stretchStart = next > known ? places.ends[next - 1] : from;
					const stretchEnd = next < before ? places.starts[next] : to;
					if (this.#hasDigit(bytes, stretchStart, first) || this.#hasDigit(bytes, at, stretchEnd)) return false;
					return !endsWithStars(bytes, this.start, from);
				});
			} else if (at - first >= SHORTEST_WITH_TAIL && at - first <= LONGEST_WITH_TAIL)
				addBeforeExpiry(bytes, first, at, this.start, places, !this.#isInValue);
			if (at === to && at < this.end && (bytes[at] | 0x20) === LETTER_E) this.#addFloat(bytes, first, at, places);
		}
		if (places.count > before && before > known) places.sortFrom(known);
	}

	wipe(): void {
		this.#number.fill(0);
	}

	/** Tells whether a digit of any script is in a part of a run, which consists of digits and separators. */
	#hasDigit(bytes: Buffer, from: number, to: number): boolean {
		for (let at = from; at < to; at += this.#reader.width) {
			if (this.#reader.read(bytes, at, to) === UNIT.DIGIT) return true;
		}
		return false;
	}

	/**
	 * Adds the number in the figures `bytes[first, after)` if only zeros stand in front of it: `0004111111111111111`.
	 * Only the lengths that are issued count, and no Maestro numbers: too many identity numbers begin with a zero.
	 * Beside other digits that stay (`isAlone` is false), the stars of a code and a token the number is only told: with a token in
	 * its place, the next pass would read those digits otherwise.
	 */
	#addBehindZeros(bytes: Buffer, first: number, after: number, places: NumberPlaces, isAlone: () => boolean): void {
		let at = first;
		while (at < after && bytes[at] === ZERO) at++;
		const brand = after - first > LONGEST_PADDED ? 0 : cardBrandOf(bytes, at, after - at);
		if (brand === 0 || brand === MAESTRO || !ISSUED_LENGTHS.has(after - at)) return;
		// Behind letters stands the number of something else: `AF0378…` is a frequent flyer.
		if (first > this.start && (bytes[first - 1] === POINT || isLetter(bytes[first - 1]))) return;
		if (isPartOfCode(bytes, at, after, this.start, this.end)) return;
		const isOnlyTold = !isAlone() || isBesideToken(bytes, first, after, this.start, this.end);
		places.add(at, after, isOnlyTold ? PLACE.TOLD : PLACE.REPLACED);
	}

	/**
	 * Adds the number `4.111111111111111E15`, whose digits behind the point are `bytes[first, after)`. Programs of some
	 * languages write a comma.
	 */
	#addFloat(bytes: Buffer, first: number, after: number, places: NumberPlaces): void {
		const { start, end } = this;
		const whole = first - 2;
		const hasPoint = bytes[first - 1] === POINT || bytes[first - 1] === COMMA;
		if (whole < start || !hasPoint || !isDigit(bytes[whole]) || bytes[whole] === ZERO) return;
		if (whole > start && (isDigit(bytes[whole - 1]) || bytes[whole - 1] === bytes[first - 1])) return;
		let at = bytes[after + 1] === PLUS ? after + 2 : after + 1;
		let exponent = 0;
		const exponentStart = at;
		for (; at < end && isDigit(bytes[at]) && at - exponentStart < 3; at++) exponent = exponent * 10 + bytes[at] - ZERO;
		const count = exponent + 1;
		const zeros = count - (after - first + 1);
		if (
			at === exponentStart ||
			(at < end && isAlphanumeric(bytes[at])) ||
			count > LONGEST_CARD ||
			zeros < 0 ||
			zeros > MOST_ZEROS
		)
			return;
		this.#number.fill(ZERO);
		this.#number[0] = bytes[whole];
		bytes.copy(this.#number, 1, first, after);
		if (cardBrandOf(this.#number, 0, count) !== 0) places.add(whole, after, PLACE.TOLD);
	}
}

/** Tells whether the stars that replace a security code stand before the run of digits and separators that begins at `at`. */
function endsWithStars(bytes: Uint8Array, start: number, at: number): boolean {
	while (at > start && BYTE_CLASS[bytes[at - 1]] === BYTE.SEPARATOR) at--;
	return at - 3 >= start && bytes[at - 1] === STAR && bytes[at - 2] === STAR && bytes[at - 3] === STAR;
}

function addBeforeExpiry(
	bytes: Buffer,
	first: number,
	after: number,
	start: number,
	places: NumberPlaces,
	isOnlyTold: boolean,
): void {
	const type = codeBefore(bytes, first, start);
	if (type === undefined) return;
	for (const tail of TAILS) {
		const number = after - first - tail;
		const brand = cardBrandOf(bytes, first, number);
		if (brand === 0 || !isTypePlausible(type, brand) || !isExpiry(bytes, first + number, first + number + 2)) continue;
		places.add(first, first + number, isOnlyTold ? PLACE.TOLD : PLACE.REPLACED);
		return;
	}
}

/** Returns the card type of the code in front of the digits at `first`, with something between: `AX/`, `Visa: `. */
function codeBefore(bytes: Buffer, first: number, start: number): number | undefined {
	let after = first;
	while (after > start && first - after < MOST_DIVIDING && DIVIDING.has(bytes[after - 1])) after--;
	if (after === first) return undefined;
	let at = after;
	while (at > start && isLetter(bytes[at - 1]) && after - at <= LONGEST_CODE) at--;
	if (after - at < 2 || after - at > LONGEST_CODE || (at > start && isAlphanumeric(bytes[at - 1]))) return undefined;
	const code = bytes.toString('latin1', at, after);
	// Two small letters are more likely a word than a code: `to`, `up`, `ma`.
	return code.length === 2 && code !== code.toUpperCase() ? undefined : findCardType(code);
}
