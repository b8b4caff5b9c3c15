import { maxPacketBytes } from './packet.ts';

/**
 * This error is thrown if the stream can no longer be divided into packets. Nothing after this point can be read, so
 * the channel ends.
 */
export class FramingError extends Error {
	override readonly name = 'FramingError';
}

/**
 * Cuts the chunks of a channel into packets, one at a time and only on request, so that a chunk with a thousand
 * requests does not become a thousand objects. It holds at most one chunk and one packet. A packet inside one chunk is
 * a view of it; one that spans chunks is copied once into a buffer of its exact size.
 */
export class PacketAssembler {
	#chunk: Buffer = Buffer.alloc(0);
	#at = 0;
	readonly #lengthBytes = Buffer.alloc(4);
	#lengthFilled = 0;
	#packet: Buffer | null = null;
	#packetFilled = 0;

	/** Returns the number of bytes kept for packets that were not returned yet. */
	get heldBytes(): number {
		return this.#chunk.length - this.#at + this.#lengthFilled + (this.#packet?.length ?? 0);
	}

	/** Takes the next chunk. `next` must have returned null since the last one. */
	push(chunk: Buffer): void {
		if (this.#at < this.#chunk.length) throw new Error('internal error: chunk pushed before the last was used up');
		this.#chunk = chunk;
		this.#at = 0;
	}

	/**
	 * Returns the next whole packet without its length, or null when more bytes are needed.
	 * @throws FramingError
	 */
	next(): Buffer | null {
		if (this.#packet === null) {
			const length = this.#readLength();
			if (length === null) return null;
			if (length === 0 || length > maxPacketBytes) throw new FramingError(`packet of ${length} bytes`);
			if (this.#chunk.length - this.#at >= length) {
				this.#at += length;
				return this.#chunk.subarray(this.#at - length, this.#at);
			}
			this.#packet = Buffer.allocUnsafeSlow(length);
			this.#packetFilled = 0;
		}
		const packet = this.#packet;
		this.#packetFilled += this.#take(packet, this.#packetFilled);
		if (this.#packetFilled < packet.length) return null;
		this.#packet = null;
		return packet;
	}

	#readLength(): number | null {
		if (this.#lengthFilled === 0 && this.#chunk.length - this.#at >= 4) {
			this.#at += 4;
			return this.#chunk.readUInt32BE(this.#at - 4);
		}
		this.#lengthFilled += this.#take(this.#lengthBytes, this.#lengthFilled);
		if (this.#lengthFilled < 4) return null;
		this.#lengthFilled = 0;
		return this.#lengthBytes.readUInt32BE(0);
	}

	#take(target: Buffer, from: number): number {
		const taken = this.#chunk.copy(target, from, this.#at);
		this.#at += taken;
		return taken;
	}
}
