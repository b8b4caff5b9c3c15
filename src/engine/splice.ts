// Replaces byte ranges and copies every other byte unchanged. No other file of the engine creates output.

const FIRST_EDITS = 1024;
const FIRST_ARENA_BYTES = 65_536;

/** Holds the replacements for byte ranges of one window. The object is emptied and used again for every window. */
export class Edits {
	count = 0;
	/**
	 * The ranges to replace in the window, with exclusive ends. If a range is empty, its replacement is inserted there.
	 */
	starts = new Int32Array(FIRST_EDITS);
	ends = new Int32Array(FIRST_EDITS);
	#from = new Int32Array(FIRST_EDITS);
	#lengths = new Int32Array(FIRST_EDITS);
	/** Holds the bytes of all replacements, one after the other. */
	#arena = Buffer.allocUnsafeSlow(FIRST_ARENA_BYTES);
	#used = 0;
	#growth = 0;

	clear(): void {
		this.count = 0;
		this.#used = 0;
		this.#growth = 0;
	}

	/**
	 * Adds a replacement of `length` bytes for `[start, end)`. Returns the offset in `target` to which the caller must
	 * write these bytes. Ranges are added nearly in the order of their starts and never overlap.
	 */
	add(start: number, end: number, length: number): number {
		if (this.count === this.starts.length) this.#growEdits();
		if (this.#used + length > this.#arena.length) this.#growArena(length);
		let at = this.count++;
		// Replacements are kept in the order of their ranges. Most are added in that order, but a CVV may stand before its
		// number, and its replacement is then moved to the left.
		while (at > 0 && this.starts[at - 1] > start) {
			this.starts[at] = this.starts[at - 1];
			this.ends[at] = this.ends[at - 1];
			this.#from[at] = this.#from[at - 1];
			this.#lengths[at] = this.#lengths[at - 1];
			at--;
		}
		this.starts[at] = start;
		this.ends[at] = end;
		this.#from[at] = this.#used;
		this.#lengths[at] = length;
		const offset = this.#used;
		this.#used += length;
		this.#growth += length - (end - start);
		return offset;
	}

	/** Tells whether a range that is replaced contains `at`. */
	cover(at: number): boolean {
		let i = this.count - 1;
		while (i >= 0 && this.starts[i] > at) i--;
		return i >= 0 && this.ends[i] > at;
	}

	/**
	 * Returns the buffer for the bytes of replacements. Read this property again after each `add`, because `add` may
	 * allocate a larger buffer.
	 */
	get target(): Buffer {
		return this.#arena;
	}

	/** Adds a replacement whose bytes already exist. */
	replace(start: number, end: number, bytes: Uint8Array): void {
		const at = this.add(start, end, bytes.length);
		this.#arena.set(bytes, at);
	}

	/** Returns how long `source[from, to)` will be after `apply`. */
	outputLength(from: number, to: number): number {
		return to - from + this.#growth;
	}

	/**
	 * Returns where bytes at the given offsets of the window are after `apply`. The offsets ascend, and none is within a
	 * range that is replaced. An offset at which a range begins moves to the beginning of its replacement.
	 */
	movedTo(offsets: readonly number[]): number[] {
		let growth = 0;
		let next = 0;
		return offsets.map((offset) => {
			for (; next < this.count && this.starts[next] < offset; next++) {
				growth += this.#lengths[next] - (this.ends[next] - this.starts[next]);
			}
			return offset + growth;
		});
	}

	/**
	 * Copies `source[from, to)` into `output` with all replacements made. `output` must have the length that
	 * `outputLength` returns.
	 */
	apply(
		source: Buffer,
		from: number,
		to: number,
		output: Buffer = Buffer.allocUnsafe(this.outputLength(from, to)),
	): Buffer {
		let read = from;
		let written = 0;
		for (let i = 0; i < this.count; i++) {
			const start = this.starts[i];
			if (start < read) throw new Error('internal error: replacements overlap');
			source.copy(output, written, read, start);
			written += start - read;
			const length = this.#lengths[i];
			this.#arena.copy(output, written, this.#from[i], this.#from[i] + length);
			written += length;
			read = this.ends[i];
		}
		source.copy(output, written, read, to);
		if (written + to - read !== output.length) throw new Error('internal error: spliced length does not add up');
		return output;
	}

	/** Wipes the replacement bytes, because when detokenizing they were card numbers. */
	wipe(): void {
		this.#arena.fill(0);
	}

	/** Wipes the bytes of those replacements that were added since the last `clear`. */
	wipeUsed(): void {
		this.#arena.fill(0, 0, this.#used);
	}

	#growEdits(): void {
		const grow = (old: Int32Array<ArrayBuffer>) => {
			const larger = new Int32Array(old.length * 2);
			larger.set(old);
			return larger;
		};
		this.starts = grow(this.starts);
		this.ends = grow(this.ends);
		this.#from = grow(this.#from);
		this.#lengths = grow(this.#lengths);
	}

	#growArena(needed: number): void {
		const larger = Buffer.allocUnsafeSlow(Math.max(this.#arena.length * 2, this.#used + needed));
		larger.set(this.#arena.subarray(0, this.#used));
		this.#arena.fill(0);
		this.#arena = larger;
	}
}
