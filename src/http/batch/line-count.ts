const LF = 0x0a;
const CR = 0x0d;

/** Says on which line a row of CSV begins. The library counts a line end within quotes more than once. */
export class LineCount {
	/** The line of the first byte that no row has taken. */
	#line = 1;
	/** Bytes of the body that no row has taken, and how many were taken before them. */
	#bytes: Buffer = Buffer.alloc(0);
	#base = 0;

	add(piece: Buffer): void {
		this.#bytes = this.#bytes.length === 0 ? piece : Buffer.concat([this.#bytes, piece]);
	}

	/** The line at which the next row begins, or would. */
	get current(): number {
		return this.#line + countLines(this.#bytes, 0, this.#rowStart());
	}

	/** Takes the row whose last byte is before `end`, an offset in the body; returns the line of its first one. */
	lineOf(end: number): number {
		const line = this.current;
		const taken = end - this.#base;
		this.#line += countLines(this.#bytes, 0, taken);
		this.#bytes = this.#bytes.subarray(taken);
		this.#base = end;
		return line;
	}

	wipe(): void {
		this.#bytes = Buffer.alloc(0);
	}

	/** Where the row begins: behind the end of the line before it, and behind empty lines. */
	#rowStart(): number {
		let at = 0;
		while (this.#bytes[at] === LF || this.#bytes[at] === CR) at++;
		return at;
	}
}

/** Line ends in `bytes[from, to)`: LF, CR LF, or CR alone. */
function countLines(bytes: Buffer, from: number, to: number): number {
	let count = 0;
	for (let at = from; at < to; at++) {
		if (bytes[at] === LF || (bytes[at] === CR && bytes[at + 1] !== LF)) count++;
	}
	return count;
}
