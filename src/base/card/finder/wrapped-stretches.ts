// Finds stretches of text in which line ends stand between digits, so that they may divide a number.

import { SHORTEST_CARD } from '../card-digits.ts';
import { BYTE, BYTE_CLASS } from '../spelling/digit-text.ts';
import type { NumberPlaces } from './number-places.ts';
import type { Notices, WrappedNumbers } from './wrapped-numbers.ts';

/** Digits on several lines are looked at as far as this from any of them. */
const LONGEST = 256;
/** The kinds of bytes in such a stretch: digits, what may divide them on a line, and line ends. */
const KIND = { OTHER: 0, DIGIT: 1, SEPARATOR: 2, LINE_END: 3 } as const;
const KINDS = BYTE_CLASS.map((kind) => (kind === BYTE.HIGH ? KIND.OTHER : kind));
/** A line end that is written as an escape is a tab here. */
for (const byte of Buffer.from('\n\r\t')) KINDS[byte] = KIND.LINE_END;

/**
 * Adds to `stretches` the start and the end of the digits around `probe` in `bytes[start, end)`, if line ends divide them.
 * Returns the end of what was looked at.
 */
export function noteLines(bytes: Uint8Array, probe: number, start: number, end: number, stretches: number[]): number {
	const last = Math.min(end, probe + LONGEST);
	let at = probe;
	while (at < last && KINDS[bytes[at]] >= KIND.SEPARATOR) at++;
	// Behind most line ends stands no digit but markup.
	if (at === last || KINDS[bytes[at]] !== KIND.DIGIT) return at;
	let first = probe;
	const least = Math.max(start, probe - LONGEST);
	while (first > least && KINDS[bytes[first - 1]] !== KIND.OTHER) first--;
	let hasLineEnd = false;
	let digits = 0;
	for (at = first; at < last && KINDS[bytes[at]] !== KIND.OTHER; at++) {
		if (KINDS[bytes[at]] === KIND.DIGIT) digits++;
		else hasLineEnd ||= KINDS[bytes[at]] === KIND.LINE_END;
	}
	if (hasLineEnd && digits >= SHORTEST_CARD) stretches.push(first, at);
	return at;
}

/**
 * Tells of the numbers that line ends divide in stretches of `bytes` that `noteLines` has added, but for those of `places`.
 * Takes the stretches out of their list. `lineOf` gives the line of a position.
 */
export function tellWrapped(
	stretches: number[],
	bytes: Buffer,
	places: NumberPlaces,
	wrapped: WrappedNumbers,
	lineOf: (at: number) => number,
	found: Notices,
): void {
	for (let i = 0; i < stretches.length; i += 2) {
		const end = stretches[i + 1];
		for (let start = stretches[i]; start < end; start++) {
			let lineEnd = start;
			while (lineEnd < end && KINDS[bytes[lineEnd]] !== KIND.LINE_END) lineEnd++;
			if (lineEnd > start) wrapped.line(bytes, start, lineEnd, end, lineOf(start), found);
			if (places.have(lineEnd)) wrapped.clear();
			start = lineEnd;
		}
		wrapped.end(found);
	}
	stretches.length = 0;
}
