// The digits of a text as a reader sees them: of any script, with what nobody sees between them left out.

import { DigitReader, UNIT } from './digit-text.ts';

/** A gap that two digits of one number never have: characters in a row that no longer let them belong together. */
export const TOO_FAR = 4;

/** Nothing of these is seen: zero-width blanks and joiners, marks of direction, accents without a letter. */
const UNSEEN = /^[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Mn}\p{Me}]$/u;
const LETTER = /^[\p{L}\p{N}]$/u;
/** What a doubled digit adds to the Luhn sum, by the digit. */
const DOUBLED = Uint8Array.of(0, 2, 4, 6, 8, 1, 3, 5, 7, 9);
const FIRST_SIZE = 256;
/** Room that is kept for the next text. */
const MAX_KEPT_SIZE = 16_384;

const reader = new DigitReader();

/** All digits of a text. Made once and reused, since every line of the log passes; `wipe` when done. */
export class SpelledDigits {
	text = '';
	count = 0;
	/** ASCII bytes. */
	values = Buffer.alloc(FIRST_SIZE);
	/** Where in the text a digit begins. */
	at = new Int32Array(FIRST_SIZE);
	/** Characters seen between a digit and the one before: 0 within a group, at most `TOO_FAR`. */
	gaps = new Uint8Array(FIRST_SIZE);
	/** 1 where a letter stands among them. */
	letters = new Uint8Array(FIRST_SIZE);
	/** Luhn sums of the digits before, with those at even places doubled, and at odd ones: any part is checked in one step. */
	#evenSums = new Int32Array(FIRST_SIZE + 1);
	#oddSums = new Int32Array(FIRST_SIZE + 1);
	#gap = TOO_FAR;
	#hasLetter = 0;

	read(text: string): this {
		this.text = text;
		this.count = 0;
		this.#gap = TOO_FAR;
		this.#hasLetter = 0;
		for (let i = 0; i < text.length; i++) {
			const code = text.charCodeAt(i);
			if (code >= 0x30 && code <= 0x39) this.#add(code, i);
			else if (code < 0x80) {
				const letter = code | 0x20;
				this.#pass(letter >= 0x61 && letter <= 0x7a);
			} else i = this.#readWide(i);
		}
		return this;
	}

	/** The text between a digit and the one before. */
	between(digit: number): string {
		return this.text.slice(this.at[digit - 1] + 1, this.at[digit]);
	}

	/** The digits `[from, to)` as text. */
	slice(from: number, to: number): string {
		return this.values.toString('latin1', from, to);
	}

	/** Whether the digits `[from, to)` pass the Luhn checksum. */
	passesLuhn(from: number, to: number): boolean {
		const sums = to % 2 === 0 ? this.#evenSums : this.#oddSums;
		return (sums[to] - sums[from]) % 10 === 0;
	}

	/** Overwrites the digits and lets go of a large text. */
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

	/** Reads a character above ASCII; returns the offset of its last unit. One may be several digits: ⑩. */
	#readWide(at: number): number {
		const character = String.fromCodePoint(this.text.codePointAt(at)!);
		for (const seen of character.normalize('NFKC')) {
			const bytes = Buffer.from(seen);
			if (reader.read(bytes, 0, bytes.length) === UNIT.DIGIT) this.#add(reader.digit, at);
			else if (!UNSEEN.test(seen)) this.#pass(LETTER.test(seen));
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
