import type { Writable } from 'node:stream';
import { BufferPool, giveBack } from '../../../base/threads/buffer-memory.ts';

/** Describes the part of the connection that all its channels share. */
export interface Transport {
	/** Its buffer holds the bytes that are not sent yet; ssh2 writes to it without checking how many these are. */
	readonly socket: Writable;
	/** Returns true while keys are exchanged. ssh2 would keep every packet in memory then, so it is given none. */
	isRekeying(): boolean;
	/** Counts bytes that were sent, because keys are exchanged anew after a certain number of bytes. */
	sent(bytes: number): void;
}

export interface OutboxOptions {
	readonly channel: Writable;
	readonly transport: Transport;
	/** Returns how many bytes of memory the connection may hold now. */
	readonly allowedBytes: () => number;
	readonly onProgress: () => void;
}

const maxSocketBytes = 1024 * 1024;
/**
 * Replies are joined to pieces of up to this many bytes. It is a multiple of the 32 KiB that clients accept in one SSH
 * packet, so that the packets are full.
 */
const joinedBytes = 128 * 1024;
const joinedBuffers = new BufferPool(joinedBytes, 16);

/**
 * Holds replies that wait to be sent. ssh2 is given only what the client's SSH window and the socket accept, so the
 * bytes for a slow reader stay here, where they are counted.
 */
export class Outbox {
	readonly #channel: Writable;
	readonly #transport: Transport;
	readonly #allowedBytes: () => number;
	readonly #onProgress: () => void;
	#queue: Buffer[] = [];
	/** The index of the first queued piece that is not sent completely, and how many of its bytes are already sent. */
	#at = 0;
	#sentOfPiece = 0;
	#queuedBytes = 0;
	#closed = false;
	#isScheduled = false;

	constructor(options: OutboxOptions) {
		this.#channel = options.channel;
		this.#transport = options.transport;
		this.#allowedBytes = options.allowedBytes;
		this.#onProgress = options.onProgress;
	}

	/** Returns the number of bytes not yet passed to the transport. */
	get heldBytes(): number {
		return this.#queuedBytes + this.#channel.writableLength;
	}

	/** Queues the pieces of a reply. The outbox frees them when they are sent, so the caller must not use them again. */
	push(pieces: readonly Buffer[]): void {
		if (this.#closed) return;
		for (const piece of pieces) {
			this.#queue.push(piece);
			this.#queuedBytes += piece.length;
		}
		this.#schedule();
	}

	/** Sends what can be sent now. It is called again when a write ends, the socket drains or a key exchange is over. */
	flush(): void {
		let sentBytes = 0;
		while (this.#queuedBytes > 0 && this.#mayWrite()) sentBytes += this.#writeJoined();
		if (sentBytes === 0) return;
		this.#transport.sent(sentBytes);
		this.#onProgress();
	}

	close(): void {
		this.#closed = true;
		this.#clear();
		this.#queuedBytes = 0;
	}

	/**
	 * Plans to send what is queued. Replies of one turn of the event loop are sent together, so that many small ones
	 * share an SSH packet and a system call.
	 */
	#schedule(): void {
		if (this.#isScheduled) return;
		this.#isScheduled = true;
		setImmediate(() => {
			this.#isScheduled = false;
			if (!this.#closed) this.flush();
		});
	}

	#mayWrite(): boolean {
		const socketBytes = Math.max(joinedBytes, Math.min(maxSocketBytes, this.#allowedBytes()));
		return (
			this.#channel.writableLength === 0 &&
			this.#transport.socket.writableLength < socketBytes &&
			!this.#transport.isRekeying()
		);
	}

	/** Joins queued pieces for ssh2, which divides them into packets. Returns the number of bytes. */
	#writeJoined(): number {
		const joined = joinedBuffers.take();
		let bytes = 0;
		while (this.#at < this.#queue.length && bytes < joined.length) {
			const piece = this.#queue[this.#at];
			const copied = piece.copy(joined, bytes, this.#sentOfPiece);
			bytes += copied;
			this.#sentOfPiece += copied;
			if (this.#sentOfPiece < piece.length) break;
			giveBack(piece);
			this.#sentOfPiece = 0;
			this.#at += 1;
		}
		this.#queuedBytes -= bytes;
		if (this.#at === this.#queue.length) this.#clear();
		const { socket } = this.#transport;
		// ssh2 passes each packet to the socket by itself. Corked, the socket sends them all with one system call.
		socket.cork();
		this.#channel.write(joined.subarray(0, bytes), () => {
			joinedBuffers.put(joined);
			if (this.#closed) return;
			this.flush();
			this.#onProgress();
		});
		socket.uncork();
		return bytes;
	}

	#clear(): void {
		this.#queue = [];
		this.#at = 0;
		this.#sentOfPiece = 0;
	}
}
