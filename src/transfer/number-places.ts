/** Holds the positions of the numbers that were found in a stretch of text. One instance is used again and again. */
export class NumberPlaces {
	count = 0;
	starts = new Int32Array(64);
	ends = new Int32Array(64);

	clear(): void {
		this.count = 0;
	}

	add(start: number, end: number): void {
		if (this.count === this.starts.length) {
			this.starts = grown(this.starts);
			this.ends = grown(this.ends);
		}
		this.starts[this.count] = start;
		this.ends[this.count++] = end;
	}
}

function grown(old: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
	const larger = new Int32Array(old.length * 2);
	larger.set(old);
	return larger;
}
