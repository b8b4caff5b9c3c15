import type { S3Bucket } from '../../outbound/s3/s3-bucket.ts';
import { type BlobReader, StoreAwayError } from '../blob-store.ts';
import { headName, objectName, type Piece } from './segments.ts';

/** What a reader reads; it may change while somebody appends to the blob. */
export interface Readable {
	readonly pieces: readonly Piece[];
	/** The number of bytes that the object `head` overrides. */
	readonly headBytes: number;
}

export function s3Reader(
	bucket: S3Bucket,
	id: string,
	readable: () => Readable,
	onClose: () => Promise<void>,
): BlobReader {
	let isClosed = false;
	/** @throws StoreAwayError if the range is not there, because another process has removed or replaced the blob */
	const get = async (name: string, from: number, length: number): Promise<Buffer> => {
		const bytes = await bucket.get(name, from, length);
		if (bytes?.length === length) return bytes;
		throw new StoreAwayError(`the object ${name} was removed from the bucket while it was read`);
	};
	return {
		size: readable().pieces.at(-1)?.to ?? 0,
		async read(target, position) {
			const { pieces, headBytes } = readable();
			const end = Math.min(position + target.length, pieces.at(-1)?.to ?? 0);
			if (end <= position) return 0;
			const head = position < headBytes ? get(headName(id), 0, headBytes) : undefined;
			const reads = pieces
				.filter(({ from, to }) => from < end && to > position)
				.map(async ({ name, from, to }) => {
					const begin = Math.max(from, position);
					const bytes = await get(objectName(id, name), begin - from, Math.min(to, end) - begin);
					target.set(bytes, begin - position);
				});
			await Promise.all(reads);
			if (head !== undefined) target.set((await head).subarray(position, end), 0);
			return end - position;
		},
		async close() {
			if (isClosed) return;
			isClosed = true;
			await onClose();
		},
	};
}
