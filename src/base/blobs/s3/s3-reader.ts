import type { S3Bucket } from '../../outbound/s3/s3-bucket.ts';
import { type BlobReader, StoreAwayError } from '../blob-store.ts';
import { headName, objectName, type Piece } from './segments.ts';

/** What a reader reads; it may change while somebody appends to the blob. */
export interface Readable {
	readonly pieces: readonly Piece[];
	/** The number of bytes that the object `head` overrides. */
	readonly headBytes: number;
}

export class S3Reader implements BlobReader {
	readonly size: number;
	readonly #bucket: S3Bucket;
	readonly #id: string;
	readonly #readable: () => Readable;
	readonly #onClose: () => Promise<void>;
	#isClosed = false;

	constructor(bucket: S3Bucket, id: string, readable: () => Readable, onClose: () => Promise<void>) {
		this.#bucket = bucket;
		this.#id = id;
		this.#readable = readable;
		this.#onClose = onClose;
		this.size = readable().pieces.at(-1)?.to ?? 0;
	}

	async read(target: Uint8Array, position: number): Promise<number> {
		const { pieces, headBytes } = this.#readable();
		const end = Math.min(position + target.length, pieces.at(-1)?.to ?? 0);
		if (end <= position) return 0;
		const head = position < headBytes ? this.#get(headName(this.#id), 0, headBytes) : undefined;
		const reads = pieces
			.filter(({ from, to }) => from < end && to > position)
			.map(async ({ name, from, to }) => {
				const begin = Math.max(from, position);
				const bytes = await this.#get(objectName(this.#id, name), begin - from, Math.min(to, end) - begin);
				target.set(bytes, begin - position);
			});
		await Promise.all(reads);
		if (head !== undefined) target.set((await head).subarray(position, end), 0);
		return end - position;
	}

	async close(): Promise<void> {
		if (this.#isClosed) return;
		this.#isClosed = true;
		await this.#onClose();
	}

	/** @throws StoreAwayError if the range is not there, because another process has removed or replaced the blob */
	async #get(name: string, from: number, length: number): Promise<Buffer> {
		const bytes = await this.#bucket.get(name, from, length);
		if (bytes?.length === length) return bytes;
		throw new StoreAwayError(`the object ${name} was removed from the bucket while it was read`);
	}
}
