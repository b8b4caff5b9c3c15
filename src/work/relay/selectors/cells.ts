// Manages the memory of tapes, which are lists of the values in a body. The memory of a large tape is freed as soon as
// the tape is not used any more, because the garbage collector would free it too late.

export type Cells = Int32Array<ArrayBuffer>;

/** Returns a copy of the cells that is `length` cells long, and frees the memory of the shorter original. */
export function grown(cells: Cells, length: number): Cells {
	const larger = new Int32Array(length);
	larger.set(cells);
	free(cells);
	return larger;
}

/** Frees the memory of cells that are no longer used, and returns `length` new cells. */
export function released(cells: Cells, length: number): Cells {
	free(cells);
	return new Int32Array(length);
}

function free({ buffer }: Cells): void {
	buffer.transfer(0);
}
