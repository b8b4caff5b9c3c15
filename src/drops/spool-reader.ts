import type { BlobReader } from './blob-store.ts';
import { BATCH_FRAMES, FRAME_BYTES, type FrameCipher, frameOffset, SEALED_FRAME_BYTES } from './sealed-file.ts';

/** Batches of opened frames kept for pipelined reads, which come slightly out of order. */
const KEPT_BATCHES = 3;

/** Reads a sealed file: any range, or all of it. Every byte given out was authenticated. Calls may overlap. */
export class SpoolReader {
	/** Clear bytes. */
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

	/** Up to `length` bytes from `offset`, empty at or past the end. @throws DamagedFileError */
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
		// A copy, also of a single part: the frame may be kept for others.
		return Buffer.concat(parts);
	}

	/** The whole file, a frame at a time, the next batch on its way meanwhile. The chunks are the caller's. */
	async *stream(): AsyncGenerator<Buffer, void, undefined> {
		const batches = Math.ceil(this.#frames / BATCH_FRAMES);
		let next = batches > 0 ? this.#open(0) : undefined;
		for (let batch = 0; batch < batches; batch++) {
			const frames = await next!;
			next = batch + 1 < batches ? this.#open(batch + 1) : undefined;
			// Its failure is met in the next round; until then nobody waits for it.
			next?.catch(() => {});
			for (const frame of frames) if (frame.length > 0) yield frame;
		}
	}

	/** Clear bytes up to the first frame that does not open; for files whose writer died. */
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
		// Re-inserted as the youngest.
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
			// The last frame of a file that was finished and then not accepted is sealed as last.
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
