// Which delimiter a file uses, when nobody has said.

import type { Dialect } from './dialect.ts';

/** In the order in which they win a draw. */
const CANDIDATES = [0x2c, 0x3b, 0x09, 0x7c] as const;
/** By byte: the place among the candidates, and behind the last for any other. */
const PLACES = new Uint8Array(256).fill(CANDIDATES.length);
for (const [place, candidate] of CANDIDATES.entries()) PLACES[candidate] = place;

/** The delimiter a spreadsheet states in a first line `sep=;`, or undefined when the line is another. */
export function findStatedDelimiter(bytes: Buffer, at: number, to: number, isLast: boolean): number | undefined {
	const end = at + 5;
	const isWhole = end < to ? bytes[end] === 0x0a || bytes[end] === 0x0d : end === to && isLast;
	return isWhole && bytes.toString('latin1', at, at + 4).toLowerCase() === 'sep=' ? bytes[at + 4] : undefined;
}

/**
 * The one of `, ; tab |` that occurs most outside the quotes of the row at `at` (formats §7). A row cut off by the
 * window gives an answer too: the caller finds out when it reads the row.
 */
export function findDelimiter(bytes: Buffer, at: number, to: number, { quote, hasBackslashEscapes }: Dialect): number {
	const counts = new Uint32Array(CANDIDATES.length + 1);
	let isCellStart = true;
	let isQuoted = false;
	for (let i = at; i < to; i++) {
		const byte = bytes[i];
		if (isQuoted) {
			if (byte === 0x5c && hasBackslashEscapes) i++;
			else if (byte === quote) isQuoted = false;
			continue;
		}
		if (byte === 0x0a || byte === 0x0d) break;
		const place = PLACES[byte];
		counts[place]++;
		// A doubled quote closes and opens again, which comes to the same.
		if (byte === quote && (isCellStart || bytes[i - 1] === quote)) isQuoted = true;
		isCellStart = place < CANDIDATES.length || (isCellStart && byte === 0x20);
	}
	const places = counts.subarray(0, CANDIDATES.length);
	return CANDIDATES[places.indexOf(Math.max(...places))];
}
