// Finds stretches of text in which line ends stand between digits, so that they may divide a number.

import { SHORTEST_CARD } from '../card/card-digits.ts';
import { BYTE, BYTE_CLASS } from '../card/digit-text.ts';
import type { Findings } from './format.ts';
import type { NumberPlaces } from './number-places.ts';
import type { WrappedNumbers } from './wrapped-numbers.ts';

/** Digits on several lines are looked at as far as this from any of them. */
const LONGEST = 256;

/** Tells whether a byte divides the lines of a text. A line end written as an escape is a tab here. */
function isLineEnd(byte: number): boolean {
	return byte === 0x0a || byte === 0x0d || byte === 0x09;
}

/**
 * Adds to `stretches` the start and the end of the digits around `probe` in `bytes[start, end)`, if line ends divide them.
 * Returns the end of what was looked at.
 */
export function noteLines(bytes: Uint8Array, probe: number, start: number, end: number, stretches: number[]): number {
	const last = Math.min(end, probe + LONGEST);
	let at = probe;
	while (at < last && isBlankOrLineEnd(bytes[at])) at++;
	// Behind most line ends stands no digit but markup.
	if (at === last || BYTE_CLASS[bytes[at]] !== BYTE.DIGIT) return at;
	let first = probe;
	const least = Math.max(start, probe - LONGEST);
	while (first > least && isInLines(bytes[first - 1])) first--;
	let hasLineEnd = false;
	let digits = 0;
	for (at = first; at < last && isInLines(bytes[at]); at++) {
		if (BYTE_CLASS[bytes[at]] === BYTE.DIGIT) digits++;
		else hasLineEnd ||= isLineEnd(bytes[at]);
	}
	if (hasLineEnd && digits >= SHORTEST_CARD) stretches.push(first, at);
	return at;
}

/**
 * Tells of the numbers that line ends divide in stretches of `bytes` that `noteLines` has found, but for those of `places`.
 * `lineOf` gives the line of a position.
 */
export function tellStretches(
	stretches: readonly number[],
	bytes: Buffer,
	places: NumberPlaces,
	wrapped: WrappedNumbers,
	lineOf: (at: number) => number,
	found: Findings,
): void {
	for (let i = 0; i < stretches.length; i += 2) {
		const end = stretches[i + 1];
		for (let start = stretches[i]; start < end; start++) {
			let lineEnd = start;
			while (lineEnd < end && !isLineEnd(bytes[lineEnd])) lineEnd++;
			if (lineEnd > start) wrapped.line(bytes, start, lineEnd, end, lineOf(start), found);
			if (places.have(lineEnd)) wrapped.clear();
			start = lineEnd;
		}
		wrapped.end(found);
	}
}

function isBlankOrLineEnd(byte: number): boolean {
	return BYTE_CLASS[byte] === BYTE.SEPARATOR || isLineEnd(byte);
}

function isInLines(byte: number): boolean {
	return BYTE_CLASS[byte] === BYTE.DIGIT || isBlankOrLineEnd(byte);
}
