// Finds card numbers in text that should contain none. It is used for log lines and error texts, never for files, where
// a format says which fields hold cards.

import { brandOf, possibleLengths } from '../card/brand.ts';
import { passesLuhn } from '../card/luhn.ts';
import { maskNumber } from '../card/masking.ts';
import { SpelledDigits } from '../card/spelled-digits.ts';
import { eachCardNumber } from '../card/spelled-number.ts';

const MIN_DIGITS = 12;
/** The number of digits in the longest card number (spec §2.4). */
const MAX_DIGITS = 22;
/**
 * An unbroken run of at least this many digits may be a number with something written directly next to it, such as an
 * expiry or a counter.
 */
const GLUED_DIGITS = 17;
const VISIBLE_HEAD = 6;
const VISIBLE_TAIL = 4;
const STAR = 0x2a;

/** Digits are examined in pieces of this many. The number must be even. */
const PIECE_DIGITS = 4096;
/**
 * This many digits before and after a number decide whether it is one. Each piece begins with the last 128 digits of
 * the previous one, which is twice this number.
 */
const AROUND_DIGITS = 64;

/** Masking is synchronous, so one reader serves all callers. */
const digits = new SpelledDigits();

/**
 * Returns a text in which the middle digits of every card number are stars; the first six and the last four stay. A
 * card number is whatever `holdsCardNumber` finds, and any run of whole groups of digits, 12 to 22 in all, that passes
 * Luhn (`in 12 4111 1111 1111 1111` contains one). In an unbroken run of 17 or more it is also any part with the shape
 * of a brand's card. One in ten other numbers of such a length is masked too, which is the lesser evil in text.
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

/** Tells whether `maskCardNumbers` would hide anything. */
export function hasMaskableNumber(text: string): boolean {
	return eachPiece(text, (from, to) => findHidden(digits, from, to).includes(1));
}

/**
 * Passes the digits of a text to `look` piece by piece, so that memory does not grow with the text. `look` searches for
 * numbers that begin at the digits `[from, to)` of a piece; the digits around show what belongs to a number. It stops
 * when `look` returns true, and returns whether it did.
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
 * known brand, otherwise undefined. This is stricter than for text, because most such numbers are counts and times: no
 * brand's card has 13 digits and begins with 1, as milliseconds do.
 */
export function findMaskedNumber(digits: string): string | undefined {
	if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS || !/^\d+$/.test(digits)) return undefined;
	const bytes = Buffer.from(digits, 'latin1');
	return isBranded(bytes, 0, bytes.length) ? maskNumber(digits) : undefined;
}

/**
 * Returns 1 for every digit that must be hidden, because it belongs to a number that begins in `[first, last)`. Numbers
 * that overlap are all hidden.
 */
function findHidden(digits: SpelledDigits, first: number, last: number): Uint8Array {
	const hidden = new Uint8Array(digits.count);
	const hide = (from: number, to: number) => {
		if (from >= first && from < last) hidden.fill(1, from + VISIBLE_HEAD, to - VISIBLE_TAIL);
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

/** Hides numbers made of whole groups, the first of which is `[start, end)`. */
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
		// Twelve digits alone would match too many ids, and the brands that matter have more.
		for (let count = MIN_DIGITS + 1; count <= MAX_DIGITS && start + count <= to; count++) {
			if ((lengths & (1 << count)) === 0 || !digits.passesLuhn(start, start + count)) continue;
			if (brandOf(values, start, count) !== 0) hide(start, start + count);
		}
	}
}

/** Holds a text in which some digits are replaced by stars. */
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
			// A digit beyond the first plane has two UTF-16 units, and half a character would be invalid.
			if (this.#source.codePointAt(at[i])! > 0xffff) this.#units.writeUInt16LE(STAR, at[i] * 2 + 2);
		}
	}

	text(): string {
		const masked = this.#units.toString('utf16le');
		this.#units.fill(0);
		return masked;
	}
}

function isBranded(digits: Buffer, start: number, count: number): boolean {
	return brandOf(digits, start, count) !== 0 && passesLuhn(digits, start, count);
}
