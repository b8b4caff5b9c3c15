// Finds card objects in JSON text without building any value: one value, an array, NDJSON or concatenated values.

import { isDigit } from '../../../src/base/card/ascii.ts';
import type { Shape } from '../../../src/base/card/shape.ts';
import { valueEnd, valueStart } from '../../../src/base/card/spelling/blanks.ts';
import { FileError, type FileFault, type Findings, type Scanner } from '../../../src/engine/format.ts';
import { findTextStart } from '../encoding.ts';
import type { FieldReading } from '../held-card.ts';
import { MAX_NAMED_BYTES, type NameMemo } from '../name-memo.ts';
import { JsonCards, MAX_JSON_DEPTH, OBJECT } from './cards.ts';
import { isGap, JsonField } from './field.ts';
import { AFTER_VALUE, COLON, IN_KEY, IN_STRING, KEY, KEY_OR_END, TOP, VALUE, VALUE_OR_END } from './states.ts';
import { INCOMPLETE, JsonString, literalEnd, numberEnd } from './text.ts';

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/** Splits windows into keys, values and marks, and counts lines. `JsonCards` decides what keys and values mean. */
export class JsonScanner implements Scanner {
	readonly #names: NameMemo;
	readonly #cards: JsonCards;
	#state = TOP;
	#line = 1;
	#hasBegun = false;
	/** True if the byte before this window was a CR, so that an LF at its start is not counted as another line end. */
	#isAfterCr = false;
	readonly #text = new JsonString();
	readonly #field = new JsonField();
	/**
	 * The position up to which this window is read: its end, or the place where the outermost held object exceeds its
	 * limit.
	 */
	#end = 0;
	#to = 0;
	#isLast = false;

	constructor(names: NameMemo, reading: FieldReading) {
		this.#names = names;
		this.#cards = new JsonCards(names, reading);
	}

	get line(): number {
		return this.#line;
	}

	get hasCardPlace(): boolean {
		return this.#cards.held.hasCardPlace;
	}

	fieldAt(bytes: Buffer, from: number, at: number): string | undefined {
		return this.#field.find(bytes, from, at);
	}

	shapeAt(bytes: Buffer, from: number, start: number, end: number): Shape | 'fixed' {
		this.#field.find(bytes, from, start);
		if (this.#field.isInString) return 'plain';
		// Outside a string, a token must be put into quotes, which is possible only if it replaces a whole JSON value. The
		// digits before the point of `4111….00` are not a whole value. Stars without quotes are no JSON either.
		const isWhole = isGap(bytes[start - 1] ?? 0) && (end >= this.#to || isGap(bytes[end]));
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
		this.#to = to;
		this.#end = to;
		this.#isLast = isLast;
		const state = this.#state;
		const expectsKey = state === KEY || state === KEY_OR_END;
		this.#field.begin(this.#cards.place({ isInKey: state === IN_KEY, isInString: state === IN_STRING, expectsKey }));
		for (;;) {
			at = this.#run(bytes, from, at, found);
			if (this.#end === to) break;
			this.#cards.dropOutgrown(found);
			this.#end = this.#cards.held.limit(to);
		}
		if (isLast) this.#expectEnd(at);
		const settled = this.#cards.held.count > 0 ? this.#rollBack(found) : at;
		this.#cards.endWindow(bytes);
		if (isLast) this.#cards.held.finish(found);
		if (settled > from) this.#isAfterCr = bytes[settled - 1] === CR;
		return settled;
	}

	/** Reads keys, values and marks up to `#end`; returns where the first incomplete one begins. */
	#run(bytes: Buffer, from: number, at: number, found: Findings): number {
		for (;;) {
			if (this.#state >= IN_KEY) {
				at = this.#skipString(bytes, at);
				if (this.#state >= IN_KEY) return at;
			}
			at = this.#skipBlanks(bytes, from, at);
			if (at >= this.#end) return at;
			const next = this.#token(bytes, at, found);
			if (next === INCOMPLETE) return this.#state >= IN_KEY ? this.#text.cut : at;
			at = next;
		}
	}

	#skipBlanks(bytes: Buffer, from: number, at: number): number {
		const end = this.#end;
		for (; at < end; at++) {
			const byte = bytes[at];
			if (byte > 0x20) break;
			if (byte === LF) {
				if (!(at > from ? bytes[at - 1] === CR : this.#isAfterCr)) this.#line++;
			} else if (byte === CR) this.#line++;
			else if (byte !== 0x20 && byte !== 0x09) throw this.#error('control character between JSON values', at);
		}
		return at;
	}

	/** Reads one key, value or mark; returns its end or `INCOMPLETE`. */
	#token(bytes: Buffer, at: number, found: Findings): number {
		const byte = bytes[at];
		switch (this.#state) {
			case KEY_OR_END:
				if (byte === 0x7d) return this.#close(bytes, at, found);
				return this.#key(bytes, at, found);
			case KEY:
				return this.#key(bytes, at, found);
			case COLON:
				if (byte !== 0x3a) throw this.#error('expected ":" after a JSON key', at);
				this.#state = VALUE;
				return at + 1;
			case AFTER_VALUE:
				return this.#separator(bytes, at, found);
			case VALUE_OR_END:
				if (byte === 0x5d) return this.#close(bytes, at, found);
				return this.#value(bytes, at, found);
			default:
				return this.#value(bytes, at, found);
		}
	}

	#separator(bytes: Buffer, at: number, found: Findings): number {
		const isObject = (this.#cards.kinds[this.#cards.depth] & OBJECT) !== 0;
		if (bytes[at] === 0x2c) {
			this.#state = isObject ? KEY : VALUE;
			this.#cards.next(isObject);
			return at + 1;
		}
		if (bytes[at] === (isObject ? 0x7d : 0x5d)) return this.#close(bytes, at, found);
		throw this.#error(isObject ? 'expected "," or "}" in a JSON object' : 'expected "," or "]" in a JSON array', at);
	}

	#key(bytes: Buffer, at: number, found: Findings): number {
		if (bytes[at] !== QUOTE) throw this.#error('expected a JSON key in quotes', at);
		const length = this.#names.guess(bytes, at + 1, this.#end, QUOTE);
		if (length > 0) return this.#known(bytes, at, at + 1 + length, found);
		const end = this.#text.end(bytes, at + 1, this.#end, this.#line);
		if (end === INCOMPLETE) {
			if (this.#cards.held.count === 0 && this.#text.cut - at > MAX_NAMED_BYTES) this.#state = IN_KEY;
			return INCOMPLETE;
		}
		this.#names.find(bytes, at + 1, end);
		return this.#known(bytes, at, end, found);
	}

	/** Handles the key from `at` to `end`, after `#names` has looked up its meaning. */
	#known(bytes: Buffer, at: number, end: number, found: Findings): number {
		this.#state = COLON;
		if (this.#cards.key(bytes, at, end, this.#names.code, this.#line, found)) {
			this.#end = this.#cards.held.limit(this.#to);
		}
		return end + 1;
	}

	#value(bytes: Buffer, at: number, found: Findings): number {
		const byte = bytes[at];
		if (byte === QUOTE) return this.#string(bytes, at, found);
		if (byte === 0x7b) return this.#open(at, OBJECT, KEY_OR_END);
		if (byte === 0x5b) return this.#open(at, 0, VALUE_OR_END);
		const isLast = this.#isLast && this.#end === this.#to;
		if (byte === 0x2d || isDigit(byte)) {
			const end = numberEnd(bytes, at, this.#end, isLast, this.#line);
			if (end === INCOMPLETE) return INCOMPLETE;
			this.#cards.value(bytes, at, end, true, false, this.#line, found);
			return this.#done(end);
		}
		const end = literalEnd(bytes, at, this.#end, isLast, this.#line);
		return end === INCOMPLETE ? INCOMPLETE : this.#done(end);
	}

	#string(bytes: Buffer, at: number, found: Findings): number {
		const end = this.#text.end(bytes, at + 1, this.#end, this.#line);
		if (end === INCOMPLETE) {
			if (this.#cards.held.count === 0) this.#state = IN_STRING;
			return INCOMPLETE;
		}
		const start = valueStart(bytes, at + 1, end);
		const last = valueEnd(bytes, start, end);
		if (start < last) this.#cards.value(bytes, start, last, false, this.#text.isEscaped, this.#line, found);
		return this.#done(end + 1);
	}

	#done(at: number): number {
		this.#state = this.#cards.depth === 0 ? TOP : AFTER_VALUE;
		return at;
	}

	#skipString(bytes: Buffer, at: number): number {
		const end = this.#text.end(bytes, at, this.#end, this.#line);
		if (end === INCOMPLETE) return this.#text.cut;
		if (this.#state === IN_STRING) {
			this.#cards.pass(false);
			return this.#done(end + 1);
		}
		this.#cards.pass(true);
		this.#state = COLON;
		return end + 1;
	}

	#open(at: number, kind: number, state: number): number {
		if (this.#cards.depth === MAX_JSON_DEPTH) throw this.#error(`JSON nested deeper than ${MAX_JSON_DEPTH}`, at);
		this.#cards.open(kind);
		this.#state = state;
		return at + 1;
	}

	#close(bytes: Buffer, at: number, found: Findings): number {
		this.#cards.close(bytes, found);
		this.#end = this.#cards.held.limit(this.#to);
		return this.#done(at + 1);
	}

	#rollBack(found: Findings): number {
		const card = this.#cards.rollBack(found);
		this.#line = card.line;
		this.#state = KEY;
		return card.start;
	}

	#expectEnd(at: number): void {
		if (this.#state >= IN_KEY || at < this.#to)
			throw this.#error('the file ends inside a JSON string or literal', at, 'file-cut-off');
		const { depth, kinds } = this.#cards;
		if (depth === 0) return;
		const isObject = (kinds[depth] & OBJECT) !== 0;
		throw this.#error(`the file ends inside a JSON ${isObject ? 'object' : 'array'}`, at, 'file-cut-off');
	}

	#error(message: string, offset: number, code: FileFault['code'] = 'json-malformed'): FileError {
		return new FileError(message, { offset, line: this.#line }, { code });
	}
}
