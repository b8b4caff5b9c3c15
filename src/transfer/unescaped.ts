// Undoes the escapes of characters, so that a number is found even if a file writes its digits as `\u0034111…` in JSON
// or `&#52;111…` in XML.

import type { EscapeStyle } from './format.ts';

const MARKS: Record<EscapeStyle, Buffer> = { json: Buffer.from('\\u00'), markup: Buffer.from('&#') };
/** Matches the escape of one ASCII character at the beginning of a text. */
const ESCAPES: Record<EscapeStyle, RegExp> = {
	json: /^\\u00([2-7][0-9a-f])/i,
	markup: /^&#(?:x0*([2-7][0-9a-f])|0*([3-9][0-9]|1[01][0-9]));/i,
};
const LONGEST_ESCAPE = 16;

/** A stretch of text whose escapes were undone, with the offset that each byte had in the original text. */
export interface Unescaped {
	readonly bytes: Buffer;
	/**
	 * For each byte, the offset in the original text at which its character or escape begins. The last entry is the end
	 * of the whole stretch.
	 */
	readonly offsets: Int32Array;
}

/** Returns the offset of the first possible escape in `bytes[start, end)`, or -1. */
export function indexOfEscape(bytes: Buffer, start: number, end: number, style: EscapeStyle): number {
	return bytes.subarray(0, end).indexOf(MARKS[style], start);
}

/**
 * Returns the text of `bytes[start, end)` with its escapes undone. Returns undefined if there is no escape in it, as is
 * usual.
 */
export function findUnescaped(bytes: Buffer, start: number, end: number, style: EscapeStyle): Unescaped | undefined {
	let next = indexOfEscape(bytes, start, end, style);
	if (next === -1) return undefined;
	const plain = Buffer.allocUnsafe(end - start);
	const offsets = new Int32Array(end - start + 1);
	let length = 0;
	for (let at = start; at < end; ) {
		offsets[length] = at;
		if (at !== next) {
			plain[length++] = bytes[at++];
			continue;
		}
		const match = ESCAPES[style].exec(bytes.toString('latin1', at, Math.min(end, at + LONGEST_ESCAPE)));
		if (match === null) plain[length++] = bytes[at++];
		else {
			const [spelling, hex, decimal] = match;
			plain[length++] = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
			at += spelling.length;
		}
		next = indexOfEscape(bytes, at, end, style);
	}
	offsets[length] = end;
	return { bytes: plain.subarray(0, length), offsets };
}
