import { BufferPool, giveBack } from '../threads/buffer-memory.ts';
import type { BlobReader } from './blob-store.ts';
import { BATCH_FRAMES, FRAME_BYTES, type FrameCipher, frameOffset, SEALED_FRAME_BYTES } from './sealed-file.ts';

/**
 * A reader keeps this many batches of decrypted frames: some for pipelined reads, which come slightly out of order, and
 * one that is read ahead.
 */
const KEPT_BATCHES = 3;
/** When all readers together keep more batches than this, each keeps only one, and none reads ahead. */
const MOST_KEPT = 24;
let keptByAll = 0;
const sealedBatches = new BufferPool(BATCH_FRAMES * SEALED_FRAME_BYTES, 16);

/** Frames that were read together. Reads that still copy from them keep them in memory. */
interface Batch {
	readonly frames: Promise<readonly Buffer[]>;
	readers: number;
	isDropped: boolean;
}

/** Reads a range or all of a sealed file. Every byte it returns was authenticated. Calls may overlap. */
export class SpoolReader {
	/** The size of the file in clear bytes. */
	readonly size: number;
	readonly #blob: BlobReader;
	readonly #cipher: FrameCipher;
	readonly #frames: number;
	readonly #isFinished: boolean;
	readonly #kept = new Map<number, Batch>();
	/** The number of the batch that was read last, to recognise a client that reads the file in order. */
	#lastRead = -1;
	#isClosed = false;

	constructor(file: { blob: BlobReader; cipher: FrameCipher; frames: number; size: number; isFinished: boolean }) {
		this.size = file.size;
		this.#blob = file.blob;
		this.#cipher = file.cipher;
		this.#frames = file.frames;
		this.#isFinished = file.isFinished;
	}

	/**
	 * Returns up to `length` bytes from `offset`, or none at or past the end. The buffer belongs to the caller.
	 * @throws DamagedFileError
	 */
	async read(offset: number, length: number): Promise<Buffer> {
		const end = Math.min(offset + length, this.size);
		if (offset >= end) return Buffer.alloc(0);
		const content = Buffer.allocUnsafeSlow(end - offset);
		for (let at = offset; at < end; ) {
			const number = Math.floor(at / (FRAME_BYTES * BATCH_FRAMES));
			const batch = this.#find(number);
			batch.readers += 1;
			try {
				const frames = await batch.frames;
				this.#readAhead(number);
				const batchEnd = Math.min(end, (number + 1) * FRAME_BYTES * BATCH_FRAMES);
				while (at < batchEnd) {
					const index = Math.floor(at / FRAME_BYTES);
					const start = at - index * FRAME_BYTES;
					at += frames[index % BATCH_FRAMES].copy(content, at - offset, start, start + end - at);
				}
			} finally {
				batch.readers -= 1;
				freeIfUnused(batch);
			}
		}
		return content;
	}

	/** Yields the whole file frame by frame and reads the next batch meanwhile. The chunks belong to the caller. */
	async *stream(): AsyncGenerator<Buffer, void, undefined> {
		const batches = Math.ceil(this.#frames / BATCH_FRAMES);
		let next = batches > 0 ? this.#open(0) : undefined;
		for (let batch = 0; batch < batches; batch++) {
			const frames = await next!;
			next = batch + 1 < batches ? this.#open(batch + 1) : undefined;
			// A failure is handled in the next round; until then it must not be treated as an unhandled rejection.
			next?.catch(() => {});
			for (const frame of frames) if (frame.length > 0) yield frame;
		}
	}

	/**
	 * Yields the whole file like `stream`, but wipes and frees each chunk as soon as the next one is requested. V8 would
	 * free it tens of megabytes later.
	 */
	async *pieces(): AsyncGenerator<Buffer, void, undefined> {
		for await (const piece of this.stream()) {
			try {
				yield piece;
			} finally {
				giveBack(piece.fill(0));
			}
		}
	}

	/**
	 * Returns the number of clear bytes up to the first frame that does not open. It is used for files whose writer died.
	 */
	async findIntactSize(): Promise<number> {
		for (let batch = 0; batch * BATCH_FRAMES < this.#frames; batch++) {
			const intact = await this.#withSealed(batch, (sealed) => {
				const cut = sealed.findIndex((bytes, at) => !this.#opens(batch * BATCH_FRAMES + at, bytes));
				return cut === -1 ? undefined : cut;
			});
			if (intact !== undefined) return (batch * BATCH_FRAMES + intact) * FRAME_BYTES;
		}
		return this.size;
	}

	#opens(index: number, sealed: Buffer): boolean {
		const opened = this.#cipher.find(index, false, sealed) ?? this.#cipher.find(index, true, sealed);
		if (opened) giveBack(opened.fill(0));
		return opened !== undefined;
	}

	async close(): Promise<void> {
		this.#isClosed = true;
		for (const batch of this.#kept.keys()) this.#drop(batch);
		await this.#blob.close();
	}

	/** Returns a batch of frames, which is read unless it is still kept, and keeps it as the one used last. */
	#find(number: number): Batch {
		if (this.#isClosed) throw new Error('internal error: a sealed file was read after it was closed');
		const kept = this.#kept.get(number);
		this.#kept.delete(number);
		const batch = kept ?? { frames: this.#open(number), readers: 0, isDropped: false };
		this.#kept.set(number, batch);
		if (!kept) {
			keptByAll += 1;
			batch.frames.catch(() => {
				if (this.#kept.get(number) === batch) this.#drop(number);
			});
		}
		for (const oldest of this.#kept.keys()) {
			if (this.#kept.size <= (keptByAll > MOST_KEPT ? 1 : KEPT_BATCHES)) break;
			this.#drop(oldest);
		}
		return batch;
	}

	/** Opens the next batch while the client still receives batch `number`, if the client reads the file in order. */
	#readAhead(number: number): void {
		const isInOrder = number === this.#lastRead + 1;
		this.#lastRead = number;
		const next = number + 1;
		if (this.#isClosed) return;
		if (isInOrder && keptByAll < MOST_KEPT && next * BATCH_FRAMES < this.#frames && !this.#kept.has(next))
			this.#find(next);
	}

	#drop(number: number): void {
		const batch = this.#kept.get(number)!;
		this.#kept.delete(number);
		keptByAll -= 1;
		batch.isDropped = true;
		freeIfUnused(batch);
	}

	async #open(batch: number): Promise<readonly Buffer[]> {
		return this.#withSealed(batch, (sealed) =>
			sealed.map((bytes, at) => {
				const index = batch * BATCH_FRAMES + at;
				if (this.#isFinished) return this.#cipher.open(index, index === this.#frames - 1, bytes);
				// An unfinished file usually has no frame that is sealed as the last one. But if the file was complete,
				// was not accepted, and became a paused upload again, its last frame is sealed as such. So both are
				// tried.
				const isLast = index === this.#frames - 1;
				return (isLast ? this.#cipher.find(index, true, bytes) : undefined) ?? this.#cipher.open(index, false, bytes);
			}),
		);
	}

	/** Reads the sealed frames of a batch. `use` must not keep them, because their buffer is used again. */
	async #withSealed<Result>(batch: number, use: (sealed: readonly Buffer[]) => Result): Promise<Result> {
		const first = batch * BATCH_FRAMES;
		const count = Math.min(BATCH_FRAMES, this.#frames - first);
		const from = frameOffset(first);
		const buffer = sealedBatches.take();
		try {
			const length = Math.min(count * SEALED_FRAME_BYTES, this.#blob.size - from);
			const read = await this.#blob.read(buffer.subarray(0, length), from);
			const sealed = Array.from({ length: count }, (_, at) =>
				buffer.subarray(at * SEALED_FRAME_BYTES, Math.min((at + 1) * SEALED_FRAME_BYTES, read)),
			);
			return use(sealed);
		} finally {
			sealedBatches.put(buffer);
		}
	}
}

/** Wipes the decrypted frames of a batch and gives back their memory, if nobody can read from the batch any more. */
function freeIfUnused(batch: Batch): void {
	if (!batch.isDropped || batch.readers > 0) return;
	batch.frames.then(
		(frames) => {
			for (const frame of frames) giveBack(frame.fill(0));
		},
		() => {},
	);
}
