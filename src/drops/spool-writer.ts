import type { BlobAppender } from './blob-store.ts';
import {
	BATCH_FRAMES,
	FRAME_BYTES,
	type FrameCipher,
	frameOffset,
	HEADER_BYTES,
	SEALED_FRAME_BYTES,
} from './sealed-file.ts';

/** What a writer goes on with: the content of its frame that is not full yet, or of a full one no byte followed. */
export interface OpenFrame {
	readonly index: number;
	readonly content: Uint8Array;
}

/**
 * Writes one sealed file, in order. One call at a time; after a failure every later call fails alike. Ends with exactly
 * one of `finish`, `suspend` and `discard`.
 */
export class SpoolWriter {
	readonly #blob: BlobAppender;
	readonly #cipher: FrameCipher;
	/** The frame being filled. A full one waits for the next byte, since only then it is known not to be the last. */
	readonly #frame = Buffer.allocUnsafeSlow(FRAME_BYTES);
	#filled = 0;
	#index: number;
	/** Sealed frames on their way out: one batch is filled while the other one is written. */
	#batch = Buffer.allocUnsafeSlow(HEADER_BYTES + BATCH_FRAMES * SEALED_FRAME_BYTES);
	#spare = Buffer.allocUnsafeSlow(HEADER_BYTES + BATCH_FRAMES * SEALED_FRAME_BYTES);
	#batchBytes = 0;
	#batchOffset: number;
	#writing: Promise<void> = Promise.resolve();
	#failure: unknown;
	#isEnded = false;

	/** `start` is the header of a new file, or where an unfinished one stands. */
	constructor(blob: BlobAppender, cipher: FrameCipher, start: Uint8Array | OpenFrame) {
		this.#blob = blob;
		this.#cipher = cipher;
		if (start instanceof Uint8Array) {
			this.#index = 0;
			this.#batchOffset = 0;
			this.#batch.set(start, 0);
			this.#batchBytes = start.length;
		} else {
			this.#index = start.index;
			this.#batchOffset = frameOffset(start.index);
			this.#frame.set(start.content);
			this.#filled = start.content.length;
		}
	}

	/** Clear bytes taken so far. */
	get size(): number {
		return this.#index * FRAME_BYTES + this.#filled;
	}

	/** Takes bytes; settles when there is room for more. They are copied: the buffer is the caller's again. */
	async write(bytes: Uint8Array): Promise<void> {
		this.#check();
		for (let at = 0; at < bytes.length; ) {
			if (this.#filled === FRAME_BYTES) {
				this.#sealFrame(this.#frame);
				this.#filled = 0;
			} else if (this.#filled === 0 && bytes.length - at > FRAME_BYTES) {
				this.#sealFrame(bytes.subarray(at, at + FRAME_BYTES));
				at += FRAME_BYTES;
			} else {
				const count = Math.min(FRAME_BYTES - this.#filled, bytes.length - at);
				this.#frame.set(bytes.subarray(at, at + count), this.#filled);
				this.#filled += count;
				at += count;
			}
			if (this.#batchBytes + SEALED_FRAME_BYTES > this.#batch.length) await this.#sendBatch();
		}
	}

	/** Every byte taken so far is in the store, so that a reader of the unfinished file finds it. */
	async flush(): Promise<void> {
		this.#check();
		await this.#sendBatch();
		if (this.#filled > 0) this.#sealTail(false);
		await this.#writing;
		this.#check();
	}

	/** Every byte taken so far is durable. */
	async sync(): Promise<void> {
		await this.flush();
		await this.#guard(this.#blob.sync());
	}

	/** Ends the file: sealed as whole, durable, closed. Returns its size. */
	async finish(): Promise<number> {
		this.#check();
		await this.#sendBatch();
		this.#sealTail(true);
		return this.#end();
	}

	/** Pauses the file: durable and closed, to be gone on with later. Returns its size. */
	async suspend(): Promise<number> {
		this.#check();
		await this.#sendBatch();
		if (this.#filled > 0) this.#sealTail(false);
		return this.#end();
	}

	/** Lets go of the file; what is stored of it is the caller's to remove. Never fails. */
	async discard(): Promise<void> {
		this.#isEnded = true;
		await this.#writing.catch(() => {});
		this.#frame.fill(0);
		await this.#blob.close().catch(() => {});
	}

	async #end(): Promise<number> {
		await this.#writing;
		this.#check();
		await this.#guard(this.#blob.sync());
		this.#isEnded = true;
		this.#frame.fill(0);
		await this.#blob.close();
		return this.size;
	}

	#sealFrame(plain: Uint8Array): void {
		this.#batchBytes += this.#cipher.seal(this.#index, false, plain, this.#batch, this.#batchBytes);
		this.#index += 1;
	}

	/** The frame not full yet, behind all batches; the next bytes seal it anew in the same place. */
	#sealTail(isLast: boolean): void {
		const sealed = Buffer.allocUnsafe(SEALED_FRAME_BYTES);
		const count = this.#cipher.seal(this.#index, isLast, this.#frame.subarray(0, this.#filled), sealed, 0);
		this.#enqueue(sealed.subarray(0, count), frameOffset(this.#index));
	}

	/** Hands the batch over once the one before it is written. */
	async #sendBatch(): Promise<void> {
		await this.#writing;
		this.#check();
		if (this.#batchBytes === 0) return;
		const full = this.#batch;
		this.#enqueue(full.subarray(0, this.#batchBytes), this.#batchOffset);
		this.#batchOffset += this.#batchBytes;
		this.#batch = this.#spare;
		this.#spare = full;
		this.#batchBytes = 0;
	}

	#enqueue(bytes: Uint8Array, position: number): void {
		this.#writing = this.#writing.then(() =>
			this.#failure === undefined ? this.#guard(this.#blob.write(bytes, position)).catch(() => {}) : undefined,
		);
	}

	async #guard(work: Promise<void>): Promise<void> {
		try {
			await work;
		} catch (error) {
			this.#failure ??= error;
			throw error;
		}
	}

	#check(): void {
		if (this.#failure !== undefined) throw this.#failure;
		if (this.#isEnded) throw new Error('internal error: a sealed file was used after its end');
	}
}
