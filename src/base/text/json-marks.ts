// Looks at marks of JSON without reading all of it.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;

/**
 * Returns the offset after the JSON value at `from`, or -1 if its end has not arrived. Nothing is checked: the value may be
 * malformed, and then its end is where quotes and brackets say.
 */
export function jsonValueEnd(bytes: Uint8Array, from: number): number {
	let depth = 0;
	for (let i = from; i < bytes.length; i++) {
		const byte = bytes[i];
		if (byte === QUOTE) {
			i = stringEnd(bytes, i + 1);
			if (i === -1) return -1;
			if (depth === 0) return i + 1;
		} else if (byte === 0x7b || byte === 0x5b) depth++;
		else if (byte === 0x7d || byte === 0x5d) {
			if (depth === 0) return i;
			if (--depth === 0) return i + 1;
		} else if (depth === 0 && (byte === COMMA || byte <= 0x20)) return i;
	}
	return -1;
}

function stringEnd(bytes: Uint8Array, from: number): number {
	for (let i = from; i < bytes.length; i++) {
		if (bytes[i] === BACKSLASH) i++;
		else if (bytes[i] === QUOTE) return i;
	}
	return -1;
}

/** Tells whether a byte may be next to a number without quotes: a blank, a line end or a mark between values. */
export function isBesideNumber(byte: number): boolean {
	return byte <= 0x20 || byte === COMMA || byte === 0x3a || byte === 0x5b || byte === 0x5d || byte === 0x7d;
}
