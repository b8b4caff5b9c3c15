// Extracts the digits of a text as a reader sees them: in any script, ignoring invisible characters between them.

import { DOUBLED } from '../luhn.ts';
import { DigitReader, UNIT } from './digit-text.ts';

/** Two digits with this many characters between them never belong to the same number. */
export const TOO_FAR = 4;

/** These characters are invisible: zero-width blanks and joiners, direction marks, accents without a letter. */
const UNSEEN = /^[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Mn}\p{Me}]$/u;
const LETTER = /^[\p{L}\p{N}]$/u;
const FIRST_SIZE = 256;
/**
 * After a text with more digits than this, the lists are replaced by small ones, so that one long text does not hold
 * the memory for good.
 */
const MAX_KEPT_SIZE = 16_384;

/**
 * The number of digits that `readOn` keeps from the previous reading. This covers two numbers with everything that may
 * be written directly next to them, so earlier digits cannot affect later ones.
 */
const CARRIED_DIGITS = 128;

const reader = new DigitReader();

// The values of `wideUnits`, which records what each character above ASCII is once it was examined. It has an entry for
// each UTF-16 code unit. For a digit the value is `DIGIT` plus the value of the digit.
const UNKNOWN = 0;
const UNSEEN_UNIT = 1;
const SIGN = 2;
const LETTER_UNIT = 3;
/** The character stands for several digits, or is half of a surrogate pair, so it is examined each time. */
const MANIFOLD = 4;
const DIGIT = 5;
const wideUnits = new Uint8Array(65_536);

/**
 * Holds all digits of a text. The object is reused, because every line of the log is examined; call `wipe` when done.
 */
export class SpelledDigits {
	text = '';
	count = 0;
	/** The digits as ASCII bytes. */
	values = Buffer.alloc(FIRST_SIZE);
	/** The offset of each digit in the text. */
	at = new Int32Array(FIRST_SIZE);
	/** The number of visible characters between a digit and the one before: 0 within a group, at most `TOO_FAR`. */
	gaps = new Uint8Array(FIRST_SIZE);
	/** Holds 1 if a letter is among the characters between a digit and the one before. */
	letters = new Uint8Array(FIRST_SIZE);
	/**
	 * Luhn sums of all digits before each position, with the even or the odd positions doubled, so that any part can be
	 * checked in one step.
	 */
	#evenSums = new Int32Array(FIRST_SIZE + 1);
	#oddSums = new Int32Array(FIRST_SIZE + 1);
	#gap = TOO_FAR;
	#hasLetter = 0;
	/** The text has been read up to this offset. */
	#readTo = 0;

	read(text: string): this {
		this.begin(text);
		this.readOn(Number.POSITIVE_INFINITY);
		return this;
	}

	/** Starts to read a text piece by piece. */
	begin(text: string): void {
		this.text = text;
		this.count = 0;
		this.#gap = TOO_FAR;
		this.#hasLetter = 0;
		this.#readTo = 0;
	}

	/**
	 * Reads on until there are `most` digits or the text ends. It first drops all but the last 128 digits of the previous
	 * reading, and returns how many of those were kept.
	 */
	readOn(most: number): number {
		const carried = this.#carry();
		const { text } = this;
		let i = this.#readTo;
		for (; i < text.length && this.count < most; i++) {
			const code = text.charCodeAt(i);
			if (code >= 0x30 && code <= 0x39) this.#add(code, i);
			else if (code < 0x80) {
				const letter = code | 0x20;
				this.#pass(letter >= 0x61 && letter <= 0x7a);
			} else i = this.#readWide(i, code);
		}
		this.#readTo = i;
		return carried;
	}

	get isOver(): boolean {
		return this.#readTo >= this.text.length;
	}

	/** Returns the text between a digit and the one before. */
	between(digit: number): string {
		return this.text.slice(this.at[digit - 1] + 1, this.at[digit]);
	}

	slice(from: number, to: number): string {
		return this.values.toString('latin1', from, to);
	}

	/** Tells whether the digits `[from, to)` pass the Luhn checksum. */
	passesLuhn(from: number, to: number): boolean {
		const sums = to % 2 === 0 ? this.#evenSums : this.#oddSums;
		return (sums[to] - sums[from]) % 10 === 0;
	}

	/**
	 * Overwrites the digits and drops the text. Lists that have become large are replaced by small ones, which frees
	 * their memory.
	 */
	wipe(): void {
		this.text = '';
		if (this.at.length > MAX_KEPT_SIZE) this.#resize(FIRST_SIZE, 0);
		else {
			this.values.fill(0, 0, this.count);
			this.#evenSums.fill(0, 0, this.count + 1);
			this.#oddSums.fill(0, 0, this.count + 1);
		}
		this.count = 0;
	}

	/**
	 * Drops all but the last 128 or 129 digits and returns how many are left. Every digit that was at an even position is
	 * at an even position again, because the Luhn sums depend on that.
	 */
	#carry(): number {
		const from = Math.max(0, this.count - CARRIED_DIGITS) & ~1;
		const kept = this.count - from;
		if (from === 0) return kept;
		for (const list of [this.values, this.at, this.gaps, this.letters]) list.copyWithin(0, from, this.count);
		for (const sums of [this.#evenSums, this.#oddSums]) {
			const before = sums[from];
			for (let i = 0; i <= kept; i++) sums[i] = sums[from + i] - before;
		}
		this.count = kept;
		return kept;
	}

	/**
	 * Reads the character above ASCII that begins at `at`, and returns the offset of its last UTF-16 code unit. One
	 * character can be several digits: ⑩.
	 */
	#readWide(at: number, code: number): number {
		const known = wideUnits[code];
		if (known >= DIGIT) this.#add(known - DIGIT + 0x30, at);
		else if (known === SIGN || known === LETTER_UNIT) this.#pass(known === LETTER_UNIT);
		else if (known !== UNSEEN_UNIT) return this.#lookAtWide(at, code);
		return at;
	}

	#lookAtWide(at: number, code: number): number {
		const character = String.fromCodePoint(this.text.codePointAt(at)!);
		const parts = [...character.normalize('NFKC')];
		for (const seen of parts) {
			const bytes = Buffer.from(seen);
			let unit = UNSEEN_UNIT;
			if (reader.read(bytes, 0, bytes.length) === UNIT.DIGIT) {
				unit = DIGIT + reader.digit - 0x30;
				this.#add(reader.digit, at);
			} else if (!UNSEEN.test(seen)) {
				unit = LETTER.test(seen) ? LETTER_UNIT : SIGN;
				this.#pass(unit === LETTER_UNIT);
			}
			if (wideUnits[code] === UNKNOWN) wideUnits[code] = character.length === 1 && parts.length === 1 ? unit : MANIFOLD;
		}
		return at + character.length - 1;
	}

	#pass(isLetter: boolean): void {
		if (this.#gap < TOO_FAR) this.#gap++;
		if (isLetter) this.#hasLetter = 1;
	}

	#add(value: number, at: number): void {
		const i = this.count++;
		if (i === this.at.length) this.#resize(i * 2, i);
		this.values[i] = value;
		this.at[i] = at;
		this.gaps[i] = this.#gap;
		this.letters[i] = this.#hasLetter;
		const digit = value - 0x30;
		this.#evenSums[i + 1] = this.#evenSums[i] + (i % 2 === 0 ? DOUBLED[digit] : digit);
		this.#oddSums[i + 1] = this.#oddSums[i] + (i % 2 === 0 ? digit : DOUBLED[digit]);
		this.#gap = 0;
		this.#hasLetter = 0;
	}

	/** Moves the first `kept` digits to lists of another size. */
	#resize(size: number, kept: number): void {
		const values = Buffer.alloc(size);
		this.values.copy(values, 0, 0, kept);
		this.values.fill(0);
		this.values = values;
		this.at = moved(this.at, new Int32Array(size), kept);
		this.gaps = moved(this.gaps, new Uint8Array(size), kept);
		this.letters = moved(this.letters, new Uint8Array(size), kept);
		this.#evenSums = moved(this.#evenSums, new Int32Array(size + 1), kept + 1);
		this.#oddSums = moved(this.#oddSums, new Int32Array(size + 1), kept + 1);
	}
}

function moved<T extends Int32Array | Uint8Array>(from: T, to: T, count: number): T {
	to.set(from.subarray(0, count));
	from.fill(0);
	return to;
}
