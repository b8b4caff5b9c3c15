import { isDigit } from '../../src/base/card/ascii.ts';

/** A name with more bytes than this means no field of a card: the limit is 64 characters, each of them escaped. */
export const MAX_NAMED_BYTES = 64 * 6;
/** A name with more digits than this may itself be a card number, so it is looked up each time and never kept. */
const MAX_KEPT_DIGITS = 6;
const BUCKETS = 2048;
const MAX_NAMES = 2048;
const POOL_BYTES = 65_536;
/**
 * At most this many names of a bucket are compared; others are resolved again each time. A hostile file could otherwise
 * make the search cost more than resolving a name.
 */
const MAX_STEPS = 16;

/**
 * Remembers by their bytes what the names of a file (keys, elements, attributes) mean. A file repeats a few names a
 * million times, and making a string of each would cost more than reading the file. The memory starts again when it is
 * full.
 */
export class NameMemo {
	readonly #resolve: (name: Buffer) => number;
	readonly #longest: number;
	/** Holds the index of the first name of each bucket, plus one. */
	readonly #heads = new Int32Array(BUCKETS);
	readonly #next = new Int32Array(MAX_NAMES);
	readonly #codes = new Int32Array(MAX_NAMES);
	/** Holds the start of each name in the pool, and the end of the last one. */
	readonly #starts = new Int32Array(MAX_NAMES + 1);
	readonly #pool = Buffer.alloc(POOL_BYTES);
	/** Holds the name that followed each name last time, because records repeat their names in the same order. */
	readonly #following = new Int32Array(MAX_NAMES);
	#last = 0;
	#count = 0;
	/** The meaning of the name that was found last. */
	code = 0;

	/**
	 * @param resolve returns what a name means, or 0 if nothing; normally it is called once for each name
	 * @param longest a name with more bytes than this has no meaning
	 */
	constructor(resolve: (name: Buffer) => number, longest = MAX_NAMED_BYTES) {
		this.#resolve = resolve;
		this.#longest = longest;
	}

	/**
	 * Guesses that names come in the same order as before: returns the length of the expected name if it begins at
	 * `start` and `close` comes directly after it; otherwise -1. No name contains `close`.
	 */
	guess(bytes: Buffer, start: number, end: number, close: number): number {
		const index = this.#following[this.#last];
		const from = this.#starts[index];
		const length = this.#starts[index + 1] - from;
		const after = start + length;
		if (index >= this.#count || after >= end || bytes[after] !== close) return -1;
		for (let i = 0; i < length; i++) if (this.#pool[from + i] !== bytes[start + i]) return -1;
		this.#last = index;
		this.code = this.#codes[index];
		return length;
	}

	/** Returns what the name in `bytes[start, end)` means. */
	find(bytes: Buffer, start: number, end: number): number {
		return (this.code = this.#look(bytes, start, end));
	}

	#look(bytes: Buffer, start: number, end: number): number {
		const length = end - start;
		const expected = this.#following[this.#last];
		if (expected < this.#count && this.#isSame(expected, bytes, start, length)) {
			this.#last = expected;
			return this.#codes[expected];
		}
		if (length <= 0 || length > this.#longest) return 0;
		// A few bytes distinguish most names, so only these are hashed; the comparison below reads all bytes.
		const middle = bytes[start + (length >> 1)];
		let hash = Math.imul(length * 31 + bytes[start], 0x9e3779b1) ^ Math.imul(middle * 31 + bytes[end - 1], 0x85ebca6b);
		if (length > 2) hash = Math.imul(hash ^ (bytes[start + 1] << 8) ^ bytes[end - 2], 0xc2b2ae35);
		const bucket = (hash ^ (hash >>> 15)) & (BUCKETS - 1);
		let steps = 0;
		for (let index = this.#heads[bucket]; index !== 0 && steps < MAX_STEPS; index = this.#next[index - 1], steps++) {
			if (this.#isSame(index - 1, bytes, start, length)) {
				this.#following[this.#last] = index - 1;
				this.#last = index - 1;
				return this.#codes[index - 1];
			}
		}
		return this.#learn(bytes, start, end, bucket);
	}

	#isSame(index: number, bytes: Buffer, start: number, length: number): boolean {
		const from = this.#starts[index];
		if (this.#starts[index + 1] - from !== length) return false;
		for (let i = 0; i < length; i++) if (this.#pool[from + i] !== bytes[start + i]) return false;
		return true;
	}

	#learn(bytes: Buffer, start: number, end: number, bucket: number): number {
		const name = bytes.subarray(start, end);
		const code = this.#resolve(name);
		let digits = 0;
		for (const byte of name) if (isDigit(byte)) digits++;
		if (digits > MAX_KEPT_DIGITS) return code;
		if (this.#count === MAX_NAMES || this.#starts[this.#count] + name.length > POOL_BYTES) {
			this.#heads.fill(0);
			this.#following.fill(0);
			this.#count = 0;
		}
		const index = this.#count++;
		this.#pool.set(name, this.#starts[index]);
		this.#starts[index + 1] = this.#starts[index] + name.length;
		this.#codes[index] = code;
		this.#next[index] = this.#heads[bucket];
		this.#heads[bucket] = index + 1;
		this.#following[this.#last] = index;
		this.#last = index;
		return code;
	}
}

/** Lowers the case of ASCII letters only, because names are compared as bytes. */
export function foldCase(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}
