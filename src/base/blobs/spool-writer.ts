import type { Knex } from 'knex';
import { BufferPool } from '../threads/buffer-memory.ts';
import type { BlobAppender } from './blob-store.ts';
import {
	BATCH_FRAMES,
	FRAME_BYTES,
	type FrameCipher,
	frameOffset,
	HEADER_BYTES,
	SEALED_FRAME_BYTES,
} from './sealed-file.ts';

// The buffers in which sealed frames are collected on their way to the disk. A file has two of them: one is filled
// while the other one is written.

const bytesOf = (frames: number) => HEADER_BYTES + frames * SEALED_FRAME_BYTES;

/** At most this many buffers have the full size. When all of them are in use, small ones take their place. */
const MOST_LARGE = 16;
const SMALL_FRAMES = 2;
const large = new BufferPool(bytesOf(BATCH_FRAMES), MOST_LARGE);
const small = new BufferPool(bytesOf(SMALL_FRAMES), 64);

/** Returns a buffer for a header and at least two frames: a large one, unless many files are written at once. */
export function takeBatch(): Buffer {
	return large.lent < MOST_LARGE ? large.take() : small.take();
}

/** Takes back a buffer that `takeBatch` returned. The caller must not use the buffer any more. */
export function putBatch(buffer: Buffer): void {
	if (buffer.length === bytesOf(BATCH_FRAMES)) large.put(buffer);
	else small.put(buffer);
}

/** Describes the frame with which a writer continues: one that is not full yet, or a full one at the end of the file. */
export interface OpenFrame {
	readonly index: number;
	readonly content: Uint8Array;
}

/** A complete file, from the moment at which it is sealed until a transaction has stored it or failed. */
export interface SealedFile {
	/** The number of clear bytes. */
	readonly size: number;
	/** Stores what the database keeps of the file. It is called again for each further try of the transaction. */
	storeWithin(transaction: Knex.Transaction): Promise<void>;
	/** Ends the file, exactly once. Unless the transaction has stored it, it is stored alone. */
	settle(isStored: boolean): Promise<void>;
}

/** Thousands of small files are written in a minute, so their buffers are used again. */
const frames = new BufferPool(FRAME_BYTES, 64);

/**
 * Writes one sealed file in order. Only one call may run at a time. Its states:
 * - *open*: it takes bytes.
 * - *failed*: the store has failed. Every later call fails with the same error, except `discard`, which has to end the
 *   writer now. After a failed sync, `size` counts only what is durable.
 * - *ended*: one of `finish`, `seal`, `suspend` and `discard` has ended it. Every later call is a bug. A sealed file still
 *   has to be settled.
 */
export class SpoolWriter {
	readonly #blob: BlobAppender;
	readonly #cipher: FrameCipher;
	/**
	 * The frame that is being filled. A full frame waits for the next byte, because only then is it certain that it is
	 * not the last.
	 */
	readonly #frame = frames.take();
	#filled = 0;
	#index: number;
	/** Sealed frames to be written: one batch is filled while another one is written. */
	#batch = takeBatch();
	#batchBytes = 0;
	#batchOffset: number;
	#writing: Promise<void> = Promise.resolve();
	/** The number of full frames that were durable at the last sync, or when the file was opened. */
	#durableFrames = 0;
	/** The number of frames that are left after a failed sync. */
	#keptFrames: number | undefined;
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
			this.#durableFrames = start.index;
			this.#batchOffset = frameOffset(start.index);
			this.#frame.set(start.content);
			this.#filled = start.content.length;
		}
	}

	/** Returns the number of clear bytes taken so far. After a failed sync these are the ones that the store still has. */
	get size(): number {
		return this.#keptFrames === undefined ? this.#index * FRAME_BYTES + this.#filled : this.#keptFrames * FRAME_BYTES;
	}

	/** Takes bytes and resolves when there is space for more. They are copied, so the caller may reuse the buffer. */
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

	/** Writes every byte taken so far into the store. Once it resolves, a reader of the unfinished file finds these bytes. */
	async flush(): Promise<void> {
		this.#check();
		await this.#sendBatch(this.#filled > 0 ? 'more-follows' : undefined);
		await this.#writing;
		this.#check();
	}

	/** Makes every byte taken so far durable. */
	async sync(): Promise<void> {
		await this.flush();
		try {
			await this.#guard(this.#blob.sync());
		} catch (error) {
			this.#keptFrames = this.#durableFrames;
			throw error;
		}
		this.#durableFrames = this.#index;
	}

	/**
	 * Ends the file: seals it as complete and closes it. The file becomes durable at the latest with the next durable
	 * commit of the database. Returns its size.
	 */
	async finish(): Promise<number> {
		this.#check();
		await this.#sendBatch('last');
		return this.#end();
	}

	/**
	 * Seals the file as complete, for a transaction that stores it together with the row that names it. If this throws, the
	 * file can only be discarded.
	 */
	async seal(): Promise<SealedFile> {
		this.#check();
		await this.#sendBatch('last');
		await this.#writing;
		this.#check();
		this.#release();
		const blob = this.#blob;
		try {
			await blob.prepare();
		} catch (error) {
			await blob.close();
			throw error;
		}
		return {
			size: this.size,
			storeWithin: (transaction) => blob.storeWithin(transaction),
			async settle(isStored) {
				if (isStored) blob.stored();
				await blob.close();
			},
		};
	}

	/** Pauses the file and closes it so that it can be resumed later. It becomes durable as with `finish`. Returns its size. */
	async suspend(): Promise<number> {
		await this.flush();
		return this.#end();
	}

	/** Gives up the file; the caller removes what is stored of it. It never throws. */
	async discard(): Promise<void> {
		await this.#writing.catch(() => {});
		this.#release();
		await this.#blob.close().catch(() => {});
	}

	async #end(): Promise<number> {
		await this.#writing;
		this.#check();
		await this.#guard(this.#blob.settle());
		this.#release();
		await this.#blob.close();
		return this.size;
	}

	/** Wipes clear bytes, and gives the buffers back for other writers. */
	#release(): void {
		if (this.#isEnded) return;
		this.#isEnded = true;
		this.#frame.fill(0);
		frames.put(this.#frame);
		putBatch(this.#batch);
	}

	#sealFrame(plain: Uint8Array): void {
		this.#batchBytes += this.#cipher.seal(this.#index, false, plain, this.#batch, this.#batchBytes);
		this.#index += 1;
	}

	/**
	 * Starts writing the batch once the previous one is written. With `tail`, the frame that is not full yet is appended
	 * to the batch. If more bytes follow, that frame is sealed again in the same place.
	 */
	async #sendBatch(tail?: 'last' | 'more-follows'): Promise<void> {
		await this.#writing;
		this.#check();
		const full = this.#batch;
		let bytes = this.#batchBytes;
		if (tail) {
			const plain = this.#frame.subarray(0, this.#filled);
			bytes += this.#cipher.seal(this.#index, tail === 'last', plain, full, bytes);
		}
		if (bytes === 0) return;
		this.#batch = takeBatch();
		this.#writing = this.#guard(this.#blob.write(full.subarray(0, bytes), this.#batchOffset))
			.catch(() => {})
			.finally(() => putBatch(full));
		this.#batchOffset += this.#batchBytes;
		this.#batchBytes = 0;
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
