import { bomLengthOf, type Charset } from '../charset.ts';
import type { KnownNames } from '../known-names.ts';
import { malformedBody } from '../problems.ts';
import { END, JSON_KIND, JsonTape, KEY_END, KEY_START, KIND, NAME, NEXT, START, STRIDE } from './tape.ts';

/** A body with deeper nesting than this is refused. */
const MAX_JSON_DEPTH = 200;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

const SIMPLE_ESCAPES = new Uint8Array(256);
for (const byte of Buffer.from('"\\/bfnrt')) SIMPLE_ESCAPES[byte] = 1;

const LITERALS: Record<number, Buffer> = {
	116: Buffer.from('true'),
	102: Buffer.from('false'),
	110: Buffer.from('null'),
};

/**
 * Reads a JSON body onto a tape (RFC 8259), depth-first without recursion. A member name that selectors use and that
 * occurs twice in one object is refused, because programs disagree which of the two is valid and a card could be hidden
 * there.
 */
export class JsonScan {
	readonly tape = new JsonTape();
	readonly #names: KnownNames;
	#bytes: Buffer = Buffer.alloc(0);
	/** Holds the rows, on the tape, of the objects and arrays that have begun and not ended. */
	readonly #open = new Int32Array(MAX_JSON_DEPTH + 1);
	/**
	 * Holds bits for each object that has begun and not ended. They tell which of the names that selectors use have
	 * occurred in it, so that a repeated name is noticed.
	 */
	readonly #seen: Uint32Array;
	readonly #words: number;
	#isEscaped = false;
	#depth = 0;
	// The byte range of the member name that precedes the next value, and the id of that name. In an array there is no
	// name: the range is then -1 to -1, and the id is 0.
	#keyStart = -1;
	#keyEnd = -1;
	#name = 0;

	constructor(names: KnownNames) {
		this.#names = names;
		this.#words = Math.ceil((names.count + 1) / 32);
		this.#seen = new Uint32Array((MAX_JSON_DEPTH + 1) * this.#words);
	}

	/**
	 * Scans a body.
	 * @throws ServiceError('bad-input-data') if the body is not valid JSON; the message names the byte and the line
	 */
	scan(bytes: Buffer, charset: Charset): JsonTape {
		this.tape.begin(bytes, charset);
		this.#bytes = bytes;
		this.#depth = 0;
		this.#clearKey();
		let at = this.#blanks(bomLengthOf(bytes));
		do {
			const byte = bytes[at];
			if (byte === 0x7b || byte === 0x5b) {
				at = this.#openValue(at, byte);
				if (bytes[at] !== byte + 2) {
					at = this.#member(at);
					continue;
				}
			} else at = this.#scalar(at);
			at = this.#closeValues(at);
		} while (this.#depth > 0);
		at = this.#blanks(at);
		if (at < bytes.length) throw this.#error('something stands after the value', at);
		return this.tape;
	}

	/** Adds a value to the tape and returns its row. `at` is the offset where the value begins. */
	#add(kind: number, at: number): number {
		const { tape } = this;
		const row = tape.count * STRIDE;
		if (row === tape.cells.length) tape.grow();
		const { cells } = tape;
		cells[row + KIND] = kind;
		cells[row + START] = at;
		cells[row + NAME] = this.#name;
		cells[row + KEY_START] = this.#keyStart;
		cells[row + KEY_END] = this.#keyEnd;
		cells[row + NEXT] = ++tape.count;
		return row;
	}

	/** Begins an object or array; returns the position of its first member or its closing bracket. */
	#openValue(at: number, byte: number): number {
		if (this.#depth === MAX_JSON_DEPTH) throw this.#error(`values nested deeper than ${MAX_JSON_DEPTH}`, at);
		this.#open[this.#depth] = this.tape.count;
		this.#add(byte === 0x7b ? JSON_KIND.OBJECT : JSON_KIND.ARRAY, at);
		const words = this.#words;
		for (let i = 0; i < words; i++) this.#seen[this.#depth * words + i] = 0;
		this.#depth++;
		return this.#blanks(at + 1);
	}

	/**
	 * Continues after a value: passes every closing bracket that follows it. Returns the position of the next value, or
	 * the position after the outermost value if that has ended.
	 */
	#closeValues(at: number): number {
		const { cells } = this.tape;
		while (this.#depth > 0) {
			at = this.#blanks(at);
			const open = this.#open[this.#depth - 1];
			const isObject = cells[open * STRIDE + KIND] === JSON_KIND.OBJECT;
			const byte = this.#bytes[at];
			if (byte === COMMA) return this.#member(this.#blanks(at + 1));
			if (byte !== (isObject ? 0x7d : 0x5d)) throw this.#error(`expected "," or "${isObject ? '}' : ']'}"`, at);
			cells[open * STRIDE + END] = ++at;
			cells[open * STRIDE + NEXT] = this.tape.count;
			this.#depth--;
		}
		return at;
	}

	/**
	 * Reads the name of the next member of an object, and returns where the value of the member begins. In an array there
	 * is no name to read.
	 */
	#member(at: number): number {
		const bytes = this.#bytes;
		if (this.tape.cells[this.#open[this.#depth - 1] * STRIDE + KIND] !== JSON_KIND.OBJECT) {
			this.#clearKey();
			return at;
		}
		if (bytes[at] !== QUOTE) throw this.#error('expected a member name in quotes', at);
		const end = this.#stringEnd(at + 1);
		this.#keyStart = at + 1;
		this.#keyEnd = end;
		this.#name = this.#isEscaped ? this.#findEscaped(at, end) : this.#names.find(bytes, at + 1, end);
		if (this.#name !== 0) this.#refuseTwice(at);
		at = this.#blanks(end + 1);
		if (bytes[at] !== 0x3a) throw this.#error('expected ":" after a member name', at);
		return this.#blanks(at + 1);
	}

	#clearKey(): void {
		this.#keyStart = -1;
		this.#keyEnd = -1;
		this.#name = 0;
	}

	#findEscaped(at: number, end: number): number {
		const name = Buffer.from(JSON.parse(this.#bytes.toString('latin1', at, end + 1)), 'utf8');
		return this.#names.find(name, 0, name.length);
	}

	#refuseTwice(at: number): void {
		const word = (this.#depth - 1) * this.#words + (this.#name >>> 5);
		const bit = 1 << (this.#name & 31);
		if ((this.#seen[word] & bit) !== 0) throw this.#error('a member name that is selected stands twice', at);
		this.#seen[word] |= bit;
	}

	#scalar(at: number): number {
		const byte = this.#bytes[at];
		if (byte === QUOTE) {
			const end = this.#stringEnd(at + 1);
			const row = this.#add(this.#isEscaped ? JSON_KIND.ESCAPED_STRING : JSON_KIND.STRING, at + 1);
			this.tape.cells[row + END] = end;
			return end + 1;
		}
		const isNumber = byte === 0x2d || (byte >= 0x30 && byte <= 0x39);
		const end = isNumber ? this.#numberEnd(at) : this.#literalEnd(at);
		const row = this.#add(isNumber ? JSON_KIND.NUMBER : byte === 0x6e ? JSON_KIND.NULL : JSON_KIND.LITERAL, at);
		this.tape.cells[row + END] = end;
		return end;
	}

	/** Returns the offset of the closing quote of a string. `at` is the offset where the text in the quotes begins. */
	#stringEnd(at: number): number {
		const bytes = this.#bytes;
		this.#isEscaped = false;
		for (;;) {
			let byte = bytes[at];
			// Small letters are recognised first: they make up most of a text, and one comparison is enough for them.
			while (byte > BACKSLASH || (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH)) byte = bytes[++at];
			if (byte === QUOTE) return at;
			if (at >= bytes.length) throw this.#error('the body ends inside a string', at);
			if (bytes[at] !== BACKSLASH) throw this.#error('a control character in a string', at);
			this.#isEscaped = true;
			at = this.#escapeEnd(at);
		}
	}

	#escapeEnd(at: number): number {
		const bytes = this.#bytes;
		if (bytes[at + 1] !== 0x75) {
			if (SIMPLE_ESCAPES[bytes[at + 1]] !== 1) throw this.#error('an unknown escape in a string', at);
			return at + 2;
		}
		for (let i = at + 2; i < at + 6; i++) {
			if (!isHex(bytes[i])) throw this.#error('expected four hexadecimal digits after \\u', at);
		}
		return at + 6;
	}

	#numberEnd(at: number): number {
		const bytes = this.#bytes;
		const start = at;
		if (bytes[at] === 0x2d) at++;
		const first = at;
		at = this.#digitsEnd(at);
		let isWhole = at > first && (bytes[first] !== 0x30 || at === first + 1);
		if (isWhole && bytes[at] === 0x2e) {
			const fraction = at + 1;
			at = this.#digitsEnd(fraction);
			isWhole = at > fraction;
		}
		if (isWhole && (bytes[at] === 0x65 || bytes[at] === 0x45)) {
			at++;
			if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++;
			const exponent = at;
			at = this.#digitsEnd(exponent);
			isWhole = at > exponent;
		}
		if (!isWhole) throw this.#error('a malformed number', start);
		return at;
	}

	#digitsEnd(at: number): number {
		const bytes = this.#bytes;
		while (bytes[at] >= 0x30 && bytes[at] <= 0x39) at++;
		return at;
	}

	#literalEnd(at: number): number {
		const literal = LITERALS[this.#bytes[at]];
		for (let i = 0; i < (literal?.length ?? 1); i++) {
			if (literal?.[i] !== this.#bytes[at + i] || literal === undefined) throw this.#error('expected a value', at);
		}
		return at + literal.length;
	}

	#blanks(at: number): number {
		const bytes = this.#bytes;
		for (;;) {
			const byte = bytes[at];
			if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
			at++;
		}
	}

	#error(reason: string, at: number): Error {
		const end = this.#bytes.length;
		return malformedBody('JSON', at >= end ? 'the body ends too early' : reason, this.#bytes, Math.min(at, end));
	}
}

function isHex(byte: number): boolean {
	return (byte >= 0x30 && byte <= 0x39) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
}
