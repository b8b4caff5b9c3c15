import type { Socket } from 'node:net';
import { Client, type Dispatcher } from 'undici';
import { ConnectionGone } from './exchange.ts';

const MAX_HEADER_BYTES = 32_768;

/**
 * A connection waits this long for its next call if the other side states no time. The time is short, because a call
 * that is sent while the other side closes the connection cannot be repeated.
 */
const KEEP_ALIVE_MS = 4000;
/** A connection waits no longer than this for its next call, even if the other side allows more. */
const KEEP_ALIVE_MAX_MS = 60_000;

/**
 * This is an open connection, used for one call at a time. It speaks HTTP/1.1 through undici over a socket that we
 * opened and checked.
 */
export class Connection {
	/** The time when the address of the connection was resolved and checked. */
	readonly checkedAt: number;
	/** True once the other side has begun to answer a call, which shows that it has accepted our side of the handshake. */
	hasAnswered = false;
	readonly #client: Client;
	readonly #socket: Socket;

	constructor(origin: string, socket: Socket, onGone: (connection: Connection) => void, checkedAt = performance.now()) {
		this.#socket = socket;
		this.checkedAt = checkedAt;
		let isTaken = false;
		this.#client = new Client(origin, {
			// undici gets our socket when it connects for the first time, and an error every time after that. It never opens
			// a socket by itself, because the address would not be checked.
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
			// undici's timeouts are off, because every call has its own deadline.
			headersTimeout: 0,
			bodyTimeout: 0,
		});
		socket.once('close', () => onGone(this));
	}

	get isOpen(): boolean {
		return !this.#socket.destroyed;
	}

	/** Sends a call. The listener is called at least once, with the end or an error. */
	dispatch(request: Dispatcher.DispatchOptions, listener: Dispatcher.DispatchHandler): void {
		this.#client.dispatch(request, listener);
	}

	close(): void {
		this.#socket.destroy();
	}
}
