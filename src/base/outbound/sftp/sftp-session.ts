// Holds one connection to a partner after the login. Requests run side by side, and the session ends if the partner
// stops answering.

import type { Socket } from 'node:net';
import type { Client, SFTPWrapper, Stats } from 'ssh2';
import { noneIf } from '../../errors.ts';
import { isNoSuchFile, partnerFailure, partnerTimeout } from './sftp-failures.ts';

/**
 * The session fails if it gets no answer for this long while one is expected. The time in which our own caller sends
 * nothing is not included.
 */
const IDLE_MS = 60_000;
/** Closing a connection may take this long at most. */
const GOODBYE_MS = 2_000;

type Done<Result> = (error: Error | null | undefined, result?: Result) => void;

/**
 * Sends requests to a partner over one connection. The code that opens a session ends it. Requests may run side by
 * side, and are answered in any order.
 */
export class SftpSession {
	readonly hostKey: string;
	readonly #client: Client;
	readonly #sftp: SFTPWrapper;
	readonly #socket: Socket;
	readonly #waiting = new Set<(error: Error) => void>();
	readonly #idleMs: number;
	#failure: Error | undefined;
	#idle: NodeJS.Timeout | undefined;
	#isEnded = false;

	constructor(connected: {
		readonly client: Client;
		readonly sftp: SFTPWrapper;
		readonly socket: Socket;
		readonly hostKey: string;
		readonly idleMs?: number;
	}) {
		this.hostKey = connected.hostKey;
		this.#client = connected.client;
		this.#sftp = connected.sftp;
		this.#socket = connected.socket;
		this.#idleMs = connected.idleMs ?? IDLE_MS;
		const broken = (error?: Error) => this.fail(partnerFailure('host', 'the connection broke off', error));
		this.#client.on('error', broken).on('close', () => broken());
		this.#sftp.on('error', broken).on('close', () => broken());
	}

	/** Tells whether requests still reach the partner. */
	get isAlive(): boolean {
		return this.#failure === undefined;
	}

	/**
	 * Sends one request.
	 * @throws the server's refusal as ssh2 reports it, or the failure that ended the session
	 */
	request<Result = void>(send: (sftp: SFTPWrapper, done: Done<Result>) => void): Promise<Result> {
		return new Promise((resolve, reject) => {
			if (this.#failure) return reject(this.#failure);
			this.#waiting.add(reject);
			this.#watch();
			const settle = (finish: () => void) => {
				if (!this.#waiting.delete(reject)) return;
				this.#watch();
				finish();
			};
			try {
				send(this.#sftp, (error, result) => {
					// A handle is a view of a buffer that is freed after this (`freeClientBuffers`).
					const own = Buffer.isBuffer(result) ? (Buffer.from(result) as Result) : result;
					settle(() => (error ? reject(error) : resolve(own as Result)));
				});
			} catch (error) {
				// ssh2 throws this error for an extension that the server does not have.
				settle(() => reject(error));
			}
		});
	}

	/** Returns the attributes of a path, following links, or undefined if there is nothing at the path. */
	async findAttributes(path: string): Promise<Stats | undefined> {
		return this.request<Stats>((sftp, done) => sftp.stat(path, done)).catch(noneIf(isNoSuchFile));
	}

	/**
	 * Ends the session at once; every request in progress fails with `error`, or with the error of an earlier failure.
	 */
	fail(error: Error): void {
		this.#failure ??= error;
		clearTimeout(this.#idle);
		const waiting = [...this.#waiting];
		this.#waiting.clear();
		for (const reject of waiting) reject(this.#failure);
		this.#socket.destroy();
	}

	/** Closes the connection. It may be called twice, and also after a failure. */
	end(): void {
		if (this.#isEnded) return;
		this.#isEnded = true;
		if (!this.isAlive) return;
		this.#client.end();
		setTimeout(() => this.#socket.destroy(), GOODBYE_MS).unref();
	}

	#watch(): void {
		if (this.#waiting.size === 0) {
			clearTimeout(this.#idle);
			this.#idle = undefined;
		} else if (this.#idle === undefined) {
			this.#idle = setTimeout(() => this.fail(partnerTimeout('no answer for too long')), this.#idleMs);
		} else {
			this.#idle.refresh();
		}
	}
}
