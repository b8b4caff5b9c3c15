import type { BlobAppender } from './blob-store.ts';
import {
	BATCH_FRAMES,
	FRAME_BYTES,
	type FrameCipher,
	frameOffset,
	HEADER_BYTES,
	SEALED_FRAME_BYTES,
} from './sealed-file.ts';

/** Describes the frame with which a writer continues: one that is not full yet, or a full one that no byte followed. */
export interface OpenFrame {
	readonly index: number;
	readonly content: Uint8Array;
}

/**
 * Writes one sealed file in order. Only one call may run at a time. After a failure every later call fails with the
 * same error. Exactly one of `finish`, `suspend` and `discard` must end it.
 */
export class SpoolWriter {
	readonly #blob: BlobAppender;
	readonly #cipher: FrameCipher;
	/**
	 * The frame that is being filled. A full frame waits for the next byte, because only then is it certain that it is
	 * not the last.
	 */
	readonly #frame = Buffer.allocUnsafeSlow(FRAME_BYTES);
	#filled = 0;
	#index: number;
	/** Holds sealed frames to be written: one batch is filled while the other one is written. */
	#batch = Buffer.allocUnsafeSlow(HEADER_BYTES + BATCH_FRAMES * SEALED_FRAME_BYTES);
	#spare = Buffer.allocUnsafeSlow(HEADER_BYTES + BATCH_FRAMES * SEALED_FRAME_BYTES);
	#batchBytes = 0;
	#batchOffset: number;
	#writing: Promise<void> = Promise.resolve();
	#failure: unknown;
	#isEnded = false;

	/** Opens a writer. `start` is the header of a new file, or the frame with which an unfinished one continues. */
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

	/** Returns the number of clear bytes taken so far. */
	get size(): number {
		return this.#index * FRAME_BYTES + this.#filled;
	}

	/** Takes bytes and resolves when there is room for more. They are copied, so the caller may reuse the buffer. */
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

	/** Writes every byte taken so far into the store; once it resolves, a reader of the unfinished file finds them. */
	async flush(): Promise<void> {
		this.#check();
		await this.#sendBatch();
		if (this.#filled > 0) this.#sealTail(false);
		await this.#writing;
		this.#check();
	}

	/** Makes every byte taken so far durable. */
	async sync(): Promise<void> {
		await this.flush();
		await this.#guard(this.#blob.sync());
	}

	/** Ends the file: seals it as complete, makes it durable and closes it. Returns its size. */
	async finish(): Promise<number> {
		this.#check();
		await this.#sendBatch();
		this.#sealTail(true);
		return this.#end();
	}

	/** Pauses the file: makes it durable and closes it so that it can be resumed later. Returns its size. */
	async suspend(): Promise<number> {
		this.#check();
		await this.#sendBatch();
		if (this.#filled > 0) this.#sealTail(false);
		return this.#end();
	}

	/** Gives up the file; the caller removes what is stored of it. It never throws. */
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

	/**
	 * Writes the frame that is not full yet, after all batches. When more bytes come, it is sealed again in the same
	 * place.
	 */
	#sealTail(isLast: boolean): void {
		const sealed = Buffer.allocUnsafe(SEALED_FRAME_BYTES);
		const count = this.#cipher.seal(this.#index, isLast, this.#frame.subarray(0, this.#filled), sealed, 0);
		this.#enqueue(sealed.subarray(0, count), frameOffset(this.#index));
	}

	/** Starts writing the batch once the one before it is written. */
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
