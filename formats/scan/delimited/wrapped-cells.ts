// Tells of card numbers that are broken by a line end inside a quoted cell.

import type { WrappedNumbers } from '../../../src/base/card/finder/wrapped-numbers.ts';
import type { Findings } from '../../../src/engine/format.ts';
import { afterLineEnd } from './row.ts';

const LF = 0x0a;
const CR = 0x0d;

/**
 * Adds a notice for each number in the row `bytes[start, end)` that continues on another line. `line` is the number of
 * its first line. Its own findings are those of `found` from index `first` on; a number that is one of them counts as
 * found.
 */
export function tellWrappedCells(
	wrapped: WrappedNumbers,
	bytes: Buffer,
	start: number,
	end: number,
	line: number,
	found: Findings,
	first: number,
): void {
	for (let at = start; at < end; line++) {
		let lineEnd = at;
		while (lineEnd < end && bytes[lineEnd] !== LF && bytes[lineEnd] !== CR) lineEnd++;
		wrapped.line(bytes, at, lineEnd, end, line, found);
		if (isFound(found, first, lineEnd)) wrapped.clear();
		at = lineEnd === end ? end : afterLineEnd(bytes, lineEnd, end, true);
	}
	wrapped.end(found);
}

/** Tells whether the byte at `at` is inside a number that was found. */
function isFound({ items, length }: Findings, first: number, at: number): boolean {
	for (let i = first; i < length; i++) if (items[i].numberStart <= at && at < items[i].numberEnd) return true;
	return false;
}
