// Finds card objects in JSON text without building any value: one value, an array, NDJSON or concatenated values.

import { isLetter } from '../../../src/base/card/ascii.ts';
import type { Shape } from '../../../src/base/card/shape.ts';
import { valueEnd, valueStart } from '../../../src/base/card/spelling/blanks.ts';
import { JSON_EVENT, JSON_PROBLEMS, type JsonProblem, JsonReader } from '../../../src/base/text/json.ts';
import { isBesideNumber } from '../../../src/base/text/json-text.ts';
import { FileError, type FileFault, type Findings, type Scanner } from '../../../src/engine/format.ts';
import { findTextStart } from '../encoding.ts';
import type { FieldReading } from '../held-card.ts';
import { MAX_NAMED_BYTES, type NameMemo } from '../name-memo.ts';
import type { FirstNames, OpenNames } from '../open-names.ts';
import { SecondReading } from '../second-reading.ts';
import { JsonCards } from './cards.ts';
import { keyText } from './number-parts.ts';

/** A text with deeper nesting than this is refused. */
const MAX_JSON_DEPTH = 512;

/** Passes what a window holds to `JsonCards`, which decides what keys and values mean. */
export class JsonScanner implements Scanner {
	readonly #names: NameMemo;
	readonly #reader: JsonReader;
	readonly #cards: JsonCards;
	readonly #field = new JsonField(MAX_JSON_DEPTH);
	#hasBegun = false;
	#to = 0;

	constructor(names: NameMemo, reading: FieldReading) {
		this.#names = names;
		this.#reader = new JsonReader({
			depth: MAX_JSON_DEPTH,
			keys: names,
			fail: (problem, at, byte) => this.#failure(this.#textOf(problem, byte), at),
		});
		this.#cards = new JsonCards(this.#reader, names, reading);
	}

	get line(): number {
		return this.#reader.line;
	}

	get hasCardPlace(): boolean {
		return this.#cards.held.hasCardPlace;
	}

	fieldAt(bytes: Buffer, _from: number, at: number): string | undefined {
		return this.#field.find(bytes, at);
	}

	shapeAt(bytes: Buffer, _from: number, start: number, end: number): Shape | 'fixed' {
		this.#field.find(bytes, start);
		if (this.#field.isInString) return 'plain';
		// Outside a string, a token must be put into quotes, which is possible only if it replaces a whole JSON value. The
		// digits before the point of `4111….00` are not a whole value. Stars without quotes are no JSON either.
		const isWhole = isBesideNumber(bytes[start - 1] ?? 0) && (end >= this.#to || isBesideNumber(bytes[end]));
		return isWhole ? 'quoted' : 'fixed';
	}

	scan(bytes: Buffer, from: number, to: number, isLast: boolean, found: Findings): number {
		let at = from;
		if (!this.#hasBegun) {
			const start = findTextStart(bytes, from, to, isLast);
			if (start === undefined) return from;
			at = start;
			this.#hasBegun = true;
		}
		const reader = this.#reader;
		this.#to = to;
		reader.begin(bytes, at, to, isLast);
		this.#field.begin(reader, this.#cards.keys.first(reader.depth));
		for (;;) {
			this.#run(bytes, to, found);
			// The window is read up to its end, or to the place where the outermost held object exceeds its limit.
			if (reader.end === to) break;
			this.#cards.dropOutgrown(found);
			reader.end = this.#cards.held.limit(to);
		}
		if (isLast) this.#expectEnd(to);
		if (this.#cards.held.count > 0) this.#cards.rollBack(found);
		this.#cards.endWindow(bytes);
		if (isLast) this.#cards.held.finish(found);
		reader.pause();
		return reader.at;
	}

	/** Reads keys and values until the first incomplete one. */
	#run(bytes: Buffer, to: number, found: Findings): void {
		const [reader, cards] = [this.#reader, this.#cards];
		for (;;) {
			switch (reader.next()) {
				case JSON_EVENT.KEY:
					if (!reader.isGuessed) this.#names.find(bytes, reader.start, reader.stop);
					if (cards.key(bytes, this.#names.code, found)) reader.end = cards.held.limit(to);
					break;
				case JSON_EVENT.STRING: {
					const start = valueStart(bytes, reader.start, reader.stop);
					const end = valueEnd(bytes, start, reader.stop);
					if (start < end) cards.value(bytes, start, end, false, found);
					break;
				}
				case JSON_EVENT.NUMBER:
					cards.value(bytes, reader.start, reader.stop, true, found);
					break;
				case JSON_EVENT.OPEN:
					cards.open();
					break;
				case JSON_EVENT.CLOSE:
					cards.close(bytes, found);
					reader.end = cards.held.limit(to);
					break;
				case JSON_EVENT.ELEMENT:
					cards.next();
					break;
				case JSON_EVENT.REST_OF_KEY:
					cards.pass(true);
					break;
				case JSON_EVENT.REST_OF_STRING:
					cards.pass(false);
					break;
				case JSON_EVENT.NONE:
					if (!this.#canLeave()) return;
					reader.leave();
			}
		}
	}

	/** Tells whether the window ends in a string that is needed for no card. */
	#canLeave(): boolean {
		const { cut, at, expectsKey, isInString } = this.#reader;
		if (cut < 0 || isInString || this.#cards.held.count > 0) return false;
		return !expectsKey || cut - at > MAX_NAMED_BYTES;
	}

	#expectEnd(to: number): void {
		const reader = this.#reader;
		if (reader.isInString || reader.at < to)
			throw this.#failure('the file ends inside a JSON string or literal', reader.at, 'file-cut-off');
		if (reader.depth === 0) return;
		const kind = reader.isObject(reader.depth) ? 'object' : 'array';
		throw this.#failure(`the file ends inside a JSON ${kind}`, reader.at, 'file-cut-off');
	}

	#textOf(problem: JsonProblem, byte = 0): string {
		if (byte < 0x20 && problem !== 'control') return 'control character between JSON values';
		if (problem === 'depth') return `JSON nested deeper than ${MAX_JSON_DEPTH}`;
		if (problem === 'grown') return JSON_PROBLEMS[isLetter(byte) ? 'literal' : 'number'];
		if (problem !== 'comma') return JSON_PROBLEMS[problem];
		const isInObject = this.#reader.isObject(this.#reader.depth);
		return isInObject ? 'expected "," or "}" in a JSON object' : 'expected "," or "]" in a JSON array';
	}

	#failure(message: string, offset: number, code: FileFault['code'] = 'json-malformed'): FileError {
		return new FileError(message, { offset, line: this.#reader.line }, { code });
	}
}

/** Names the key whose value contains an offset. */
class JsonField {
	/** True if the offset of the last search is inside a string. */
	isInString = false;
	readonly #reading: SecondReading<JsonReader>;

	constructor(depth: number) {
		this.#reading = new SecondReading((fail) => new JsonReader({ depth, fail }), depth, keyText, take);
	}

	/** Begins a new window, where this reader is before it reads the window. */
	begin(reader: JsonReader, keys: FirstNames): void {
		this.#reading.begin(reader, keys);
	}

	/** Returns the key whose value contains the offset `at` of the window. */
	find(bytes: Buffer, at: number): string | undefined {
		const { reader, names } = this.#reading.moveTo(bytes, at);
		if (this.#place(at)) return undefined;
		return reader.isObject(reader.depth) ? names.pending(bytes) : names.at(bytes, reader.depth);
	}

	/** Finds out whether an offset of the last event is in a string, and returns whether that string is a key. */
	#place(at: number): boolean {
		const { event, reader } = this.#reading;
		const isWhole = event === JSON_EVENT.KEY || event === JSON_EVENT.STRING;
		const isRest = event === JSON_EVENT.REST_OF_KEY || event === JSON_EVENT.REST_OF_STRING;
		const isOpen = reader.isInString || (event === JSON_EVENT.NONE && reader.cut >= 0);
		this.isInString = isWhole ? at >= reader.start - 1 && at <= reader.stop : isRest || isOpen;
		const isKey = event === JSON_EVENT.KEY || event === JSON_EVENT.REST_OF_KEY;
		return this.isInString && (isKey || (!isWhole && !isRest && reader.expectsKey));
	}
}

function take(event: number, reader: JsonReader, keys: OpenNames): void {
	if (event === JSON_EVENT.KEY) {
		keys.start = reader.start;
		keys.end = reader.stop;
	} else if (event === JSON_EVENT.REST_OF_KEY) keys.drop();
	else if (event === JSON_EVENT.OPEN) keys.open(reader.depth, reader.isObject(reader.depth - 1));
}
