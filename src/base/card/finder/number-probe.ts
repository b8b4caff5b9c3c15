// Tells at a glance whether a byte may be inside a card number, by a few bytes around it. These checks are made millions of
// times for a file, and for most bytes the answer is no.

import { SHORTEST_CARD } from '../card-digits.ts';
import { BYTE, BYTE_CLASS } from '../spelling/digit-text.ts';
import { GAP_BYTES } from './divided-groups.ts';

/** Two groups of digits may belong to one number if at most this many separators stand between them: `4111 - 1111`. */
export const MAX_GAP = 3;
/** The bits that say of what kind of run a byte may be a part. In a run of lines, line ends divide digits too. */
export const RUN = { LINE: 1, LINES: 2 } as const;
/** Holds the bits for every byte: digits, separators, and whatever else may divide groups of digits. */
const INSIDE = Uint8Array.from(GAP_BYTES, (isGap, byte) => {
	if (isGap === 1 || BYTE_CLASS[byte] !== BYTE.OTHER) return RUN.LINE | RUN.LINES;
	return byte === 0x0a || byte === 0x0d ? RUN.LINES : 0;
});
const QUARTER = (SHORTEST_CARD - 1) / 4;
/** `longRunsAt` reads this many bytes before and behind the byte it is asked about. */
export const REACH = 3 * QUARTER;

/** Tells whether the byte at `at` may be inside a run of at least 13 bytes of a number on one line. */
export function isInLongRun(bytes: Uint8Array, at: number): boolean {
	return (longRunsAt(bytes, at) & RUN.LINE) !== 0;
}

/**
 * Returns the bits of the kinds of runs of at least 13 bytes of which the byte at `at` may be a part. Of the other twelve,
 * at least six are on one side of it. If fewer than three are on the other side, at least ten are on the first one.
 *
 * All bytes are read and their bits combined, because the processor cannot foresee what text holds, and a wrong guess at a
 * branch would take longer than reading all of them.
 */
export function longRunsAt(bytes: Uint8Array, at: number): number {
	const before3 = INSIDE[bytes[at - QUARTER]];
	const before6 = INSIDE[bytes[at - 2 * QUARTER]];
	const before9 = INSIDE[bytes[at - REACH]];
	const after3 = INSIDE[bytes[at + QUARTER]];
	const after6 = INSIDE[bytes[at + 2 * QUARTER]];
	const after9 = INSIDE[bytes[at + REACH]];
	const isAround = (before3 & before6 & (after3 | before9)) | (after3 & after6 & (before3 | after9));
	return INSIDE[bytes[at]] & isAround;
}

/**
 * Tells whether the byte at `at` may divide groups of digits, judging by one byte before it and one behind it, which are
 * digits or separators then. It is asked millions of times.
 */
export function isBetween(bytes: Uint8Array, before: number, at: number, after: number): boolean {
	return (
		GAP_BYTES[bytes[at]] === 1 && BYTE_CLASS[bytes[before]] !== BYTE.OTHER && BYTE_CLASS[bytes[after]] !== BYTE.OTHER
	);
}

/** Tells whether a separator may stand inside a number: on both sides of it a digit must be close enough. */
export function isNearDigit(bytes: Uint8Array, at: number, start: number, end: number): boolean {
	return isTowardsDigit(bytes, at, -1, start, end) && isTowardsDigit(bytes, at, 1, start, end);
}

function isTowardsDigit(bytes: Uint8Array, at: number, step: number, start: number, end: number): boolean {
	for (let i = 1; i <= MAX_GAP; i++) {
		const next = at + i * step;
		if (next < start || next >= end) return false;
		const kind = BYTE_CLASS[bytes[next]];
		if (kind !== BYTE.SEPARATOR) return kind !== BYTE.OTHER;
	}
	return false;
}
