// Frees the memory of large buffers at once. V8 frees a buffer only when it collects its garbage, and starts a full
// collection for every 64 MB of buffers. A server that copies file contents allocates that much within moments, so it
// frees its large buffers itself.

/** The size from which `giveBack` frees a buffer: for smaller ones the call saves no time. */
const LEAST_FREED_BYTES = 1024;

/**
 * Frees the memory of a buffer at once. The caller must be its only user: the buffer is empty afterwards. A buffer that
 * shares its memory with others, or is small, stays as it is.
 */
export function giveBack(bytes: Uint8Array): void {
	const { buffer } = bytes;
	if (bytes.byteLength < LEAST_FREED_BYTES || bytes.byteLength !== buffer.byteLength) return;
	if (buffer instanceof ArrayBuffer) buffer.transfer(0);
}

/** Holds buffers of one size for reuse. At most `mostKept` unused buffers are kept. */
export class BufferPool {
	readonly #bytes: number;
	readonly #mostKept: number;
	readonly #kept: Buffer[] = [];
	#lent = 0;

	constructor(bytes: number, mostKept: number) {
		this.#bytes = bytes;
		this.#mostKept = mostKept;
	}

	/** Returns the number of buffers that were taken and not put back. */
	get lent(): number {
		return this.#lent;
	}

	/** Returns a buffer, which may still contain the bytes of its last user. */
	take(): Buffer {
		this.#lent += 1;
		return this.#kept.pop() ?? Buffer.allocUnsafeSlow(this.#bytes);
	}

	/** Takes a buffer back. The caller must not use it any more. */
	put(buffer: Buffer): void {
		this.#lent -= 1;
		if (this.#kept.length < this.#mostKept) this.#kept.push(buffer);
		else giveBack(buffer);
	}
}
