/** Returns the length of the UTF-8 byte order mark at `from`: 3 or 0. */
export function bomLength(bytes: Uint8Array, from: number, to: number): number {
	return to - from >= 3 && bytes[from] === 0xef && bytes[from + 1] === 0xbb && bytes[from + 2] === 0xbf ? 3 : 0;
}

/** Returns the wide encoding of which the mark is at `from`, if any. */
export function findWideMark(bytes: Uint8Array, from: number, end: number): string | undefined {
	if (bytes[from] > 0 && bytes[from] < 0xfe) return undefined;
	const has = (...mark: number[]) => end - from >= mark.length && mark.every((byte, i) => bytes[from + i] === byte);
	if (has(0xff, 0xfe, 0, 0) || has(0, 0, 0xfe, 0xff)) return 'UTF-32';
	if (has(0xff, 0xfe) || has(0xfe, 0xff)) return 'UTF-16';
	return undefined;
}
