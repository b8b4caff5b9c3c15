import type { Sink } from './transfer-file.ts';

/** Output waits until the cards it relies on are durable. One commit serves about this many bytes of output. */
const HELD_BYTES = 1_048_576;

/** A sink for bytes that cannot be taken back once they are sent: it passes them on only after `settle`. */
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

	/** Passes on everything written so far. It must be called once more at the end of the file. */
	async release(): Promise<void> {
		const held = this.#held;
		this.#held = [];
		this.#heldBytes = 0;
		await this.#settle();
		for (const bytes of held) await this.#sink.write(bytes);
	}
}
