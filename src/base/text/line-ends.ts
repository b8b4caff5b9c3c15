const LF = 0x0a;
const CR = 0x0d;

/** Counts the line ends in `bytes[from, to)`, each of them CR, LF or CRLF. `isAfterCr` says that a CR stands before. */
export function countLineEnds(bytes: Uint8Array, from: number, to: number, isAfterCr = false): number {
	let count = 0;
	for (let i = from; i < to; i++) {
		if (bytes[i] === CR) count++;
		else if (bytes[i] === LF && !(i > from ? bytes[i - 1] === CR : isAfterCr)) count++;
	}
	return count;
}

/** Returns the line of the byte at `at`, by the line ends between it and a place `known` that is on the line `line`. */
export function lineAt(bytes: Uint8Array, line: number, known: number, at: number): number {
	return at < known ? line - countLineEnds(bytes, at, known) : line + countLineEnds(bytes, known, at);
}
