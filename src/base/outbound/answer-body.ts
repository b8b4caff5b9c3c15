import { giveBack } from '../threads/buffer-memory.ts';

/** Limits the memory that all answers together may use while they arrive. */
export class ByteBudget {
	#left: number;

	constructor(maxBytes: number) {
		this.#left = maxBytes;
	}

	/** Takes bytes from the budget; returns false and takes nothing if not enough are left. */
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
 * Memory for the whole announced length of a body is reserved only when this fraction of the body has arrived. From
 * then on a large answer no longer has to be copied into larger buffers.
 */
const TRUSTED_PART = 1 / 16;

/**
 * Collects a body in one growing buffer instead of a list of pieces, because a list of pieces of one byte each would
 * take a hundred times their size. No memory is reserved for the announced length until part of the body has arrived.
 */
export class AnswerBody {
	#bytes: Buffer = Buffer.alloc(0);
	#length = 0;
	#expected = 0;
	/** True if this class has allocated the buffer, which can then be freed at once. */
	#isOwn = false;

	announce(length: number): void {
		if (length > 0) this.#expected = length;
	}

	get length(): number {
		return this.#length;
	}

	append(piece: Buffer): void {
		if (this.#length === 0) {
			// The first piece is used as it is, without a copy, because nearly every answer consists of one piece.
			this.#bytes = piece;
			this.#length = piece.length;
			return;
		}
		const needed = this.#length + piece.length;
		if (needed > this.#bytes.length) {
			const isTrusted = needed <= this.#expected && needed >= this.#expected * TRUSTED_PART;
			const larger = Buffer.allocUnsafeSlow(isTrusted ? this.#expected : Math.max(needed * 2, FIRST_CAPACITY));
			this.#bytes.copy(larger, 0, 0, this.#length);
			// The old buffer is freed at once, because the garbage collector would be too late with many answers at one time.
			if (this.#isOwn) (this.#bytes.buffer as ArrayBuffer).transfer(0);
			this.#bytes = larger;
			this.#isOwn = true;
		}
		piece.copy(this.#bytes, this.#length);
		// A large answer leaves many such buffers of the socket. The parser has only just called us from the midst of this one.
		setImmediate(giveBack, piece);
		this.#length = needed;
	}

	/** Frees the bytes of an answer that nobody will read. */
	drop(): void {
		if (this.#isOwn) (this.#bytes.buffer as ArrayBuffer).transfer(0);
		this.#bytes = Buffer.alloc(0);
		this.#length = 0;
	}

	bytes(): Buffer {
		return this.#bytes.subarray(0, this.#length);
	}
}
