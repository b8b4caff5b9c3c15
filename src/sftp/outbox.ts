import type { Writable } from 'node:stream';

/** This is the part of the connection that all its channels share. */
export interface Transport {
	/** The socket, whose buffer holds the bytes that are not sent yet; ssh2 writes to it without checking. */
	readonly socket: Writable;
	/** Returns true while keys are exchanged. ssh2 then keeps every packet in memory, so nothing is sent to it. */
	isRekeying(): boolean;
	/** Counts bytes that were sent, towards the next key exchange. */
	sent(bytes: number): void;
}

const maxSocketBytes = 1024 * 1024;
const joinedBytes = 32 * 1024;

/**
 * Holds replies that wait to be sent. ssh2 only gets what the client's window and the socket accept, so the bytes for a
 * slow reader stay here, where they are counted.
 */
export class Outbox {
	readonly #channel: Writable;
	readonly #transport: Transport;
	readonly #onProgress: () => void;
	#queue: Buffer[] = [];
	#at = 0;
	#queuedBytes = 0;
	#closed = false;
	#isScheduled = false;

	constructor(channel: Writable, transport: Transport, onProgress: () => void) {
		this.#channel = channel;
		this.#transport = transport;
		this.#onProgress = onProgress;
	}

	/** Returns the number of bytes not yet passed to the transport. */
	get heldBytes(): number {
		return this.#queuedBytes + this.#channel.writableLength;
	}

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
		while (this.#at < this.#queue.length && this.#mayWrite()) {
			const piece = this.#takePiece();
			sentBytes += piece.length;
			this.#channel.write(piece, this.#written);
		}
		if (this.#at === this.#queue.length) {
			this.#queue = [];
			this.#at = 0;
		}
		if (sentBytes === 0) return;
		this.#transport.sent(sentBytes);
		this.#onProgress();
	}

	/** Closes the outbox: nothing is sent after this. */
	close(): void {
		this.#closed = true;
		this.#queue = [];
		this.#at = 0;
		this.#queuedBytes = 0;
	}

	/**
	 * Replies of one turn of the event loop are sent together, so that many small ones share an SSH packet and a system
	 * call.
	 */
	#schedule(): void {
		if (this.#isScheduled) return;
		this.#isScheduled = true;
		setImmediate(() => {
			this.#isScheduled = false;
			if (!this.#closed) this.flush();
		});
	}

	readonly #written = () => {
		if (!this.#closed) this.flush();
	};

	#mayWrite(): boolean {
		return (
			this.#channel.writableLength === 0 &&
			this.#transport.socket.writableLength < maxSocketBytes &&
			!this.#transport.isRekeying()
		);
	}

	#takePiece(): Buffer {
		const from = this.#at;
		let bytes = this.#queue[this.#at++].length;
		while (this.#at < this.#queue.length && bytes + this.#queue[this.#at].length <= joinedBytes) {
			bytes += this.#queue[this.#at++].length;
		}
		this.#queuedBytes -= bytes;
		return this.#at - from === 1 ? this.#queue[from] : Buffer.concat(this.#queue.slice(from, this.#at), bytes);
	}
}
