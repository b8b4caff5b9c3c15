import { maxPacketBytes } from '../protocol/packet.ts';

/** A connection may always hold so many bytes, the longest request, so that it goes on whatever the others hold. */
export const alwaysAllowedBytes = maxPacketBytes;

/**
 * The memory that all connections of a server share for bytes of their clients. Each connection may hold as much as is
 * still free. So a few connections can hold much each, many can hold little each, and some memory is left for the next
 * one.
 */
export class HeldBytes {
	readonly #limit: number;
	#bytes = 0;

	constructor(limit: number) {
		this.#limit = limit;
	}

	get bytes(): number {
		return this.#bytes;
	}

	get allowedBytes(): number {
		return Math.max(alwaysAllowedBytes, this.#limit - this.#bytes);
	}

	/** Adds the change in the number of bytes that a connection holds. It is negative if the connection holds fewer. */
	add(bytes: number): void {
		this.#bytes += bytes;
	}
}
