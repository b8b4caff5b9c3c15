/** What all answers together may hold in memory while they come in. */
export class ByteBudget {
	#left: number;

	constructor(maxBytes: number) {
		this.#left = maxBytes;
	}

	/** False, and nothing taken, where there is not so much left. */
	take(bytes: number): boolean {
		if (bytes > this.#left) return false;
		this.#left -= bytes;
		return true;
	}

	give(bytes: number): void {
		this.#left += bytes;
	}
}

const FIRST_CAPACITY = 16_384;

/**
 * Collects a body. Kept in one growing buffer rather than in a list of pieces: bytes that drip in one by one would cost
 * a hundred times their number. The announced length is not trusted with memory either.
 */
export class AnswerBody {
	#bytes: Buffer = Buffer.alloc(0);
	#length = 0;

	get length(): number {
		return this.#length;
	}

	append(piece: Buffer): void {
		if (this.#length === 0) {
			// Nearly every answer is one piece, and needs no copy.
			this.#bytes = piece;
			this.#length = piece.length;
			return;
		}
		const needed = this.#length + piece.length;
		if (needed > this.#bytes.length) {
			const larger = Buffer.allocUnsafeSlow(Math.max(needed * 2, FIRST_CAPACITY));
			this.#bytes.copy(larger, 0, 0, this.#length);
			this.#bytes = larger;
		}
		piece.copy(this.#bytes, this.#length);
		this.#length = needed;
	}

	bytes(): Buffer {
		return this.#bytes.subarray(0, this.#length);
	}
}
