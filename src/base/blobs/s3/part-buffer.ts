// Collects the bytes of a part until they are sent. What all buffers of this thread hold together is counted, so that
// many uploads at once do not fill the memory.

import { PART_BYTES } from '../../outbound/s3/s3-bucket.ts';
import { BufferPool, giveBack } from '../../threads/buffer-memory.ts';

const FIRST_BYTES = 1024 * 1024;
/** While buffers have more than this, none grows beyond its first size. */
const MOST_HELD_BYTES = 24 * 1024 * 1024;

const whole = new BufferPool(PART_BYTES, 2);
let heldBytes = 0;

/** Tells whether the buffers of this thread have so much memory that none should grow. */
export function isMemoryShort(): boolean {
	return heldBytes > MOST_HELD_BYTES;
}

export class PartBuffer {
	#memory: Buffer = Buffer.alloc(0);
	#length = 0;

	get length(): number {
		return this.#length;
	}

	get isFull(): boolean {
		return this.#length === PART_BYTES;
	}

	get bytes(): Buffer {
		return this.#memory.subarray(0, this.#length);
	}

	/**
	 * Copies as many of the bytes to an offset, which is at most the length, as fit; returns their number. While
	 * memory is short, less than a part fits.
	 */
	write(bytes: Uint8Array, offset: number): number {
		const most = isMemoryShort() ? Math.max(this.#memory.length, FIRST_BYTES) : PART_BYTES;
		const count = Math.min(bytes.length, most - offset);
		const end = offset + count;
		if (end > this.#memory.length) this.#grow(end);
		this.#memory.set(bytes.subarray(0, count), offset);
		this.#length = Math.max(this.#length, end);
		return count;
	}

	cut(length: number): void {
		this.#length = Math.min(this.#length, length);
	}

	/** Gives the memory back. Nobody may use `bytes` any more. */
	free(): void {
		heldBytes -= this.#memory.length;
		if (this.#memory.length === PART_BYTES) whole.put(this.#memory);
		else giveBack(this.#memory);
		this.#memory = Buffer.alloc(0);
		this.#length = 0;
	}

	#grow(least: number): void {
		const size = least <= FIRST_BYTES ? FIRST_BYTES : PART_BYTES;
		const larger = size === PART_BYTES ? whole.take() : Buffer.allocUnsafeSlow(size);
		const { length } = this;
		this.bytes.copy(larger);
		heldBytes += larger.length;
		this.free();
		this.#memory = larger;
		this.#length = length;
	}
}
