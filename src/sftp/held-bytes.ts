import { maxPacketBytes } from './packet.ts';

/** A connection may always hold this much, so that it goes on whatever the others hold: the longest request. */
export const alwaysAllowedBytes = maxPacketBytes;

/**
 * The memory that all connections of a server share for bytes of their clients. Each may hold as much as is still free.
 * So few connections get much and many get little, all of them the same, and there is something left for the next one.
 */
export class HeldBytes {
	readonly #limit: number;
	#bytes = 0;

	constructor(limit: number) {
		this.#limit = limit;
	}

	/** Returns what all connections hold. */
	get bytes(): number {
		return this.#bytes;
	}

	/** Returns how much a connection may hold now. */
	get allowedBytes(): number {
		return Math.max(alwaysAllowedBytes, this.#limit - this.#bytes);
	}

	/** Counts what a connection holds more than before, or less if `bytes` is negative. */
	add(bytes: number): void {
		this.#bytes += bytes;
	}
}
