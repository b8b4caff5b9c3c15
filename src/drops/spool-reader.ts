import type { BlobReader } from './blob-store.ts';
import { BATCH_FRAMES, FRAME_BYTES, type FrameCipher, frameOffset, SEALED_FRAME_BYTES } from './sealed-file.ts';

/** This many batches of opened frames are kept for pipelined reads, which come slightly out of order. */
const KEPT_BATCHES = 3;

/** Reads a range or all of a sealed file. Every byte it returns was authenticated. Calls may overlap. */
export class SpoolReader {
	/** The size of the file in clear bytes. */
	readonly size: number;
	readonly #blob: BlobReader;
	readonly #cipher: FrameCipher;
	readonly #frames: number;
	readonly #isFinished: boolean;
	readonly #kept = new Map<number, Promise<Buffer[]>>();

	constructor(file: { blob: BlobReader; cipher: FrameCipher; frames: number; size: number; isFinished: boolean }) {
		this.size = file.size;
		this.#blob = file.blob;
		this.#cipher = file.cipher;
		this.#frames = file.frames;
		this.#isFinished = file.isFinished;
	}

	/**
	 * Returns up to `length` bytes from `offset`, or none at or past the end.
	 * @throws DamagedFileError
	 */
	async read(offset: number, length: number): Promise<Buffer> {
		const end = Math.min(offset + length, this.size);
		if (offset >= end) return Buffer.alloc(0);
		const parts: Buffer[] = [];
		for (let at = offset; at < end; ) {
			const index = Math.floor(at / FRAME_BYTES);
			const frames = await this.#batch(Math.floor(index / BATCH_FRAMES));
			const start = at - index * FRAME_BYTES;
			const part = frames[index % BATCH_FRAMES].subarray(start, Math.min(FRAME_BYTES, start + end - at));
			parts.push(part);
			at += part.length;
		}
		// A single part is copied too, because the frame may be kept for other reads.
		return Buffer.concat(parts);
	}

	/** Yields the whole file frame by frame and reads the next batch meanwhile. The chunks belong to the caller. */
	async *stream(): AsyncGenerator<Buffer, void, undefined> {
		const batches = Math.ceil(this.#frames / BATCH_FRAMES);
		let next = batches > 0 ? this.#open(0) : undefined;
		for (let batch = 0; batch < batches; batch++) {
			const frames = await next!;
			next = batch + 1 < batches ? this.#open(batch + 1) : undefined;
			// A failure is handled in the next round; until then it must not count as unhandled.
			next?.catch(() => {});
			for (const frame of frames) if (frame.length > 0) yield frame;
		}
	}

	/**
	 * Returns the number of clear bytes up to the first frame that does not open. It is used for files whose writer died.
	 */
	async findIntactSize(): Promise<number> {
		for (let batch = 0; batch * BATCH_FRAMES < this.#frames; batch++) {
			const sealed = await this.#readSealed(batch);
			for (const [at, bytes] of sealed.entries()) {
				const index = batch * BATCH_FRAMES + at;
				const isWhole = this.#cipher.find(index, false, bytes) ?? this.#cipher.find(index, true, bytes);
				if (!isWhole) return index * FRAME_BYTES;
				isWhole.fill(0);
			}
		}
		return this.size;
	}

	async close(): Promise<void> {
		this.#kept.clear();
		await this.#blob.close();
	}

	#batch(batch: number): Promise<Buffer[]> {
		let frames = this.#kept.get(batch);
		if (frames) this.#kept.delete(batch);
		else {
			frames = this.#open(batch);
			frames.catch(() => this.#kept.delete(batch));
		}
		// The batch is inserted again, so that it counts as the newest.
		this.#kept.set(batch, frames);
		for (const oldest of this.#kept.keys()) {
			if (this.#kept.size <= KEPT_BATCHES) break;
			this.#kept.delete(oldest);
		}
		return frames;
	}

	async #open(batch: number): Promise<Buffer[]> {
		const sealed = await this.#readSealed(batch);
		return sealed.map((bytes, at) => {
			const index = batch * BATCH_FRAMES + at;
			if (this.#isFinished) return this.#cipher.open(index, index === this.#frames - 1, bytes);
			// If a file was finished and then not accepted, its last frame is sealed as the last one.
			return this.#cipher.find(index, true, bytes) ?? this.#cipher.open(index, false, bytes);
		});
	}

	async #readSealed(batch: number): Promise<Buffer[]> {
		const first = batch * BATCH_FRAMES;
		const count = Math.min(BATCH_FRAMES, this.#frames - first);
		const from = frameOffset(first);
		const bytes = Buffer.allocUnsafeSlow(Math.min(count * SEALED_FRAME_BYTES, this.#blob.size - from));
		const read = await this.#blob.read(bytes, from);
		return Array.from({ length: count }, (_, at) =>
			bytes.subarray(at * SEALED_FRAME_BYTES, Math.min((at + 1) * SEALED_FRAME_BYTES, read)),
		);
	}
}
