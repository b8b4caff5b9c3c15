import type { Sink } from './transfer-file.ts';

/**
 * Output is held back until the cards whose tokens it contains are durable. The cards for about this many bytes of
 * output are committed together.
 */
const HELD_BYTES = 1_048_576;

/**
 * A sink for output that cannot be taken back once it is sent. It holds the bytes back until `settle` has made the
 * cards durable whose tokens they contain.
 */
export class SettledSink implements Sink {
	readonly #sink: Sink;
	readonly #settle: () => Promise<void>;
	#held: Buffer[] = [];
	#heldBytes = 0;

	constructor(sink: Sink, settle: () => Promise<void>) {
		this.#sink = sink;
		this.#settle = settle;
	}

	async write(bytes: Buffer): Promise<void> {
		this.#held.push(Buffer.from(bytes));
		this.#heldBytes += bytes.length;
		if (this.#heldBytes >= HELD_BYTES) await this.release();
	}

	/**
	 * Makes the cards durable, then passes on all bytes written so far. It must be called once more at the end of the
	 * file.
	 */
	async release(): Promise<void> {
		const held = this.#held;
		this.#held = [];
		this.#heldBytes = 0;
		try {
			await this.#settle();
		} catch (error) {
			// Nobody gets this output, which may hold card numbers in clear.
			for (const bytes of held) bytes.fill(0);
			throw error;
		}
		for (const bytes of held) await this.#sink.write(bytes);
	}
}
