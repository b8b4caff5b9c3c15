// Finds card objects in JSON text without building any value: one value, an array, NDJSON or concatenated values.

import { FileError, type Findings, type Scanner } from '../../src/transfer/format.ts';
import { findTextStart } from './encoding.ts';
import { FIELD, type Field, type FieldReading } from './held-card.ts';
import { HeldCards, MAX_LEAD_BYTES, outgrown } from './held-cards.ts';
import { type JsonKeys, MAX_KEY_BYTES } from './json-keys.ts';
import { AFTER_VALUE, COLON, IN_KEY, IN_STRING, KEY, KEY_OR_END, TOP, VALUE, VALUE_OR_END } from './json-states.ts';
import { INCOMPLETE, JsonString, literalEnd, numberEnd } from './json-text.ts';

/** Deeper nesting is refused. */
const MAX_JSON_DEPTH = 512;

// Bits of an open array or object.
const OBJECT = 1;
/** It stands under a key that says `card`. */
const CARD = 2;

const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;

/**
 * A card object is held from its first card field until it closes, since its fields come in any order. When a window
 * ends before that, scanning starts over at that field. Fields far ahead of any number are let go of, so that an object
 * around the whole file may have a `reference`; a hold with a number or a CVV that outgrows its limit is an error.
 */
export class JsonScanner implements Scanner {
	readonly #keys: JsonKeys;
	readonly #reading: FieldReading;
	#state = TOP;
	#depth = 0;
	readonly #kinds = new Uint8Array(MAX_JSON_DEPTH + 1);
	#field: Field = FIELD.NONE;
	#opensCard = false;
	#line = 1;
	#records = 0;
	#hasBegun = false;
	/** The byte before this window was a CR, so that an LF at its start ends no other line. */
	#isAfterCr = false;
	/** Open objects with card fields. */
	readonly #held = new HeldCards();
	/** Where the key of the pending card field begins. */
	#keyAt = 0;
	#keyLine = 0;
	readonly #text = new JsonString();
	/** Where tokens of this window must end: the window's end, or where the outermost hold outgrows its limit. */
	#end = 0;
	#to = 0;
	#isLast = false;

	constructor(keys: JsonKeys, reading: FieldReading) {
		this.#keys = keys;
		this.#reading = reading;
	}

	get line(): number {
		return this.#line;
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
		for (;;) {
			at = this.#run(bytes, from, at, found);
			if (this.#end === to) break;
			this.#dropOutgrown(found);
		}
		if (isLast) this.#expectEnd(at);
		const settled = this.#held.count > 0 ? this.#rollBack(found) : at;
		if (settled > from) this.#isAfterCr = bytes[settled - 1] === CR;
		return settled;
	}

	/** Reads tokens up to `#end`; returns where the first incomplete one begins. */
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

	/** Reads one token; returns its end or `INCOMPLETE`. */
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
		const isObject = (this.#kinds[this.#depth] & OBJECT) !== 0;
		if (bytes[at] === 0x2c) {
			this.#state = isObject ? KEY : VALUE;
			this.#field = FIELD.NONE;
			this.#opensCard = !isObject && (this.#kinds[this.#depth] & CARD) !== 0;
			return at + 1;
		}
		if (bytes[at] === (isObject ? 0x7d : 0x5d)) return this.#close(bytes, at, found);
		throw this.#error(isObject ? 'expected "," or "}" in a JSON object' : 'expected "," or "]" in a JSON array', at);
	}

	#key(bytes: Buffer, at: number, found: Findings): number {
		if (bytes[at] !== QUOTE) throw this.#error('expected a JSON key in quotes', at);
		const end = this.#text.end(bytes, at + 1, this.#end, this.#line);
		if (end === INCOMPLETE) {
			if (this.#held.count === 0 && this.#text.cut - at > MAX_KEY_BYTES) this.#state = IN_KEY;
			return INCOMPLETE;
		}
		const isCard = (this.#kinds[this.#depth] & CARD) !== 0;
		this.#field = this.#keys.read(bytes, at + 1, end, this.#text.isEscaped, isCard);
		this.#opensCard = this.#keys.opensCard;
		this.#state = COLON;
		if (this.#field !== FIELD.NONE) this.#hold(at, found);
		return end + 1;
	}

	#value(bytes: Buffer, at: number, found: Findings): number {
		const byte = bytes[at];
		if (byte === QUOTE) return this.#string(bytes, at, found);
		if (byte === 0x7b) return this.#open(at, OBJECT, KEY_OR_END);
		if (byte === 0x5b) return this.#open(at, 0, VALUE_OR_END);
		const isLast = this.#isLast && this.#end === this.#to;
		if (byte === 0x2d || (byte >= 0x30 && byte <= 0x39)) {
			const end = numberEnd(bytes, at, this.#end, isLast, this.#line);
			if (end === INCOMPLETE) return INCOMPLETE;
			if (this.#field !== FIELD.NONE) this.#note(at, end, true, found);
			return this.#done(end);
		}
		const end = literalEnd(bytes, at, this.#end, isLast, this.#line);
		return end === INCOMPLETE ? INCOMPLETE : this.#done(end);
	}

	#string(bytes: Buffer, at: number, found: Findings): number {
		const end = this.#text.end(bytes, at + 1, this.#end, this.#line);
		if (end === INCOMPLETE) {
			if (this.#held.count === 0) this.#state = IN_STRING;
			return INCOMPLETE;
		}
		if (this.#field !== FIELD.NONE) {
			let start = at + 1;
			let last = end;
			while (start < last && bytes[start] === 0x20) start++;
			while (last > start && bytes[last - 1] === 0x20) last--;
			if (start < last) this.#note(start, last, false, found);
		}
		return this.#done(end + 1);
	}

	#done(at: number): number {
		this.#state = this.#depth === 0 ? TOP : AFTER_VALUE;
		return at;
	}

	#skipString(bytes: Buffer, at: number): number {
		const end = this.#text.end(bytes, at, this.#end, this.#line);
		if (end === INCOMPLETE) return this.#text.cut;
		this.#field = FIELD.NONE;
		this.#opensCard = false;
		if (this.#state === IN_STRING) return this.#done(end + 1);
		this.#state = COLON;
		return end + 1;
	}

	#open(at: number, kind: number, state: number): number {
		if (this.#depth === MAX_JSON_DEPTH) throw this.#error(`JSON nested deeper than ${MAX_JSON_DEPTH}`, at);
		this.#kinds[++this.#depth] = this.#opensCard ? kind | CARD : kind;
		this.#field = FIELD.NONE;
		// Elements of `"cards": [...]` count as the array does; an object's keys speak for themselves.
		this.#opensCard = this.#opensCard && kind !== OBJECT;
		this.#state = state;
		return at + 1;
	}

	#close(bytes: Buffer, at: number, found: Findings): number {
		if (this.#held.count > 0 && this.#held.items[this.#held.count - 1].depth === this.#depth) {
			this.#held.items[--this.#held.count].settle(bytes, found, this.#reading);
			if (this.#held.count === 0) this.#end = this.#to;
		}
		this.#depth--;
		this.#field = FIELD.NONE;
		this.#opensCard = false;
		return this.#done(at + 1);
	}

	/** The object at hand has a card field, whose key begins at `at`. */
	#hold(at: number, found: Findings): void {
		this.#keyAt = at;
		this.#keyLine = this.#line;
		const last = this.#held.count > 0 ? this.#held.items[this.#held.count - 1] : undefined;
		if (last?.depth === this.#depth) {
			if (last.numberCount > 0 || last.cvvCount > 0 || at - last.start <= MAX_LEAD_BYTES) return;
			this.#held.count--;
		}
		this.#held.open(at, this.#line, this.#records, found).depth = this.#depth;
		this.#end = this.#held.limit(this.#to);
	}

	/** The value of a card field. */
	#note(start: number, end: number, isBare: boolean, found: Findings): void {
		const card = this.#held.items[this.#held.count - 1];
		const isEscaped = !isBare && this.#text.isEscaped;
		if (this.#field === FIELD.NUMBER) {
			if (card.record === 0) card.record = ++this.#records;
			const finding = card.addNumber(start, end, this.#line, isEscaped, found);
			if (isBare) finding.shape = 'quoted';
		} else if (this.#field === FIELD.CVV) card.addCvv(start, end, isBare, isEscaped);
		else card.addField(this.#field, start, end, isEscaped);
	}

	#dropOutgrown(found: Findings): void {
		const outermost = this.#held.items[0];
		const isPending = outermost.depth === this.#depth && this.#field !== FIELD.NONE;
		const isLongValue = isPending && (this.#field === FIELD.NUMBER || this.#field === FIELD.CVV);
		if (outermost.numberCount > 0 || outermost.cvvCount > 0 || (isLongValue && outermost.start === this.#keyAt)) {
			throw outgrown(outermost, 'a card object, from its first card field on,');
		}
		const isAtKey = outermost.start === this.#keyAt;
		this.#held.remove(0);
		// The field whose value is about to come begins a hold of its own.
		if (isPending && !isAtKey) {
			this.#held.open(this.#keyAt, this.#keyLine, this.#records, found).depth = this.#depth;
		} else if (isPending) this.#field = FIELD.NONE;
		this.#end = this.#held.limit(this.#to);
	}

	/** Back to the first field of the outermost open card: it comes again with the next window. */
	#rollBack(found: Findings): number {
		const { start, line, depth, recordsBefore, foundBefore } = this.#held.items[0];
		this.#held.count = 0;
		this.#line = line;
		this.#depth = depth;
		this.#records = recordsBefore;
		this.#state = KEY;
		found.truncate(foundBefore);
		return start;
	}

	#expectEnd(at: number): void {
		if (this.#state >= IN_KEY || at < this.#to) throw this.#error('the file ends inside a JSON string or literal', at);
		if (this.#depth === 0) return;
		const isObject = (this.#kinds[this.#depth] & OBJECT) !== 0;
		throw this.#error(`the file ends inside a JSON ${isObject ? 'object' : 'array'}`, at);
	}

	#error(message: string, offset: number): FileError {
		return new FileError(message, { offset, line: this.#line });
	}
}
