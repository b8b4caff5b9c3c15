// The memory of tapes. Large ones are let go of at once: a collector that knows nothing of them would be late.

export type Cells = Int32Array<ArrayBuffer>;

/** The cells with room for `length`, in which what was there stands at the beginning. */
export function grown(cells: Cells, length: number): Cells {
	const larger = new Int32Array(length);
	larger.set(cells);
	free(cells);
	return larger;
}

/** New cells in place of some that nobody looks at any more. */
export function released(cells: Cells, length: number): Cells {
	free(cells);
	return new Int32Array(length);
}

function free({ buffer }: Cells): void {
	buffer.transfer(0);
}
