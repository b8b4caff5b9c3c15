// Recognises lines and rows that are skipped and not searched for cards.

import { isTextAt } from '../../../src/base/card/ascii.ts';
import type { Dialect } from './dialect.ts';
import { MATCHED_BYTES } from './pattern.ts';
import { afterLineEnd, INCOMPLETE } from './row.ts';

/** Tells whether an empty line or a comment begins at `at`, neither of which is a row. */
export function isNoRow(bytes: Buffer, at: number, to: number, comment: Buffer): boolean {
	if (bytes[at] === 0x0a || bytes[at] === 0x0d) return true;
	return comment.length > 0 && to - at >= comment.length && isTextAt(bytes, at, comment);
}

/** Tells whether `[from, to)` contains nothing but blanks and line ends. */
export function isBlank(bytes: Buffer, from: number, to: number): boolean {
	for (let i = from; i < to; i++) if (bytes[i] > 0x20) return false;
	return true;
}

/** Tells whether the dialect skips the row `[from, next)`. */
export function isSkippedRow({ skipRowsMatching }: Dialect, bytes: Buffer, from: number, next: number): boolean {
	if (skipRowsMatching === undefined) return false;
	let end = next;
	while (end > from && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) end--;
	return skipRowsMatching.test(bytes.toString('latin1', from, Math.min(end, from + MATCHED_BYTES)));
}

/**
 * Returns the offset after the line that begins at `at`, no matter what it holds, or `INCOMPLETE` if it ends after the
 * window.
 */
export function endOfLine(bytes: Buffer, at: number, to: number, isLast: boolean): number {
	while (at < to && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at++;
	if (at === to) return isLast ? to : INCOMPLETE;
	return afterLineEnd(bytes, at, to, isLast);
}
