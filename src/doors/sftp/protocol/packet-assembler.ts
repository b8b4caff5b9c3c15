import { giveBackPacket } from '../../../base/ssh/packet-buffers.ts';
import { maxPacketBytes } from './packet.ts';

/**
 * This error is thrown if the bytes of a channel can no longer be divided into packets, because a packet has an
 * impossible length. Nothing that follows can be read, so the channel ends.
 */
export class FramingError extends Error {
	override readonly name = 'FramingError';
}

const nothing = Buffer.alloc(0);

/**
 * Cuts the chunks of a channel into packets, one at a time and only on request, so that a chunk with a thousand
 * requests does not become a thousand objects. It holds at most one chunk and one packet. Packets are copies of their exact
 * size, so that the chunk is not needed any more when all of its packets were returned.
 */
export class PacketAssembler {
	#chunk: Buffer = nothing;
	/** The last used chunk. Who pushed it may need it until the next one, so it is freed only then. */
	#usedUp: Buffer = nothing;
	#at = 0;
	readonly #lengthBytes = Buffer.alloc(4);
	#lengthFilled = 0;
	#packet: Buffer | null = null;
	#packetFilled = 0;

	/** Returns the number of bytes kept for packets that were not returned yet. */
	get heldBytes(): number {
		return this.#chunk.length - this.#at + this.#lengthFilled + (this.#packet?.length ?? 0);
	}

	/** Tells whether the current chunk has bytes that were not copied into a packet yet. */
	get keepsChunk(): boolean {
		return this.#at < this.#chunk.length;
	}

	clear(): void {
		this.#dropChunk();
		this.#lengthFilled = 0;
		this.#packet = null;
	}

	/** Takes the next chunk. The one before must be used up, which is so when `next` has returned null. */
	push(chunk: Buffer): void {
		if (this.keepsChunk) throw new Error('internal error: chunk pushed before the last was used up');
		giveBackPacket(this.#usedUp);
		this.#chunk = chunk;
		this.#at = 0;
	}

	/**
	 * Returns the next whole packet without its length, or null when more bytes are needed.
	 * @throws FramingError if the packet has an impossible length
	 */
	next(): Buffer | null {
		if (this.#packet === null) {
			const length = this.#readLength();
			if (length === null) return null;
			if (length === 0 || length > maxPacketBytes) throw new FramingError(`packet of ${length} bytes`);
			this.#packet = Buffer.allocUnsafe(length);
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
			const length = this.#chunk.readUInt32BE(this.#at - 4);
			if (!this.keepsChunk) this.#dropChunk();
			return length;
		}
		this.#lengthFilled += this.#take(this.#lengthBytes, this.#lengthFilled);
		if (this.#lengthFilled < 4) return null;
		this.#lengthFilled = 0;
		return this.#lengthBytes.readUInt32BE(0);
	}

	#take(target: Buffer, from: number): number {
		const taken = this.#chunk.copy(target, from, this.#at);
		this.#at += taken;
		if (this.#at === this.#chunk.length) this.#dropChunk();
		return taken;
	}

	#dropChunk(): void {
		this.#usedUp = this.#chunk;
		this.#chunk = nothing;
		this.#at = 0;
	}
}
