// Tells of card numbers that are broken by a line end inside a quoted cell.

import { isDigit } from '../../../src/card/ascii.ts';
import type { Findings } from '../../../src/transfer/format.ts';
import { isGrouping } from '../lines/number.ts';
import { WrappedNumbers } from '../lines/wrapped.ts';
import { afterLineEnd, countLineEnds } from './row.ts';

const LF = 0x0a;
const CR = 0x0d;

/** Examines rows of several lines. One instance serves one file. */
export class WrappedCells {
	readonly #wrapped = new WrappedNumbers();

	/**
	 * Adds a notice for each number in the row `bytes[start, end)` that continues on another line. `line` is the number of
	 * its first line. Its own findings are those of `found` from index `first` on; a number that is one of them counts as
	 * found.
	 */
	tell(bytes: Buffer, start: number, end: number, line: number, found: Findings, first: number): void {
		for (let at = start, number = line; at < end; number++) {
			let lineEnd = at;
			while (lineEnd < end && bytes[lineEnd] !== LF && bytes[lineEnd] !== CR) lineEnd++;
			let textEnd = lineEnd;
			while (textEnd > at && isGrouping(bytes[textEnd - 1])) textEnd--;
			this.#wrapped.line(bytes, at, textEnd, end, number, found);
			if (isFound(found, first, lineEnd)) this.#wrapped.clear();
			at = lineEnd === end ? end : afterLineEnd(bytes, lineEnd, end, true);
		}
		this.#wrapped.clear();
		this.#tellWholeRuns(bytes, start, end, line, found, first);
	}

	/** Tells of numbers on any number of lines, if nothing but the digits of one number stands between other text. */
	#tellWholeRuns(bytes: Buffer, start: number, end: number, line: number, found: Findings, first: number): void {
		for (let at = start; at < end; at++) {
			if (!isDigit(bytes[at])) continue;
			const from = at;
			let lastDigit = at;
			for (; at < end && (isGrouping(bytes[at]) || isDigit(bytes[at]) || isLineEnd(bytes[at])); at++) {
				if (isDigit(bytes[at])) lastDigit = at;
			}
			const lines = countLineEnds(bytes, from, lastDigit);
			if (lines === 0 || isFound(found, first, lastDigit)) continue;
			const fromLine = line + countLineEnds(bytes, start, from);
			this.#wrapped.whole(bytes, from, lastDigit + 1, fromLine, fromLine + lines, found);
		}
	}
}

function isLineEnd(byte: number): boolean {
	return byte === LF || byte === CR;
}

/** Tells whether the byte at `at` is inside a number that was found. */
function isFound({ items, length }: Findings, first: number, at: number): boolean {
	for (let i = first; i < length; i++) if (items[i].numberStart <= at && at < items[i].numberEnd) return true;
	return false;
}
