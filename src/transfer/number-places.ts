/** Holds the positions of the numbers that were found in a stretch of text. One instance is used again and again. */
export class NumberPlaces {
	count = 0;
	starts = new Int32Array(64);
	ends = new Int32Array(64);
	/** Holds 1 for a number that can only be told, because nothing can be put in its place. */
	onlyTold = new Uint8Array(64);

	clear(): void {
		this.count = 0;
	}

	add(start: number, end: number, isOnlyTold = false): void {
		if (this.count === this.starts.length) {
			this.starts = grown(this.starts, new Int32Array(this.count * 2));
			this.ends = grown(this.ends, new Int32Array(this.count * 2));
			this.onlyTold = grown(this.onlyTold, new Uint8Array(this.count * 2));
		}
		this.onlyTold[this.count] = isOnlyTold ? 1 : 0;
		this.starts[this.count] = start;
		this.ends[this.count++] = end;
	}

	/** Sorts the places from index `first` on by their positions. */
	sortFrom(first: number): void {
		const sorted = Array.from({ length: this.count - first }, (_, i) => {
			return { start: this.starts[first + i], end: this.ends[first + i], isOnlyTold: this.onlyTold[first + i] === 1 };
		}).sort((one, other) => one.start - other.start);
		this.count = first;
		for (const { start, end, isOnlyTold } of sorted) this.add(start, end, isOnlyTold);
	}
}

function grown<T extends Int32Array | Uint8Array>(old: T, larger: T): T {
	larger.set(old);
	return larger;
}
