// Finds the delimiter of a file when the options do not give it.

import type { Dialect } from './dialect.ts';

/** Lists the delimiters to choose from. If two occur equally often, the first of them is chosen. */
const CANDIDATES = [0x2c, 0x3b, 0x09, 0x7c] as const;
/** Maps each byte to its index in `CANDIDATES`; a byte that is none of them has the index after the last. */
const PLACES = new Uint8Array(256).fill(CANDIDATES.length);
for (const [place, candidate] of CANDIDATES.entries()) PLACES[candidate] = place;

/** Returns the delimiter that a spreadsheet states in a first line `sep=;`, or undefined for any other line. */
export function findStatedDelimiter(bytes: Buffer, at: number, to: number, isLast: boolean): number | undefined {
	const end = at + 5;
	const isWhole = end < to ? bytes[end] === 0x0a || bytes[end] === 0x0d : end === to && isLast;
	return isWhole && bytes.toString('latin1', at, at + 4).toLowerCase() === 'sep=' ? bytes[at + 4] : undefined;
}

/**
 * Returns the one of `, ; tab |` that occurs most outside the quotes of the row at `at` (formats §7). It also answers
 * for a row that the window cuts off; the caller notices the cut when it reads the row.
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
		// Doubled quotes inside a quoted cell are read here as one that closes the cell and one that opens it again. The
		// delimiters are counted correctly all the same.
		if (byte === quote && (isCellStart || bytes[i - 1] === quote)) isQuoted = true;
		isCellStart = place < CANDIDATES.length || (isCellStart && byte === 0x20);
	}
	const places = counts.subarray(0, CANDIDATES.length);
	return CANDIDATES[places.indexOf(Math.max(...places))];
}
