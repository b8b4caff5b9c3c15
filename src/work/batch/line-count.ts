import { countLineEnds } from '../../base/text/line-ends.ts';

const LF = 0x0a;
const CR = 0x0d;

/**
 * Finds out on which line each row of CSV begins. The line numbers of the CSV library are not used, because it counts a
 * line end within quotes more than once.
 */
export class LineCount {
	/** The line of the first byte that does not belong to a row read so far. */
	#line = 1;
	/** The bytes of the body that do not belong to a row read so far, and the number of bytes before them. */
	#bytes: Buffer = Buffer.alloc(0);
	#base = 0;
	/** A row may end between CR and LF, which are one line end. */
	#isAfterCr = false;

	add(piece: Buffer): void {
		this.#bytes = this.#bytes.length === 0 ? piece : Buffer.concat([this.#bytes, piece]);
		// Empty lines are no rows, and there may be any number of them.
		this.#drop(this.#rowStart());
	}

	/** The number of bytes of a row that has not ended. */
	get unfinished(): number {
		return this.#bytes.length;
	}

	get current(): number {
		return this.#line + countLineEnds(this.#bytes, 0, this.#rowStart(), this.#isAfterCr);
	}

	/** Removes a row from the bytes and returns the line on which it begins; `end` is the offset after its last byte. */
	lineOf(end: number): number {
		const line = this.current;
		this.#drop(end - this.#base);
		return line;
	}

	wipe(): void {
		this.#bytes = Buffer.alloc(0);
	}

	#drop(count: number): void {
		if (count <= 0) return;
		this.#line += countLineEnds(this.#bytes, 0, count, this.#isAfterCr);
		this.#isAfterCr = this.#bytes[count - 1] === CR;
		this.#bytes = this.#bytes.subarray(count);
		this.#base += count;
	}

	/** Returns the offset at which the next row begins: after the end of the line before it, and after empty lines. */
	#rowStart(): number {
		let at = 0;
		while (this.#bytes[at] === LF || this.#bytes[at] === CR) at++;
		return at;
	}
}
