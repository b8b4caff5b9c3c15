import type { Sink } from './transfer-file.ts';

/** Output held back until what it relies on is durable: one commit serves about this much of a file. */
const HELD_BYTES = 1_048_576;

/** A sink for bytes that cannot be taken back: they go on only after `settle`. */
export class SettledSink implements Sink {
	private readonly sink: Sink;
	private readonly settle: () => Promise<void>;
	private held: Buffer[] = [];
	private heldBytes = 0;

	constructor(sink: Sink, settle: () => Promise<void>) {
		this.sink = sink;
		this.settle = settle;
	}

	async write(bytes: Buffer): Promise<void> {
		this.held.push(Buffer.from(bytes));
		this.heldBytes += bytes.length;
		if (this.heldBytes >= HELD_BYTES) await this.release();
	}

	/** Lets everything written so far go on. To be called once more when the file is through. */
	async release(): Promise<void> {
		const { held } = this;
		this.held = [];
		this.heldBytes = 0;
		await this.settle();
		for (const bytes of held) await this.sink.write(bytes);
	}
}
