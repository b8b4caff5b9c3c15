// Decides which regular expressions an account may run over every row. V8 backtracks, so even a short pattern can take
// exponential time. A running match cannot be stopped, so slow patterns are refused.

import { isTextAt } from '../../../src/base/card/ascii.ts';
import type { Dialect } from './dialect.ts';
import { afterLineEnd, INCOMPLETE } from './row.ts';

/** A pattern is matched only against this many bytes at the beginning of a row. */
export const MATCHED_BYTES = 128;

/**
 * The largest number of ways in which a pattern may match a text, as an exponent of two. The worst pattern that is let in
 * takes some hundredths of a millisecond a row. A streamed file is searched in the thread of a listener, some 250 such
 * rows at a time.
 */
const MAX_CHOICE_BITS = 14.25;
/** A choice counts a little more than one of two ways, because to take it back costs more than to go on by one character. */
const CHOICE_WEIGHT = 1.25;

/**
 * The number of ways in which a repetition without an upper bound can match, as an exponent of two: one way for every
 * length up to that of the matched text.
 */
const REPETITION_BITS = Math.log2(MATCHED_BYTES);

/**
 * Tells whether a pattern is a regular expression that cannot take long: it has no repeated groups, no back references
 * and few choices.
 */
export function isCheapPattern(source: string): boolean {
	// Each escape and each character class is replaced by one character, and each kind of group by a plain one. Only the
	// signs that give the pattern its structure remain.
	const bare = source
		.replace(/\\[^1-9k]/g, '_')
		.replace(/\[[^\]]*\]/g, '_')
		.replace(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(');
	if (/\\|\)(?:[*+]|\{)/.test(bare)) return false;
	return choiceBits(bare, isAnchored(bare)) <= MAX_CHOICE_BITS && isRegExp(source);
}

/** Tells whether a pattern matches at the beginning of a text only. */
function isAnchored(bare: string): boolean {
	let depth = 0;
	for (const sign of bare) {
		if (sign === '(') depth++;
		else if (sign === ')') depth--;
		else if (sign === '|' && depth === 0) return false;
	}
	return bare.startsWith('^');
}

function choiceBits(bare: string, isAnchored: boolean): number {
	const alternatives = [1];
	let bits = 0;
	// A pattern that may match anywhere is tried at every character, as if a repetition stood before it.
	let repetitions = isAnchored ? 0 : 1;
	for (const [sign] of bare.matchAll(/[*+?|()]|\{\d+,\d*\}/g)) {
		if (sign === '(') alternatives.push(1);
		else if (sign === '|') alternatives[alternatives.length - 1]++;
		else if (sign === ')') bits += CHOICE_WEIGHT * Math.log2(alternatives.pop() ?? 1);
		else if (sign === '?') bits += CHOICE_WEIGHT;
		else repetitions++;
	}
	bits += repetitions * REPETITION_BITS;
	// Several repetitions share the characters of one text, so they have fewer ways together than each has alone.
	for (let count = 2; count <= repetitions; count++) bits -= Math.log2(count);
	return alternatives.reduce((sum, count) => sum + CHOICE_WEIGHT * Math.log2(count), bits);
}

function isRegExp(source: string): boolean {
	try {
		new RegExp(source);
		return true;
	} catch {
		return false;
	}
}

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
