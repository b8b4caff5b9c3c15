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
/** An announced length counts once this part of it is there: from then on growing to it costs no copies of a large answer. */
const TRUSTED_PART = 1 / 16;

/**
 * Collects a body. Kept in one growing buffer rather than in a list of pieces: bytes that drip in one by one would cost
 * a hundred times their number. The announced length is not trusted with memory either, until some of it has come.
 */
export class AnswerBody {
	#bytes: Buffer = Buffer.alloc(0);
	#length = 0;
	#expected = 0;
	/** Whether the bytes stand in memory of ours, which can be let go of at once. */
	#isOwn = false;

	/** Tells what the answer says of its length. */
	announce(length: number): void {
		if (length > 0) this.#expected = length;
	}

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
			const isTrusted = needed <= this.#expected && needed >= this.#expected * TRUSTED_PART;
			const larger = Buffer.allocUnsafeSlow(isTrusted ? this.#expected : Math.max(needed * 2, FIRST_CAPACITY));
			this.#bytes.copy(larger, 0, 0, this.#length);
			// A collector would be late, with so many answers at one time.
			if (this.#isOwn) (this.#bytes.buffer as ArrayBuffer).transfer(0);
			this.#bytes = larger;
			this.#isOwn = true;
		}
		piece.copy(this.#bytes, this.#length);
		this.#length = needed;
	}

	/** Lets go of what came, of an answer that nobody gets. */
	drop(): void {
		if (this.#isOwn) (this.#bytes.buffer as ArrayBuffer).transfer(0);
		this.#bytes = Buffer.alloc(0);
		this.#length = 0;
	}

	bytes(): Buffer {
		return this.#bytes.subarray(0, this.#length);
	}
}
