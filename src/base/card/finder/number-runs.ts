// Tells at a glance where a text may hold card numbers: where 13 bytes in a row are of those that numbers are made of. Most
// text has no such place for hundreds of bytes, and is not looked at more closely. For a short text this takes longer than to
// look at it.

import { BITS, KIND, KIND_COUNT, MOST_BYTES, nextBit, readKinds } from './byte-kinds.ts';

/** Finds the runs of one text at a time, which is usually a window of a file. */
export class NumberRuns {
	#from = 0;
	#to = 0;
	#words = 0;
	/** Has the bits of the bytes with which 13 bytes of a run end that begin with a digit. */
	#ends = new Int32Array(0);
	/** What the last 32 bytes before were. */
	readonly #before = new Int32Array(8);
	readonly #beforeDivided = new Int32Array(11);

	/** Begins the text `bytes[from, to)`. */
	begin(bytes: Buffer, from: number, to: number): this {
		this.#from = from;
		this.#to = to;
		this.#words = Math.ceil((to - from) / BITS);
		if (this.#ends.length < this.#words) this.#ends = new Int32Array(2 * this.#words);
		this.#before.fill(0);
		this.#beforeDivided.fill(0);
		for (let at = from, word = 0; at < to; at += MOST_BYTES, word += MOST_BYTES / BITS) {
			const end = Math.min(to, at + MOST_BYTES);
			const kinds = readKinds(bytes, at, end);
			const count = Math.ceil((end - at) / BITS);
			this.#findPrinted(kinds, count, word);
			this.#addDivided(kinds, count, word);
		}
		return this;
	}

	/**
	 * Returns the first byte at `at` or behind it with which a run of 13 bytes ends, so that it is in any number that begins
	 * with the run. Returns the end of the text if there is none.
	 */
	next(at: number): number {
		return Math.min(this.#to, this.#from + nextBit(this.#ends, this.#words, at - this.#from));
	}

	/**
	 * A run begins with the first digit of a group. It consists either of digits and separators, at most three of these in a
	 * row, or of digits and signs, at most five in a row, with at most six digits between. Bytes above ASCII may be digits or
	 * separators. Six digits, a sign and six more are dates (`261120;261120`), with which no number begins.
	 *
	 * A bit is shifted to the bytes behind it, and what is shifted out of a word comes into the next one.
	 */
	#findPrinted(kinds: Int32Array, count: number, word: number): void {
		const ends = this.#ends;
		const before = this.#before;
		let [digits, s, n, n2, a, a2, a4, a8] = before;
		for (let i = 0, at = 0; i < count; i++, at += KIND_COUNT) {
			const ascii = kinds[at + KIND.DIGIT];
			const mayBeDigits = ascii | kinds[at + KIND.HIGH];
			// Others than digits, two in a row, and four.
			const others = ~mayBeDigits;
			const others2 = others & ((others << 1) | (n >>> 31));
			const others4 = others2 & ((others2 << 2) | (n2 >>> 30));
			const printed = (mayBeDigits | kinds[at + KIND.SEPARATOR]) & ~others4;
			const printed2 = printed & ((printed << 1) | (a >>> 31));
			const printed4 = printed2 & ((printed2 << 2) | (a2 >>> 30));
			const printed8 = printed4 & ((printed4 << 4) | (a4 >>> 28));
			const starts = mayBeDigits & ~((ascii << 1) | (digits >>> 31));
			ends[word + i] = printed8 & ((printed8 << 5) | (a8 >>> 27)) & ((starts << 12) | (s >>> 20));
			digits = ascii;
			s = starts;
			n = others;
			n2 = others2;
			a = printed;
			a2 = printed2;
			a4 = printed4;
			a8 = printed8;
		}
		before.set([digits, s, n, n2, a, a2, a4, a8]);
	}

	/** Adds the bits of the runs of digits and signs. */
	#addDivided(kinds: Int32Array, count: number, word: number): void {
		const ends = this.#ends;
		const before = this.#beforeDivided;
		let [l, l2, l4, l6, s, n, n2, b, b2, b4, b8] = before;
		for (let i = 0, at = 0; i < count; i++, at += KIND_COUNT) {
			const digits = kinds[at + KIND.DIGIT];
			const mayBeDigits = digits | kinds[at + KIND.HIGH];
			const others = ~mayBeDigits;
			const others2 = others & ((others << 1) | (n >>> 31));
			const others4 = others2 & ((others2 << 2) | (n2 >>> 30));
			const others6 = others4 & ((others2 << 4) | (n2 >>> 28));
			const digits2 = digits & ((digits << 1) | (l >>> 31));
			const digits4 = digits2 & ((digits2 << 2) | (l2 >>> 30));
			const digits6 = digits4 & ((digits2 << 4) | (l2 >>> 28));
			const digits7 = digits4 & ((digits4 << 3) | (l4 >>> 29));
			const areDates = digits6 & ((digits6 << 7) | (l6 >>> 25));
			const divided = (mayBeDigits | kinds[at + KIND.GAP]) & ~(others6 | digits7);
			const divided2 = divided & ((divided << 1) | (b >>> 31));
			const divided4 = divided2 & ((divided2 << 2) | (b2 >>> 30));
			const divided8 = divided4 & ((divided4 << 4) | (b4 >>> 28));
			const starts = mayBeDigits & ~((digits << 1) | (l >>> 31));
			ends[word + i] |= divided8 & ((divided8 << 5) | (b8 >>> 27)) & ~areDates & ((starts << 12) | (s >>> 20));
			l = digits;
			l2 = digits2;
			l4 = digits4;
			l6 = digits6;
			s = starts;
			n = others;
			n2 = others2;
			b = divided;
			b2 = divided2;
			b4 = divided4;
			b8 = divided8;
		}
		before.set([l, l2, l4, l6, s, n, n2, b, b2, b4, b8]);
	}
}
