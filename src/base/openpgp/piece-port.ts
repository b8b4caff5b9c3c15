// One end of a port over which the bytes of a message go in pieces, in both directions. Only a few are under way at a time.

import type { MessagePort } from 'node:worker_threads';
import { MOST_UNDER_WAY, type Piece } from './message-task.ts';

/** This error means that the other end of a port is gone. */
export class PortClosedError extends Error {
	override readonly name = 'PortClosedError';
}

export class PiecePort implements Pieces {
	readonly #port: MessagePort;
	readonly #received: (Uint8Array<ArrayBuffer> | undefined)[] = [];
	#underWay = 0;
	#isClosed = false;
	#waiting = 0;
	#moved = 0;
	#wake = Promise.withResolvers<void>();

	constructor(port: MessagePort) {
		this.#port = port;
		port.on('message', (message: Piece) => {
			if (message === 'taken') this.#underWay -= 1;
			else this.#received.push(message === 'end' ? undefined : message.piece);
			this.#awake();
		});
		port.on('close', () => {
			this.#isClosed = true;
			this.#awake();
		});
	}

	get moved(): number {
		return this.#moved;
	}

	get isWaiting(): boolean {
		return this.#waiting > 0;
	}

	/**
	 * Sends a copy of a piece as soon as the other end has taken most of the earlier ones.
	 * @throws PortClosedError
	 */
	async send(bytes: Uint8Array): Promise<void> {
		if (bytes.length === 0) return;
		const piece = new Uint8Array(bytes);
		await this.#until(() => this.#underWay < MOST_UNDER_WAY);
		this.#underWay += 1;
		this.#moved += 1;
		this.#port.postMessage({ piece } satisfies Piece, [piece.buffer]);
	}

	/** Says that no more pieces follow, and waits until the other end has taken all of them. */
	async end(): Promise<void> {
		this.#port.postMessage('end' satisfies Piece);
		await this.#until(() => this.#underWay === 0);
	}

	/** Returns the next piece, or undefined when no more follow. @throws PortClosedError */
	async next(): Promise<Uint8Array<ArrayBuffer> | undefined> {
		await this.#until(() => this.#received.length > 0);
		const piece = this.#received.shift();
		this.#moved += 1;
		if (piece) this.#port.postMessage('taken' satisfies Piece);
		return piece;
	}

	close(): void {
		this.#isClosed = true;
		this.#port.close();
		for (const piece of this.#received.splice(0)) piece?.fill(0);
		this.#awake();
	}

	#awake(): void {
		this.#wake.resolve();
		this.#wake = Promise.withResolvers<void>();
	}

	async #until(holds: () => boolean): Promise<void> {
		while (!holds()) {
			if (this.#isClosed) throw new PortClosedError('the other end of the port is gone');
			this.#waiting += 1;
			await this.#wake.promise;
			this.#waiting -= 1;
		}
	}
}

/** Where the bytes of a message come from, and where what is made of them goes. */
export interface Pieces {
	/** Returns the next piece, or undefined when no more follow. */
	next(): Promise<Uint8Array<ArrayBuffer> | undefined>;
	send(bytes: Uint8Array): Promise<void>;
	/** Counts the pieces that were taken or sent. */
	readonly moved: number;
	/** Tells whether a piece is awaited from outside, or its being taken there. */
	readonly isWaiting: boolean;
}

/** Returns the pieces that come as a stream, behind one that has come already. */
export function streamOf(pieces: Pieces, first?: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
	let ahead = first;
	return new ReadableStream(
		{
			async pull(controller) {
				const piece = ahead ?? (await pieces.next());
				ahead = undefined;
				if (piece === undefined) controller.close();
				else controller.enqueue(piece);
			},
		},
		{ highWaterMark: 0 },
	);
}
