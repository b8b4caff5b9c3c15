import type { Socket } from 'node:net';
import type { Session } from '../session/session.ts';
import type { HeldBytes } from './held-bytes.ts';

export interface ConnectionMemoryOptions {
	readonly socket: Pick<Socket, 'writableLength' | 'pause' | 'resume'>;
	readonly held: HeldBytes;
	/** The socket is not read while requests of this connection hold so many bytes, even if there is more memory. */
	readonly maxUnansweredBytes: number;
	readonly sessions: () => Iterable<Pick<Session, 'heldBytes' | 'receivedBytes' | 'isWorking'>>;
	/** This function is called when reading continues after a pause in which the connection held too many bytes. */
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

	allowedBytes(): number {
		return this.#options.held.allowedBytes;
	}

	/** Counts again how many bytes the connection holds. Call it whenever the number changes. */
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
		// Reading stops only while a request is in progress. Such a request ends without more data from the client, and
		// when it ends, the bytes are counted again. If no request is in progress, the held bytes may be the first part of
		// a packet, whose rest has to be read. Reading stops a little before the sessions accept no more requests, so that
		// data that still arrives does not wait in ssh2.
		const mostBytes = 0.75 * Math.min(maxUnansweredBytes, held.allowedBytes);
		this.#holdBack(isWorking && !this.#isEnding && receivedBytes >= mostBytes);
	}

	/** Marks the connection as ending: from now on the socket is always read, so that its end is noticed. */
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
