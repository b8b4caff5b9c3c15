// Lines and rows that are passed over without looking for cards.

import type { Dialect } from './dialect.ts';
import { MATCHED_BYTES } from './pattern.ts';
import { afterLineEnd, INCOMPLETE } from './row.ts';

/** Whether an empty line or a comment begins at `at`: neither is a row. */
export function isNoRow(bytes: Buffer, at: number, to: number, comment: Buffer): boolean {
	if (bytes[at] === 0x0a || bytes[at] === 0x0d) return true;
	if (comment.length === 0 || to - at < comment.length) return false;
	for (let i = 0; i < comment.length; i++) if (bytes[at + i] !== comment[i]) return false;
	return true;
}

/** Whether there is nothing but blanks and line ends in `[from, to)`. */
export function isBlank(bytes: Buffer, from: number, to: number): boolean {
	for (let i = from; i < to; i++) if (bytes[i] > 0x20) return false;
	return true;
}

/** Whether the row `[from, next)` is one that the dialect passes over. */
export function isSkippedRow({ skipRowsMatching }: Dialect, bytes: Buffer, from: number, next: number): boolean {
	if (skipRowsMatching === undefined) return false;
	let end = next;
	while (end > from && (bytes[end - 1] === 0x0a || bytes[end - 1] === 0x0d)) end--;
	return skipRowsMatching.test(bytes.toString('latin1', from, Math.min(end, from + MATCHED_BYTES)));
}

/** The offset after the line that begins at `at`, whatever it holds; `INCOMPLETE` when it ends after the window. */
export function endOfLine(bytes: Buffer, at: number, to: number, isLast: boolean): number {
	while (at < to && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at++;
	if (at === to) return isLast ? to : INCOMPLETE;
	return afterLineEnd(bytes, at, to, isLast);
}
