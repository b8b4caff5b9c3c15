// Gives the text around a number as far as it belongs to the same place: the same line, cell, string or element.

import { isDigit, tableOf } from '../../base/card/ascii.ts';
import { CONTEXT_BEFORE, CONTEXT_BEHIND } from '../../base/card/names/number-context.ts';
import type { Format } from '../format.ts';
import type { NumberFields } from './number-fields.ts';

/** Holds 1 for the bytes at which a place ends in every format. */
const ENDS = tableOf('"<>\n\r\f');
const LAST_END = /^.*["<>\n\r\f]/s;
const FIRST_END = /["<>\n\r\f]/;

/** Reads the text around numbers. It keeps the end of the window before, so it must be wiped at the end of a file. */
export class TextAround {
	/** Tells where the cells of delimited text are; undefined for other formats. */
	readonly #cells: NumberFields | undefined;
	readonly #kept = Buffer.alloc(CONTEXT_BEFORE);
	#keptCount = 0;

	constructor({ escapes, hasNumberedLists }: Format, fields: NumberFields) {
		this.#cells = escapes === undefined && !hasNumberedLists ? fields : undefined;
	}

	/** Returns the text before `at` in a window whose bytes begin at `from`. */
	before(bytes: Buffer, from: number, at: number): string {
		let start = Math.max(from, at - CONTEXT_BEFORE);
		if (this.#cells) start = this.#cells.startOfCell(bytes, at, start);
		// No cell begins in the window before.
		const missing = this.#cells ? 0 : Math.min(this.#keptCount, CONTEXT_BEFORE - (at - start));
		const earlier = this.#kept.toString('latin1', this.#keptCount - missing, this.#keptCount);
		return `${earlier}${bytes.toString('latin1', start, at)}`.replace(LAST_END, '');
	}

	/** Returns the text behind the number `bytes[start, at)` in a window whose bytes end before `end`. */
	behind(bytes: Buffer, start: number, at: number, end: number): string {
		const most = Math.min(end, at + CONTEXT_BEHIND);
		const text = bytes.toString('latin1', at, this.#cells ? this.#cells.endOfCell(bytes, start, at, most) : most);
		const length = text.search(FIRST_END);
		return length === -1 ? text : text.slice(0, length);
	}

	/** Keeps the end of `bytes[from, end)` for the numbers behind it. */
	keep(bytes: Buffer, from: number, end: number): void {
		const kept = this.#kept;
		const start = Math.max(from, end - CONTEXT_BEFORE);
		const earlier = Math.min(this.#keptCount, CONTEXT_BEFORE - (end - start));
		kept.copyWithin(0, this.#keptCount - earlier, this.#keptCount);
		this.#keptCount = earlier + bytes.copy(kept, earlier, start, end);
	}

	wipe(): void {
		this.#kept.fill(0);
	}
}

/**
 * Returns the start of the text that waits at the end of `bytes[start, end)` because more of the text behind a number in it
 * may follow; `end` if none waits.
 */
export function heldContext(bytes: Uint8Array, start: number, end: number): number {
	const least = Math.max(start, end - CONTEXT_BEHIND);
	let hasDigit = false;
	let at = end;
	for (; at > least && ENDS[bytes[at - 1]] === 0; at--) hasDigit ||= isDigit(bytes[at - 1]);
	return hasDigit ? at : end;
}
