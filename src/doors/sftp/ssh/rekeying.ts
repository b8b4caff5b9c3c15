import type { Socket } from 'node:net';
import type { Connection } from 'ssh2';
import type { SftpLimits } from '../limits.ts';
import type { Transport } from '../protocol/outbox.ts';

export interface RekeyingOptions {
	readonly client: Pick<Connection, 'rekey' | 'on'>;
	readonly socket: Socket;
	readonly limits: Pick<SftpLimits, 'rekeyBytes' | 'rekeyAfterMs' | 'maxChannels'>;
	readonly nowMs: () => number;
	onFinished(): void;
	/**
	 * This function is called if the client does not answer the request for a key exchange, or goes on sending data as if
	 * it had not got the request.
	 */
	onStuck(): void;
}

const answerWithinMs = 60_000;
// When a key exchange is requested, the client may already have sent this much in each channel: the size of the SSH
// window that ssh2 gives it.
const windowBytes = 2 * 1024 * 1024;

/** Exchanges new session keys after some bytes or minutes, from login on: some clients cannot do so before. */
export class Rekeying implements Transport {
	readonly socket: Socket;
	readonly #options: RekeyingOptions;
	#startedMs: number | null = null;
	#readAtStart = 0;
	#readAtLast: number;
	#sentBytes = 0;
	#lastMs: number;

	constructor(options: RekeyingOptions) {
		this.#options = options;
		this.socket = options.socket;
		this.#readAtLast = options.socket.bytesRead;
		this.#lastMs = options.nowMs();
		options.client.on('rekey', () => this.#finished());
	}

	isRekeying(): boolean {
		return this.#startedMs !== null;
	}

	sent(bytes: number): void {
		this.#sentBytes += bytes;
		this.check();
	}

	/** Begins a key exchange when it is due. It is called whenever bytes are sent or received, and every second. */
	check(): void {
		const { limits, nowMs } = this.#options;
		if (this.#startedMs !== null) {
			this.#checkAnswer(this.#startedMs);
			return;
		}
		const bytes = this.#sentBytes + this.socket.bytesRead - this.#readAtLast;
		if (bytes < limits.rekeyBytes && nowMs() - this.#lastMs < limits.rekeyAfterMs) return;
		this.#startedMs = nowMs();
		this.#readAtStart = this.socket.bytesRead;
		this.#options.client.rekey();
	}

	/** Gives the client the whole time for its answer once more, because the connection was not read for a while. */
	excuse(): void {
		if (this.#startedMs !== null) this.#startedMs = this.#options.nowMs();
	}

	#checkAnswer(startedMs: number): void {
		const { limits, nowMs, onStuck } = this.#options;
		const readBytes = this.socket.bytesRead - this.#readAtStart;
		if (nowMs() - startedMs > answerWithinMs || readBytes > 2 * windowBytes * (limits.maxChannels + 1)) onStuck();
	}

	#finished(): void {
		this.#startedMs = null;
		this.#readAtLast = this.socket.bytesRead;
		this.#sentBytes = 0;
		this.#lastMs = this.#options.nowMs();
		this.#options.onFinished();
	}
}
