import type { OpenUpload, S3Bucket, S3Object } from '../../outbound/s3/s3-bucket.ts';
import type { S3Place } from '../../outbound/s3/s3-calls.ts';
import { type BlobEntry, BlobMissingError, type BlobReader, type BlobStore, requireId } from '../blob-store.ts';
import { dropBucket } from './drop-bucket.ts';
import { MOST_PARTS, S3Appender } from './s3-appender.ts';
import { type Readable, s3Reader } from './s3-reader.ts';
import { blobOf, findBlob, headName, layOut, parseObjectName, sizeOf } from './segments.ts';

/** An object of this name is written and removed again to see whether the bucket takes objects. No blob has this name. */
const PROBE = 'writable-check';

/**
 * Stores blobs in a bucket of S3. A blob is durable there once `sync`, `settle` or `prepare` has ended, and whoever lists
 * the bucket then sees it.
 */
export function s3BlobStore(place: S3Place, { mostParts = MOST_PARTS } = {}): BlobStore {
	const bucket = dropBucket(place);
	/** The blobs that this process is writing. */
	const live = new Map<string, S3Appender>();
	/** How many readers of this process read a blob. One that is removed meanwhile stays until the last is closed. */
	const readers = new Map<string, number>();
	const removed = new Set<string>();

	const open = (id: string, stored: Awaited<ReturnType<typeof findBlob>>) => {
		const appender = new S3Appender({ bucket, id, stored, mostParts, onEnd: () => live.delete(id) });
		live.set(id, appender);
		return appender;
	};
	const find = async (id: string) => {
		requireId(id);
		const stored = removed.has(id) ? undefined : await findBlob(bucket, id);
		if (stored === undefined) throw new BlobMissingError(id);
		return stored;
	};
	const read = (id: string, readable: () => Readable): BlobReader => {
		readers.set(id, (readers.get(id) ?? 0) + 1);
		return s3Reader(bucket, id, readable, async () => {
			const left = readers.get(id)! - 1;
			if (left > 0) return void readers.set(id, left);
			readers.delete(id);
			// If this fails, the blob is removed with those that no file names.
			if (removed.has(id)) await clear(id).catch(() => {});
		});
	};
	const abortUploads = async (id: string) => abortAll(bucket, await Array.fromAsync(bucket.listUploads(`${id}/`)));
	const clear = async (id: string) => {
		const objects = Array.fromAsync(bucket.list(`${id}/`), ({ name }) => name);
		const [names] = await Promise.all([objects, abortUploads(id)]);
		await bucket.remove(names);
		removed.delete(id);
	};

	const store: BlobStore = {
		async create(id) {
			requireId(id);
			if (live.has(id)) throw new Error(`internal error: blob ${id} is being written already`);
			return open(id, undefined);
		},
		async append(id) {
			const stored = await find(id);
			// A writer that died may have left parts of a segment.
			await abortUploads(id);
			return open(id, stored);
		},
		async openRead(id) {
			requireId(id);
			const growing = live.get(id);
			if (growing) return read(id, await growing.publish());
			const { segments, headBytes } = await find(id);
			const readable = { pieces: layOut(id, segments), headBytes };
			return read(id, () => readable);
		},
		async remove(id) {
			requireId(id);
			await live.get(id)?.forget();
			if (readers.has(id)) removed.add(id);
			else await clear(id);
		},
		async replaceHead(id, head) {
			const growing = live.get(id);
			if (growing) return growing.replaceHead(head);
			await find(id);
			await bucket.put(headName(id), Buffer.from(head), { replaces: true });
		},
		// An object is replaced as a whole or not at all.
		finishHead: async () => {},
		finishHeads: async () => {},
		async *list() {
			const begun = new Map<string, number>();
			for await (const { name, startedAtMs } of bucket.listUploads()) {
				const id = parseObjectName(name)?.id;
				if (id !== undefined) begun.set(id, startedAtMs);
			}
			for await (const entry of listBlobs(bucket)) {
				begun.delete(entry.id);
				if (!removed.has(entry.id)) yield entry;
			}
			for (const [id, modifiedAtMs] of begun) yield { id, size: 0, modifiedAtMs };
		},
		async removeUnfinished(startedBeforeMs) {
			const uploads = await Array.fromAsync(bucket.listUploads());
			const old = uploads.filter(({ name, startedAtMs }) => parseObjectName(name) && startedAtMs < startedBeforeMs);
			await abortAll(bucket, old);
			return old.length;
		},
		space: async () => ({ total: Number.POSITIVE_INFINITY, free: Number.POSITIVE_INFINITY }),
		async checkWritable() {
			// Whoever asks wants to know now, so nothing is repeated.
			await bucket.put(PROBE, Buffer.from('tokendrop'), { replaces: true, patienceMs: 0 });
			await bucket.remove([PROBE], 0);
		},
		removeWithin: async (_transaction, ids) => [...ids],
		holding: () => ({ ...store, held: new Map() }),
	};
	return store;
}

/** Yields what is stored, blob by blob: their objects follow each other in a list. */
async function* listBlobs(bucket: S3Bucket): AsyncGenerator<BlobEntry> {
	let id: string | undefined;
	let objects: S3Object[] = [];
	const entry = (): BlobEntry | undefined => {
		const { segments, modifiedAtMs } = (id !== undefined && blobOf(objects)) || {};
		if (segments !== undefined) return { id: id!, size: sizeOf(segments), modifiedAtMs: modifiedAtMs! };
		// A head without a segment is left of a blob that was being removed.
		const [head] = objects;
		return head && { id: id!, size: 0, modifiedAtMs: head.modifiedAtMs };
	};
	for await (const object of bucket.list()) {
		const found = parseObjectName(object.name);
		if (found === undefined) continue;
		if (found.id !== id) {
			const before = entry();
			if (before) yield before;
			id = found.id;
			objects = [];
		}
		objects.push(object);
	}
	const last = entry();
	if (last) yield last;
}

async function abortAll(bucket: S3Bucket, uploads: readonly OpenUpload[]): Promise<void> {
	await Promise.all(uploads.map(({ name, uploadId }) => bucket.abortUpload(name, uploadId)));
}
