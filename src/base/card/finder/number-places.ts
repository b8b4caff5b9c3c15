/**
 * What is to be done with a number: it is replaced, or only told because nothing can be put in its place, or it counts as
 * one that a host has masked.
 */
export const PLACE = { REPLACED: 0, TOLD: 1, MASKED: 2 } as const;
export type PlaceKind = (typeof PLACE)[keyof typeof PLACE];

/** Holds the positions of the numbers that were found in a stretch of text. One instance is used again and again. */
export class NumberPlaces {
	count = 0;
	starts = new Int32Array(64);
	ends = new Int32Array(64);
	/** Holds what is to be done with each number, as one of `PLACE`. */
	kinds = new Uint8Array(64);

	clear(): void {
		this.count = 0;
	}

	add(start: number, end: number, kind: PlaceKind = PLACE.REPLACED): void {
		if (this.count === this.starts.length) {
			this.starts = grown(this.starts, new Int32Array(this.count * 2));
			this.ends = grown(this.ends, new Int32Array(this.count * 2));
			this.kinds = grown(this.kinds, new Uint8Array(this.count * 2));
		}
		this.kinds[this.count] = kind;
		this.starts[this.count] = start;
		this.ends[this.count++] = end;
	}

	/** Tells whether the byte at `at` is inside a number. The places must be in order. */
	have(at: number): boolean {
		const first = countBelow(this.ends, at + 1, this.count);
		return first < this.count && this.starts[first] <= at;
	}

	/** Sorts the places from index `first` on by their positions. */
	sortFrom(first: number): void {
		const sorted = Array.from({ length: this.count - first }, (_, i) => {
			return { start: this.starts[first + i], end: this.ends[first + i], kind: this.kinds[first + i] as PlaceKind };
		}).sort((one, other) => one.start - other.start);
		this.count = first;
		for (const { start, end, kind } of sorted) this.add(start, end, kind);
	}
}

/** Counts the numbers that are below `limit`, among the first `count` of a list in ascending order. */
export function countBelow(sorted: ArrayLike<number>, limit: number, count = sorted.length): number {
	let low = 0;
	let high = count;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (sorted[middle] < limit) low = middle + 1;
		else high = middle;
	}
	return low;
}

function grown<T extends Int32Array | Uint8Array>(old: T, larger: T): T {
	larger.set(old);
	return larger;
}
