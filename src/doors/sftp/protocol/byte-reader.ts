/** This error is thrown if a packet does not have the form that its type requires; the client gets BAD_MESSAGE. */
export class MalformedPacket extends Error {
	override readonly name = 'MalformedPacket';
}

/**
 * Reads the fields of one packet in order. Strings are views of the packet, not copies.
 * @throws MalformedPacket if the packet ends early
 */
export class ByteReader {
	readonly #bytes: Buffer;
	#at = 0;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	byte(): number {
		return this.#bytes[this.#advance(1)];
	}

	uint32(): number {
		return this.#bytes.readUInt32BE(this.#advance(4));
	}

	/** Reads a size or an offset. Values above 2^53 do not occur in honest files and would lose precision. */
	uint64(): number {
		const value = this.uint32() * 0x1_0000_0000 + this.uint32();
		if (!Number.isSafeInteger(value)) throw new MalformedPacket('number too large');
		return value;
	}

	string(): Buffer {
		const length = this.uint32();
		const start = this.#advance(length);
		return this.#bytes.subarray(start, start + length);
	}

	#advance(length: number): number {
		const start = this.#at;
		if (length > this.#bytes.length - start) throw new MalformedPacket('packet ends early');
		this.#at = start + length;
		return start;
	}
}
