// Reads JSON by its bytes, a piece at a time and without building values (RFC 8259).

import { endOfDigits, hexValue, isAlphanumeric, isDigit } from '../card/ascii.ts';
import { JSON_ESCAPES } from './json-text.ts';

const LF = 0x0a;
const CR = 0x0d;

/**
 * What `JsonReader.next` has read: a key, a value, the beginning or the end of an object or array, or the comma before
 * another element of an array. `NONE` means that the piece ends, perhaps inside an event that is read again from its start
 * with the next piece. The last two are the ends of a key and of another string that `leave` has given up before.
 */
export const JSON_EVENT = {
	...{ NONE: 0, KEY: 1, STRING: 2, NUMBER: 3, LITERAL: 4, OPEN: 5, CLOSE: 6, ELEMENT: 7 },
	...{ REST_OF_KEY: 8, REST_OF_STRING: 9 },
} as const;
export type JsonEvent = (typeof JSON_EVENT)[keyof typeof JSON_EVENT];

/** What can be wrong with a text. */
export const JSON_PROBLEMS = {
	key: 'expected a JSON key in quotes',
	colon: 'expected ":" after a JSON key',
	comma: 'expected "," or the end of a JSON object or array',
	value: 'expected a JSON value',
	literal: 'unknown JSON literal',
	number: 'malformed JSON number',
	zero: 'a JSON number does not begin with 0',
	grown: 'a JSON number or literal goes on as no value does',
	escape: 'unknown escape in a JSON string',
	unicode: '\\u needs four hexadecimal digits',
	control: 'control character in a JSON string',
	depth: 'JSON nested too deeply',
	end: 'the text ends inside JSON',
} as const;
export type JsonProblem = keyof typeof JSON_PROBLEMS;

export interface JsonReading {
	/** Objects and arrays may be nested this deep. */
	readonly depth: number;
	/** Makes the error for a problem at an offset, where `byte` stands; it is undefined where the text ends. */
	fail(problem: JsonProblem, at: number, byte: number | undefined): Error;
	/** True if all bytes are there from the beginning. Whatever is incomplete then is a problem. */
	readonly isWhole?: boolean;
	/** Guesses keys, which records repeat in the same order: returns the length of the one at `start`, or -1. */
	readonly keys?: { guess(bytes: Buffer, start: number, end: number, close: number): number };
}

// The states say what may come next. In the last two the reader is inside a string that `leave` has given up; it passes
// the rest of it, however long that is.
const TOP = 0;
const VALUE = 1;
const VALUE_OR_END = 2;
const KEY = 3;
const KEY_OR_END = 4;
const COLON = 5;
const AFTER_VALUE = 6;
const IN_KEY = 7;
const IN_STRING = 8;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_OBJECT = 0x7b;
const OPEN_ARRAY = 0x5b;
const CLOSE_OBJECT = 0x7d;
const CLOSE_ARRAY = 0x5d;

const NOTHING = Buffer.alloc(0);
const INCOMPLETE = -1;

const LITERALS = new Map(['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Buffer.from(word)]));

/**
 * Reads one value, or any number of values behind each other, and counts lines. `begin` gives it a piece, `next` reads
 * it event by event, and `pause` ends it. The next piece begins with the byte at `at`.
 */
export class JsonReader {
	/** Where the next event begins. */
	at = 0;
	/** The end of what may be read. Lowering it makes the reader stop earlier; then more bytes follow. */
	end = 0;
	line = 1;
	/** The range of the key, string, number or literal that was read last. */
	start = 0;
	stop = 0;
	/** True if the key or string that was read last has escapes. */
	isEscaped = false;
	/** True if the key that was read last was guessed by `keys`. */
	isGuessed = false;
	depth = 0;
	/** After `NONE`: where reading could go on inside an incomplete string, never in the middle of an escape; else -1. */
	cut = -1;
	readonly maxDepth: number;
	readonly #reading: JsonReading;
	readonly #keys: JsonReading['keys'];
	/** Holds, for each depth, 1 for an object and 0 for an array. */
	readonly #objects: Uint8Array;
	#bytes: Buffer = NOTHING;
	#from = 0;
	/** The end of the text if it is in this piece; otherwise -1. */
	#last = -1;
	#state = TOP;
	/** True if the byte before this piece was a CR, so that an LF at its start is not counted as another line end. */
	#isAfterCr = false;

	constructor(reading: JsonReading) {
		this.maxDepth = reading.depth;
		this.#reading = reading;
		this.#keys = reading.keys;
		this.#objects = new Uint8Array(reading.depth + 1);
	}

	get isInString(): boolean {
		return this.#state >= IN_KEY;
	}

	/** True if a key, its rest or the end of an object comes next. */
	get expectsKey(): boolean {
		return this.#state === KEY || this.#state === KEY_OR_END || this.#state === IN_KEY;
	}

	/** Tells whether what is open at a depth, from 1, is an object. */
	isObject(depth: number): boolean {
		return this.#objects[depth] === 1;
	}

	/** Begins a piece, `bytes[from, to)`; `isLast` says that no bytes follow it. */
	begin(bytes: Buffer, from: number, to: number, isLast: boolean): void {
		this.#bytes = bytes;
		this.at = this.#from = from;
		this.end = to;
		this.#last = isLast ? to : -1;
	}

	/** Begins another text, all of which is in `bytes[from, to)`. */
	open(bytes: Buffer, from: number, to: number): void {
		this.begin(bytes, from, to, true);
		this.#state = TOP;
		this.depth = 0;
	}

	/** Ends the piece, whose bytes before `at` are read for good. */
	pause(): void {
		if (this.at > this.#from) this.#isAfterCr = this.#bytes[this.at - 1] === CR;
		this.#bytes = NOTHING;
	}

	/** Goes back to a key, inside the object that was open there at `depth`. */
	rewind(at: number, line: number, depth: number): void {
		this.at = at;
		this.line = line;
		this.depth = depth;
		// Meanwhile an array may have been open at this depth.
		this.#objects[depth] = 1;
		this.#state = KEY;
	}

	/** Goes on inside the incomplete string after which `next` has returned `NONE`; what was read of it is not kept. */
	leave(): void {
		if (this.#state < IN_KEY) this.#state = this.expectsKey ? IN_KEY : IN_STRING;
		this.at = this.cut;
	}

	/** Takes the place of another reader, without its piece. */
	follow(other: JsonReader): void {
		this.depth = other.depth;
		this.line = other.line;
		this.#state = other.#state;
		this.#objects.set(other.#objects);
	}

	/**
	 * Reads the next event.
	 * @throws what `fail` of the reading makes of a problem
	 */
	next(): JsonEvent {
		this.cut = -1;
		for (;;) {
			if (this.#state >= IN_KEY) return this.#restOfString();
			const at = this.blanksEnd();
			if (at >= this.end) {
				if (this.#reading.isWhole) throw this.#error('end', at);
				return JSON_EVENT.NONE;
			}
			const byte = this.#bytes[at];
			switch (this.#state) {
				case KEY_OR_END:
					return byte === CLOSE_OBJECT ? this.#close(at) : this.#key(at);
				case KEY:
					return this.#key(at);
				case COLON:
					if (byte !== 0x3a) throw this.#error('colon', at);
					this.#state = VALUE;
					this.at = at + 1;
					break;
				case AFTER_VALUE: {
					const isObject = this.#objects[this.depth] === 1;
					if (byte !== 0x2c) {
						if (byte !== (isObject ? CLOSE_OBJECT : CLOSE_ARRAY)) throw this.#error('comma', at);
						return this.#close(at);
					}
					this.at = at + 1;
					this.#state = isObject ? KEY : VALUE;
					if (isObject) break;
					return JSON_EVENT.ELEMENT;
				}
				case VALUE_OR_END:
					return byte === CLOSE_ARRAY ? this.#close(at) : this.#value(at, byte);
				default:
					return this.#value(at, byte);
			}
		}
	}

	/** Passes blanks, and returns where they end. */
	blanksEnd(): number {
		const bytes = this.#bytes;
		const end = this.end;
		let at = this.at;
		for (; at < end; at++) {
			const byte = bytes[at];
			if (byte === 0x20) continue;
			if (byte > 0x20) break;
			if (byte === LF) {
				if (!(at > this.#from ? bytes[at - 1] === CR : this.#isAfterCr)) this.line++;
			} else if (byte === CR) this.line++;
			else if (byte !== 0x09) break;
		}
		this.at = at;
		return at;
	}

	#key(at: number): JsonEvent {
		if (this.#bytes[at] !== QUOTE) throw this.#error('key', at);
		const length = this.#keys === undefined ? -1 : this.#keys.guess(this.#bytes, at + 1, this.end, QUOTE);
		this.isGuessed = length > 0;
		const close = this.isGuessed ? at + 1 + length : this.#stringEnd(at + 1);
		if (close === INCOMPLETE) return JSON_EVENT.NONE;
		this.start = at + 1;
		this.stop = close;
		// In nearly all texts the colon follows at once.
		const hasColon = close + 1 < this.end && this.#bytes[close + 1] === 0x3a;
		this.#state = hasColon ? VALUE : COLON;
		this.at = hasColon ? close + 2 : close + 1;
		return JSON_EVENT.KEY;
	}

	#value(at: number, byte: number): JsonEvent {
		if (byte === QUOTE) {
			const close = this.#stringEnd(at + 1);
			if (close === INCOMPLETE) return JSON_EVENT.NONE;
			this.start = at + 1;
			this.stop = close;
			return this.#done(JSON_EVENT.STRING, close + 1);
		}
		if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) return this.#open(at, byte === OPEN_OBJECT);
		const isNumber = byte === 0x2d || isDigit(byte);
		const stop = isNumber ? this.#numberEnd(at) : this.#literalEnd(at);
		if (stop === INCOMPLETE) return JSON_EVENT.NONE;
		this.start = at;
		this.stop = stop;
		return this.#done(isNumber ? JSON_EVENT.NUMBER : JSON_EVENT.LITERAL, stop);
	}

	#open(at: number, isObject: boolean): JsonEvent {
		if (this.depth === this.maxDepth) throw this.#error('depth', at);
		this.#objects[++this.depth] = isObject ? 1 : 0;
		this.#state = isObject ? KEY_OR_END : VALUE_OR_END;
		this.at = at + 1;
		return JSON_EVENT.OPEN;
	}

	#close(at: number): JsonEvent {
		this.depth--;
		return this.#done(JSON_EVENT.CLOSE, at + 1);
	}

	/** Ends a value, before `at`. */
	#done(event: JsonEvent, at: number): JsonEvent {
		this.at = at;
		this.#state = this.depth === 0 ? TOP : AFTER_VALUE;
		return event;
	}

	#restOfString(): JsonEvent {
		const close = this.#stringEnd(this.at);
		if (close === INCOMPLETE) {
			this.at = this.cut;
			return JSON_EVENT.NONE;
		}
		if (this.#state === IN_STRING) return this.#done(JSON_EVENT.REST_OF_STRING, close + 1);
		this.at = close + 1;
		this.#state = COLON;
		return JSON_EVENT.REST_OF_KEY;
	}

	/** Returns the position of the closing quote of the string whose text begins at `at`, or `INCOMPLETE`. */
	#stringEnd(at: number): number {
		const bytes = this.#bytes;
		const end = this.end;
		this.isEscaped = false;
		while (at < end) {
			const byte = bytes[at];
			// Small letters are recognised first: they make up most of a text, and one comparison is enough for them.
			if (byte > BACKSLASH || (byte >= 0x20 && byte !== QUOTE && byte !== BACKSLASH)) {
				at++;
				continue;
			}
			if (byte === QUOTE) return at;
			if (byte !== BACKSLASH) throw this.#error('control', at);
			this.isEscaped = true;
			const next = this.#escapeEnd(at);
			if (next === INCOMPLETE) break;
			at = next;
		}
		if (this.#reading.isWhole) throw this.#error('end', end);
		this.cut = at;
		return INCOMPLETE;
	}

	/** Returns the end of the escape whose backslash is at `at`, or `INCOMPLETE`. */
	#escapeEnd(at: number): number {
		const bytes = this.#bytes;
		if (at + 1 >= this.end) return this.#isIncomplete('escape', at);
		if (bytes[at + 1] !== 0x75) {
			if (JSON_ESCAPES[bytes[at + 1]] === 0) throw this.#error('escape', at);
			return at + 2;
		}
		for (let i = at + 2; i < at + 6; i++) {
			if (i >= this.end) return this.#isIncomplete('unicode', at);
			if (hexValue(bytes[i]) < 0) throw this.#error('unicode', at);
		}
		return at + 6;
	}

	/** Returns the end of the number at `at`, or `INCOMPLETE` if more digits could follow. */
	#numberEnd(at: number): number {
		const bytes = this.#bytes;
		const end = this.end;
		const start = at;
		if (bytes[at] === 0x2d) at++;
		const first = at;
		at = endOfDigits(bytes, at, end);
		let isWhole = at > first;
		if (at - first > 1 && bytes[first] === 0x30) throw this.#error('zero', start);
		if (isWhole && at < end && bytes[at] === 0x2e) {
			const fraction = at + 1;
			at = endOfDigits(bytes, fraction, end);
			isWhole = at > fraction;
		}
		if (isWhole && at < end && (bytes[at] | 0x20) === 0x65) {
			at++;
			if (at < end && (bytes[at] === 0x2b || bytes[at] === 0x2d)) at++;
			const exponent = at;
			at = endOfDigits(bytes, exponent, end);
			isWhole = at > exponent;
		}
		if (at >= end && end !== this.#last) return INCOMPLETE;
		if (!isWhole) throw this.#error('number', start);
		return this.#endOfWord(start, at);
	}

	/** Returns the end of the `true`, `false` or `null` at `at`, or `INCOMPLETE`. */
	#literalEnd(at: number): number {
		const bytes = this.#bytes;
		const literal = LITERALS.get(bytes[at]);
		if (literal === undefined) throw this.#error('value', at);
		for (let i = 1; i < literal.length; i++) {
			if (at + i >= this.end) return this.#isIncomplete('literal', at);
			if (bytes[at + i] !== literal[i]) throw this.#error('literal', at);
		}
		const after = at + literal.length;
		if (after >= this.end && this.end !== this.#last) return INCOMPLETE;
		return this.#endOfWord(at, after);
	}

	/**
	 * Checks that the number or literal at `start` ends at `at`, which `stop` tells otherwise. No letter, digit or sign may
	 * directly follow it, even where one value is written after another.
	 */
	#endOfWord(start: number, at: number): number {
		if (at >= this.end) return at;
		const byte = this.#bytes[at];
		if (!isAlphanumeric(byte) && (byte < 0x2b || byte > 0x2e || byte === 0x2c)) return at;
		this.stop = at;
		throw this.#error('grown', start);
	}

	#isIncomplete(problem: JsonProblem, at: number): number {
		if (this.#reading.isWhole) throw this.#error(problem, at);
		return INCOMPLETE;
	}

	#error(problem: JsonProblem, at: number): Error {
		return this.#reading.fail(problem, at, this.#bytes[at]);
	}
}
