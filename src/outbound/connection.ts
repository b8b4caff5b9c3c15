import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';

/** Once a connection is gone, a call that had not been sent yet is told so; it may be sent over another one. */
export class ConnectionGone extends Error {
	override readonly name = 'ConnectionGone';
}

const MAX_HEADER_BYTES = 32_768;

/**
 * How long a connection waits for its next call where the other side does not say. Short, because a call that meets a
 * connection the other side is just closing cannot be repeated.
 */
const KEEP_ALIVE_MS = 4000;
/** And where it says more than a connection may be old. */
const KEEP_ALIVE_MAX_MS = 60_000;

/** An open connection, used for one call at a time: HTTP/1.1 by undici over a socket that we made and checked. */
export class Connection {
	/** When its address was asked for and checked. */
	readonly checkedAt: number;
	readonly #client: Client;
	readonly #socket: Socket;

	constructor(origin: string, socket: Socket, onGone: (connection: Connection) => void, checkedAt = performance.now()) {
		this.#socket = socket;
		this.checkedAt = checkedAt;
		let isTaken = false;
		this.#client = new Client(origin, {
			// undici would connect again where a connection has gone; only who checked addresses may connect.
			connect: (_options, callback) => {
				const first = !isTaken;
				isTaken = true;
				queueMicrotask(() => (first ? callback(null, socket) : callback(new ConnectionGone(), null)));
			},
			pipelining: 1,
			allowH2: false,
			maxHeaderSize: MAX_HEADER_BYTES,
			keepAliveTimeout: KEEP_ALIVE_MS,
			keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
			// Every call has a deadline of its own.
			headersTimeout: 0,
			bodyTimeout: 0,
		});
		socket.once('close', () => onGone(this));
	}

	get isOpen(): boolean {
		return !this.#socket.destroyed;
	}

	/** Sends a call; what comes of it is told to the listener, which is called at least once with the end or an error. */
	dispatch(request: Dispatcher.DispatchOptions, listener: Dispatcher.DispatchHandler): void {
		this.#client.dispatch(request, listener);
	}

	close(): void {
		this.#socket.destroy();
	}
}
