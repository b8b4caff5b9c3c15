// Recognises the blanks and dashes that word processors and web pages write, in UTF-8, Latin-1 and Windows-1252.

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
