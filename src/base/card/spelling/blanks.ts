// Recognises the blanks, invisible characters and dashes that word processors and web pages write, in UTF-8, Latin-1 and
// Windows-1252.

/**
 * Returns the width in bytes of the blank at `bytes[at]`, or 0 if there is none: an ASCII blank, a non-breaking one
 * (`A0`, `C2 A0`), or a typographic one (`E2 80 80` to `8A`, `E2 80 AF`, `E3 80 80`).
 */
export function blankWidth(bytes: Uint8Array, at: number, end: number): number {
	const byte = bytes[at];
	if (byte <= 0x20 || byte === 0xa0) return 1;
	if (byte === 0xc2) return at + 1 < end && bytes[at + 1] === 0xa0 ? 2 : 0;
	if (byte === 0xe2 && at + 2 < end && bytes[at + 1] === 0x80) {
		return bytes[at + 2] <= 0x8a || bytes[at + 2] === 0xaf ? 3 : 0;
	}
	return byte === 0xe3 && at + 2 < end && bytes[at + 1] === 0x80 && bytes[at + 2] === 0x80 ? 3 : 0;
}

/** Returns the width in bytes of the hyphen or dash at `bytes[at]`, or 0 if there is none. */
export function dashWidth(bytes: Uint8Array, at: number, end: number): number {
	const byte = bytes[at];
	if (byte === 0x2d || byte === 0x96) return 1;
	const isTypographic = byte === 0xe2 && at + 2 < end && bytes[at + 1] === 0x80;
	return isTypographic && bytes[at + 2] >= 0x90 && bytes[at + 2] <= 0x94 ? 3 : 0;
}

/**
 * Returns the width in bytes of the invisible character at `bytes[at]`, or 0 if there is none: a soft hyphen, a byte order
 * mark, a zero width character (U+200B to U+200D, U+2060), or a mark of the direction of writing.
 */
export function invisibleWidth(bytes: Uint8Array, at: number, end: number): number {
	const [byte, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]];
	if (byte === 0xad) return 1;
	if (byte === 0xc2) return at + 1 < end && second === 0xad ? 2 : 0;
	if (at + 2 >= end) return 0;
	if (byte === 0xef) return second === 0xbb && third === 0xbf ? 3 : 0;
	if (byte !== 0xe2) return 0;
	if (second === 0x80) return (third >= 0x8b && third <= 0x8f) || (third >= 0xaa && third <= 0xae) ? 3 : 0;
	return second === 0x81 && (third === 0xa0 || (third >= 0xa6 && third <= 0xa9)) ? 3 : 0;
}

/** Returns where the value in `bytes[start, end)` begins, behind blanks and invisible characters. */
export function valueStart(bytes: Uint8Array, start: number, end: number): number {
	while (start < end) {
		const byte = bytes[start];
		if (byte > 0x20 && byte < 0x80) break;
		const width = blankWidth(bytes, start, end) || invisibleWidth(bytes, start, end);
		if (width === 0) break;
		start += width;
	}
	return start;
}

/** Returns where the value in `bytes[start, end)` ends, before blanks and invisible characters. */
export function valueEnd(bytes: Uint8Array, start: number, end: number): number {
	while (start < end) {
		const byte = bytes[end - 1];
		if (byte > 0x20 && byte < 0x80) break;
		const width = byte <= 0x20 ? 1 : wideBlankBefore(bytes, start, end);
		if (width === 0) break;
		end -= width;
	}
	return end;
}

/** Returns a text without the blanks and invisible characters around it. */
export function trimmed(text: Buffer): Buffer {
	const start = valueStart(text, 0, text.length);
	return text.subarray(start, valueEnd(text, start, text.length));
}

/**
 * Returns how many bytes the blank or invisible character above ASCII before `end` has, or 0 if there is none. `A0` and
 * `AD` may also be the last byte of a letter in UTF-8 (`C3 A0` is à), which is kept whole.
 */
function wideBlankBefore(bytes: Uint8Array, start: number, end: number): number {
	const isBlankAt = (at: number) => (blankWidth(bytes, at, end) || invisibleWidth(bytes, at, end)) === end - at;
	if (end - start >= 3 && bytes[end - 3] >= 0xe2 && isBlankAt(end - 3)) return 3;
	if (end - start >= 2 && bytes[end - 2] === 0xc2) return isBlankAt(end - 2) ? 2 : 0;
	const before = end - 1 > start ? bytes[end - 2] : 0;
	return isBlankAt(end - 1) && (before < 0x80 || before === 0xa0 || before === 0xad) ? 1 : 0;
}
