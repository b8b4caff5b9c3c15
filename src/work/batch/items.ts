// Divides the body of a batch into its cards: the lines of NDJSON, or the items of one JSON list.

import { bomLength } from '../../base/text/byte-order-mark.ts';
import { jsonValueEnd } from '../../base/text/json-text.ts';
import { BatchError } from './batch-cards.ts';
import type { CardLine } from './card-line.ts';

const LF = 0x0a;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/**
 * The result of a search for the next item: `none` means that no complete item is left. Otherwise the item is at
 * `[start, end)`; `plain` means that the `CardLine` has found the members of a card in it, and `text` that the general
 * reader must read it.
 */
export type Found = 'none' | 'plain' | 'text';

/**
 * Finds the items of a body that arrives in pieces. Offsets point into the current bytes; `base` counts the bytes that
 * were dropped before them.
 */
export class BatchItems {
	start = 0;
	end = 0;
	/** Every byte before this offset belongs to an item that was read; the next piece follows the bytes after it. */
	settled = 0;
	base = 0;
	isList = false;
	readonly #line: CardLine;
	#state: 'opening' | 'lines' | 'first' | 'item' | 'comma' | 'closed' = 'opening';

	constructor(line: CardLine) {
		this.#line = line;
	}

	/**
	 * Finds the next item of `bytes` from the offset `settled` on; `isLast` means that no more bytes will come.
	 * @throws BatchError if a list is malformed
	 */
	find(bytes: Buffer, isLast: boolean): Found {
		if (this.#state === 'opening' && !this.#open(bytes, isLast)) return 'none';
		return this.isList ? this.#findInList(bytes, isLast) : this.#findLine(bytes, isLast);
	}

	/** Adjusts the offsets to a buffer from which the caller has dropped all bytes before `settled`. */
	forget(): void {
		this.base += this.settled;
		this.settled = 0;
	}

	#open(bytes: Buffer, isLast: boolean): boolean {
		if (this.base + this.settled === 0) {
			if (bytes.length < 3 && !isLast) return false;
			this.settled = bomLength(bytes, 0, bytes.length);
		}
		this.settled = skipBlanks(bytes, this.settled);
		if (this.settled === bytes.length) return false;
		this.isList = bytes[this.settled] === OPEN_LIST;
		if (this.isList) this.settled++;
		this.#state = this.isList ? 'first' : 'lines';
		return true;
	}

	#findLine(bytes: Buffer, isLast: boolean): Found {
		const from = skipBlanks(bytes, this.settled);
		if (from === bytes.length) {
			this.settled = from;
			return 'none';
		}
		const after = this.#line.read(bytes, from, bytes.length);
		if (after !== -1 && this.#isLineEnd(bytes, after, isLast)) {
			this.start = from;
			this.end = after;
			this.settled = after;
			return 'plain';
		}
		const end = bytes.indexOf(LF, from);
		if (end === -1 && !isLast) {
			this.settled = from;
			return 'none';
		}
		this.start = from;
		this.end = end === -1 ? bytes.length : end;
		this.settled = this.end;
		return 'text';
	}

	#isLineEnd(bytes: Buffer, at: number, isLast: boolean): boolean {
		if (at === bytes.length) return isLast;
		return bytes[at] === LF || (bytes[at] === 0x0d && bytes[at + 1] === LF);
	}

	#findInList(bytes: Buffer, isLast: boolean): Found {
		for (;;) {
			const at = skipBlanks(bytes, this.settled);
			this.settled = at;
			if (at === bytes.length) {
				if (isLast && this.#state !== 'closed') throw this.#error(at, 'the list is cut');
				return 'none';
			}
			if (this.#state === 'closed') throw this.#error(at, 'nothing may follow the list, but something does');
			if (this.#state === 'item' || (this.#state === 'first' && bytes[at] !== CLOSE_LIST))
				return this.#findItem(bytes, isLast);
			if (bytes[at] === CLOSE_LIST) this.#state = 'closed';
			else if (bytes[at] === COMMA) this.#state = 'item';
			else throw this.#error(at, 'a comma or the end of the list is missing');
			this.settled++;
		}
	}

	#findItem(bytes: Buffer, isLast: boolean): Found {
		const from = this.settled;
		const after = this.#line.read(bytes, from, bytes.length);
		const end = after === -1 ? jsonValueEnd(bytes, from) : after;
		if (end === from) throw this.#error(from, 'a card is missing');
		if (end === -1) {
			if (isLast) throw this.#error(from, 'the list is cut');
			return 'none';
		}
		this.start = from;
		this.end = end;
		this.settled = end;
		this.#state = 'comma';
		return after === -1 ? 'text' : 'plain';
	}

	#error(at: number, expectation: string): BatchError {
		return new BatchError(`offset ${this.base + at}`, expectation);
	}
}

function skipBlanks(bytes: Buffer, at: number): number {
	while (at < bytes.length && (bytes[at] === 0x20 || bytes[at] === LF || bytes[at] === 0x0d || bytes[at] === 0x09))
		at++;
	return at;
}
