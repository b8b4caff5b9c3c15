import type { Socket } from 'node:net';
import type { HeldBytes } from './held-bytes.ts';
import type { Session } from './session.ts';

export interface ConnectionMemoryOptions {
	readonly socket: Pick<Socket, 'writableLength' | 'pause' | 'resume'>;
	/** The memory that all connections share. */
	readonly held: HeldBytes;
	/** The connection is not read while its requests hold this many bytes, even if there is more memory. */
	readonly maxUnansweredBytes: number;
	/** Returns the sessions of the connection. */
	readonly sessions: () => Iterable<Pick<Session, 'heldBytes' | 'receivedBytes' | 'isWorking'>>;
	/** This function is called when the connection is read again. */
	readonly onReadAgain: () => void;
}

/**
 * Counts what one connection holds of the memory that all connections share. It stops reading the socket while requests
 * hold all that the connection may hold, so that the client has to wait.
 */
export class ConnectionMemory {
	readonly #options: ConnectionMemoryOptions;
	#countedBytes = 0;
	#isHeldBack = false;
	#isEnding = false;

	constructor(options: ConnectionMemoryOptions) {
		this.#options = options;
	}

	/** Returns true while nothing is read from the socket. */
	get isHeldBack(): boolean {
		return this.#isHeldBack;
	}

	/** Returns how many bytes the connection may hold now. */
	allowedBytes(): number {
		return this.#options.held.allowedBytes;
	}

	/** Counts anew. It is called whenever bytes come or go. */
	count(): void {
		const { socket, held, maxUnansweredBytes, sessions } = this.#options;
		let bytes = socket.writableLength;
		let receivedBytes = 0;
		let isWorking = false;
		for (const session of sessions()) {
			bytes += session.heldBytes;
			receivedBytes += session.receivedBytes;
			isWorking ||= session.isWorking;
		}
		held.add(bytes - this.#countedBytes);
		this.#countedBytes = bytes;
		// Requests that have begun end without anything more from the client, and their end leads here again. Without such a
		// request the client is read, because what is held may be the first part of a packet.
		// Reading stops a little before the sessions take no more requests, so that what arrives still does not wait in ssh2.
		const mostBytes = 0.75 * Math.min(maxUnansweredBytes, held.allowedBytes);
		this.#holdBack(isWorking && !this.#isEnding && receivedBytes >= mostBytes);
	}

	/** The connection ends: from now on it is read, so that its end is seen. */
	end(): void {
		this.#isEnding = true;
		this.count();
	}

	#holdBack(isHeldBack: boolean): void {
		if (isHeldBack === this.#isHeldBack) return;
		this.#isHeldBack = isHeldBack;
		if (isHeldBack) return void this.#options.socket.pause();
		this.#options.onReadAgain();
		this.#options.socket.resume();
	}
}
