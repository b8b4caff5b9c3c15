import { JSON_EVENT, type JsonEvent, type JsonProblem, JsonReader } from '../../../../base/text/json.ts';
import { bomLengthOf, type Charset } from '../charset.ts';
import type { KnownNames } from '../known-names.ts';
import { malformedBody } from '../problems.ts';
import { END, JSON_KIND, JsonTape, KEY_END, KEY_START, KIND, NAME, NEXT, START, STRIDE } from './tape.ts';

/** A body with deeper nesting than this is refused. */
const MAX_JSON_DEPTH = 200;

const PROBLEMS: Readonly<Record<JsonProblem, string>> = {
	key: 'expected a member name in quotes',
	colon: 'expected ":" after a member name',
	comma: 'expected "," or "]"',
	value: 'expected a value',
	literal: 'expected a value',
	number: 'a malformed number',
	zero: 'a malformed number',
	grown: 'something stands after the value',
	escape: 'an unknown escape in a string',
	unicode: 'expected four hexadecimal digits after \\u',
	control: 'a control character in a string',
	depth: `values nested deeper than ${MAX_JSON_DEPTH}`,
	end: 'the body ends too early',
};

/** Marks a value without a name: an element of an array, or the whole body. */
const NO_KEY = -1;

/**
 * Puts what a body holds onto a tape. A member name that selectors use and that occurs twice in one object is refused,
 * because programs disagree which of the two is valid and a card could be hidden there.
 */
export class JsonScan {
	readonly tape = new JsonTape();
	readonly #names: KnownNames;
	readonly #reader = new JsonReader({
		depth: MAX_JSON_DEPTH,
		isWhole: true,
		fail: (problem, at) => this.#failure(problem, at),
	});
	/** Holds the rows, on the tape, of the objects and arrays that have begun and not ended, by their depth. */
	readonly #open = new Int32Array(MAX_JSON_DEPTH + 1);
	/**
	 * Holds bits for each object that has begun and not ended. They tell which of the names that selectors use have
	 * occurred in it, so that a repeated name is noticed.
	 */
	readonly #seen: Uint32Array;
	readonly #words: number;
	/** The range of the member name that precedes the next value, and the id of that name. */
	#keyStart = NO_KEY;
	#keyEnd = NO_KEY;
	#name = 0;

	constructor(names: KnownNames) {
		this.#names = names;
		this.#words = Math.ceil((names.count + 1) / 32);
		this.#seen = new Uint32Array((MAX_JSON_DEPTH + 1) * this.#words);
	}

	/** @throws ServiceError('bad-input-data') if the body is not valid JSON; the message names the byte and the line */
	scan(bytes: Buffer, charset: Charset): JsonTape {
		const reader = this.#reader;
		this.tape.begin(bytes, charset);
		this.#clearKey();
		reader.open(bytes, bomLengthOf(bytes), bytes.length);
		try {
			do this.#take(reader.next());
			while (reader.depth > 0);
			const end = reader.blanksEnd();
			if (end < bytes.length) throw this.#error('something stands after the value', end);
		} finally {
			reader.pause();
		}
		return this.tape;
	}

	#take(event: JsonEvent): void {
		const reader = this.#reader;
		switch (event) {
			case JSON_EVENT.KEY:
				this.#key();
				break;
			case JSON_EVENT.STRING:
				this.#add(reader.isEscaped ? JSON_KIND.ESCAPED_STRING : JSON_KIND.STRING, reader.start, reader.stop);
				break;
			case JSON_EVENT.NUMBER:
				this.#add(JSON_KIND.NUMBER, reader.start, reader.stop);
				break;
			case JSON_EVENT.LITERAL: {
				const isNull = this.tape.bytes[reader.start] === 0x6e;
				this.#add(isNull ? JSON_KIND.NULL : JSON_KIND.LITERAL, reader.start, reader.stop);
				break;
			}
			case JSON_EVENT.OPEN:
				this.#begin();
				break;
			case JSON_EVENT.CLOSE: {
				const row = this.#open[reader.depth + 1];
				this.tape.cells[row + END] = reader.at;
				this.tape.cells[row + NEXT] = this.tape.count;
				break;
			}
			case JSON_EVENT.ELEMENT:
				this.#clearKey();
		}
	}

	#add(kind: number, start: number, end: number): number {
		const { tape } = this;
		const row = tape.count * STRIDE;
		if (row === tape.cells.length) tape.grow();
		const { cells } = tape;
		cells[row + KIND] = kind;
		cells[row + START] = start;
		cells[row + END] = end;
		cells[row + NAME] = this.#name;
		cells[row + KEY_START] = this.#keyStart;
		cells[row + KEY_END] = this.#keyEnd;
		cells[row + NEXT] = ++tape.count;
		return row;
	}

	#begin(): void {
		const { depth, at } = this.#reader;
		const isObject = this.#reader.isObject(depth);
		this.#open[depth] = this.#add(isObject ? JSON_KIND.OBJECT : JSON_KIND.ARRAY, at - 1, 0);
		if (!isObject) this.#clearKey();
		const words = this.#words;
		for (let i = 0; i < words; i++) this.#seen[depth * words + i] = 0;
	}

	#key(): void {
		const { start, stop, isEscaped } = this.#reader;
		this.#keyStart = start;
		this.#keyEnd = stop;
		this.#name = isEscaped ? this.#findEscaped(start, stop) : this.#names.find(this.tape.bytes, start, stop);
		if (this.#name !== 0) this.#refuseTwice(start - 1);
	}

	#clearKey(): void {
		this.#keyStart = this.#keyEnd = NO_KEY;
		this.#name = 0;
	}

	#findEscaped(start: number, end: number): number {
		const name = Buffer.from(JSON.parse(this.tape.bytes.toString('latin1', start - 1, end + 1)), 'utf8');
		return this.#names.find(name, 0, name.length);
	}

	#refuseTwice(at: number): void {
		const word = this.#reader.depth * this.#words + (this.#name >>> 5);
		const bit = 1 << (this.#name & 31);
		if ((this.#seen[word] & bit) !== 0) throw this.#error('a member name that is selected stands twice', at);
		this.#seen[word] |= bit;
	}

	#failure(problem: JsonProblem, at: number): Error {
		const reader = this.#reader;
		const isGrown = problem === 'grown';
		// Behind a number or a literal, anything else is in the place of a comma.
		const isComma = problem === 'comma' || (isGrown && reader.depth > 0);
		const reason =
			isComma && reader.isObject(reader.depth) ? 'expected "," or "}"' : PROBLEMS[isComma ? 'comma' : problem];
		return this.#error(reason, isGrown ? reader.stop : at);
	}

	#error(reason: string, at: number): Error {
		const { bytes } = this.tape;
		return malformedBody('JSON', at >= bytes.length ? PROBLEMS.end : reason, bytes, Math.min(at, bytes.length));
	}
}
