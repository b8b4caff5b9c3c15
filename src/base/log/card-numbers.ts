// Finds card numbers in text that should contain none. It is used for log lines and error texts, never for files, where
// a format says which fields hold cards.

import { brandOf, possibleLengths } from '../card/brand.ts';
import { passesLuhn } from '../card/luhn.ts';
import { maskNumber } from '../card/masking.ts';
import { SpelledDigits } from '../card/spelling/spelled-digits.ts';
import { eachCardNumber, isInId } from '../card/spelling/spelled-number.ts';

const MIN_DIGITS = 12;
/** The number of digits in the longest card number (spec §2.4). */
const MAX_DIGITS = 22;
/**
 * In an unbroken run of at least this many digits, only a part may be the card number, because something can be written
 * directly next to it, such as an expiry or a counter.
 */
const GLUED_DIGITS = 17;
const VISIBLE_HEAD = 6;
const VISIBLE_TAIL = 4;
const STAR = 0x2a;

const PIECE_DIGITS = 4096;
/**
 * To decide whether some digits are a card number, at most this many digits before and after them are looked at. Each
 * piece therefore begins with the last 128 digits of the previous piece, which is twice this number.
 */
const AROUND_DIGITS = 64;

/**
 * Reads the digits of a text. All calls share this one object, because a text is masked synchronously, so two calls
 * never overlap.
 */
const digits = new SpelledDigits();

/**
 * Returns a text in which the middle digits of every card number are stars; the first six and the last four stay. A
 * card number is whatever `holdsCardNumber` finds. It is also any run of whole groups of digits, 12 to 22 digits in
 * all, that passes Luhn (`in 12 4111 1111 1111 1111` contains one), and within an unbroken run of 17 or more digits any
 * part with the shape of a brand's card. One in ten other numbers of such a length is masked too, which does less harm
 * in a text than a card number left readable.
 */
export function maskCardNumbers(text: string): string {
	let stars: Stars | undefined;
	eachPiece(text, (from, to) => {
		const hidden = findHidden(digits, from, to);
		if (hidden.includes(1)) (stars ??= new Stars(text)).write(digits, hidden);
		return false;
	});
	return stars?.text() ?? text;
}

/** Tells whether `maskCardNumbers` would replace any digit of the text by a star. */
export function hasMaskableNumber(text: string): boolean {
	return eachPiece(text, (from, to) => findHidden(digits, from, to).includes(1));
}

/**
 * Reads the digits of a text piece by piece, so that memory does not grow with the text, and calls `look` for each
 * piece. `look` searches for numbers that begin at the digits from `from` up to, but not including, `to`; the digits
 * around these show what belongs to a number. Reading stops when `look` returns true. Returns whether that happened.
 */
function eachPiece(text: string, look: (from: number, to: number) => boolean): boolean {
	try {
		digits.begin(text);
		for (let isFirst = true; ; isFirst = false) {
			const carried = digits.readOn(PIECE_DIGITS);
			if (isFirst && digits.count < MIN_DIGITS) return false;
			const from = isFirst ? 0 : carried - AROUND_DIGITS;
			if (look(from, digits.isOver ? digits.count : digits.count - AROUND_DIGITS)) return true;
			if (digits.isOver) return false;
		}
	} finally {
		digits.wipe();
	}
}

/**
 * Returns the masked form of a number that stands alone, such as a JSON number, if it is shaped like the card of a
 * known brand, otherwise undefined. In a text, more is masked. Most numbers that stand alone are counts and times, and
 * these must stay readable; a time in milliseconds has 13 digits and begins with 1, as no brand's card does.
 */
export function findMaskedNumber(digits: string): string | undefined {
	if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS || !/^\d+$/.test(digits)) return undefined;
	const bytes = Buffer.from(digits, 'latin1');
	return brandOf(bytes, 0, bytes.length) !== 0 && passesLuhn(bytes, 0, bytes.length) ? maskNumber(digits) : undefined;
}

/**
 * Returns an array with one entry for each digit: 1 if the digit must be hidden, otherwise 0. A digit is hidden if it
 * is in the middle of a card number that begins at the digit `first` or later, but before `last`. Numbers that overlap
 * are all hidden.
 */
function findHidden(digits: SpelledDigits, first: number, last: number): Uint8Array {
	const hidden = new Uint8Array(digits.count);
	const hide = (from: number, to: number) => {
		if (from >= first && from < last && !isInId(digits, from, to))
			hidden.fill(1, from + VISIBLE_HEAD, to - VISIBLE_TAIL);
		return false;
	};
	eachCardNumber(digits, hide);
	for (let start = 0; start < digits.count; ) {
		let end = start + 1;
		while (end < digits.count && digits.gaps[end] === 0) end++;
		hideWholeGroups(digits, start, end, hide);
		if (end - start >= GLUED_DIGITS) hideGluedNumbers(digits, start, end, hide);
		start = end;
	}
	return hidden;
}

/** Hides the card numbers that consist of whole groups of digits and begin with the group from `start` to `end`. */
function hideWholeGroups(
	digits: SpelledDigits,
	start: number,
	end: number,
	hide: (from: number, to: number) => void,
): void {
	for (let after = end; after - start <= MAX_DIGITS; ) {
		if (after - start >= MIN_DIGITS && digits.passesLuhn(start, after)) hide(start, after);
		if (after >= digits.count || !isJoined(digits, after)) return;
		do after++;
		while (after < digits.count && digits.gaps[after] === 0);
	}
}

/** Tells whether only a blank or a hyphen is between a digit and the digit before it. */
function isJoined({ at, text }: SpelledDigits, digit: number): boolean {
	if (at[digit] - at[digit - 1] !== 2) return false;
	const between = text.charCodeAt(at[digit] - 1);
	return between === 0x20 || between === 0x2d;
}

function hideGluedNumbers(
	digits: SpelledDigits,
	from: number,
	to: number,
	hide: (from: number, to: number) => void,
): void {
	const { values } = digits;
	for (let start = from; start + MIN_DIGITS < to; start++) {
		const lengths = possibleLengths(values, start);
		if (lengths === 0) continue;
		// Card numbers of twelve digits are not searched for inside a longer run, because too many ids would match by
		// chance, and the numbers of all brands that matter are longer.
		for (let count = MIN_DIGITS + 1; count <= MAX_DIGITS && start + count <= to; count++) {
			if ((lengths & (1 << count)) === 0 || !digits.passesLuhn(start, start + count)) continue;
			if (brandOf(values, start, count) !== 0) hide(start, start + count);
		}
	}
}

/** Holds a text in which single digits can be replaced by stars. */
class Stars {
	readonly #source: string;
	readonly #units: Buffer;

	constructor(text: string) {
		this.#source = text;
		this.#units = Buffer.from(text, 'utf16le');
	}

	write({ at }: SpelledDigits, hidden: Uint8Array): void {
		for (let i = 0; i < hidden.length; i++) {
			if (hidden[i] === 0) continue;
			this.#units.writeUInt16LE(STAR, at[i] * 2);
			// A digit with a code point above U+FFFF takes two UTF-16 code units. Both become stars, because half of such a
			// character would be invalid text.
			if (this.#source.codePointAt(at[i])! > 0xffff) this.#units.writeUInt16LE(STAR, at[i] * 2 + 2);
		}
	}

	text(): string {
		const masked = this.#units.toString('utf16le');
		this.#units.fill(0);
		return masked;
	}
}
