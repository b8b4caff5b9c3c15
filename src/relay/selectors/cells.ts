// Manages the memory of tapes. Large ones are freed at once, because the garbage collector would be too late.

export type Cells = Int32Array<ArrayBuffer>;

/** Returns cells with room for `length` that begin with the previous content. */
export function grown(cells: Cells, length: number): Cells {
	const larger = new Int32Array(length);
	larger.set(cells);
	free(cells);
	return larger;
}

/** Returns new cells in place of some that are no longer used. */
export function released(cells: Cells, length: number): Cells {
	free(cells);
	return new Int32Array(length);
}

function free({ buffer }: Cells): void {
	buffer.transfer(0);
}
