// Compares rows and blobs, which can differ if a process dies between a commit and the step after it.

import { BlobMissingError, type BlobStore } from '../../base/blobs/blob-store.ts';
import type { Database } from '../../base/database/open.ts';
import { ulidTimeMs } from '../../base/database/ulid.ts';
import { type DropFile, dropStore } from './drop-store.ts';

const PAGE = 500;

/**
 * Removes blobs older than `madeBefore` that no row names, and returns how many. `madeBefore` must be earlier than the
 * start of any running attempt, because the output of an attempt has no row until it is published.
 */
export async function removeOrphans(
	{ database, blobs }: { database: Database; blobs: BlobStore },
	madeBefore: number,
): Promise<number> {
	let removed = 0;
	let suspects: string[] = [];
	const sweep = async () => {
		const known = await dropStore(database.knex).findKnownBlobs(suspects);
		for (const id of suspects) {
			if (known.has(id)) continue;
			await blobs.remove(id);
			removed += 1;
		}
		suspects = [];
	};
	for await (const blob of blobs.list()) {
		if (ulidTimeMs(blob.id) >= madeBefore || blob.modifiedAtMs >= madeBefore) continue;
		suspects.push(blob.id);
		if (suspects.length === PAGE) await sweep();
	}
	await sweep();
	return removed;
}

/** Finds files whose bytes are gone. There should never be one, so each is worth an alarm. */
export async function* findMissingBlobs(parts: { database: Database; blobs: BlobStore }): AsyncGenerator<DropFile> {
	const { database, blobs } = parts;
	const store = dropStore(database.knex);
	for (let after = 0; ; ) {
		const page = await store.listAfter(after, PAGE);
		if (page.length === 0) return;
		after = page[page.length - 1].id;
		for (const file of page) {
			if (await isMissing(blobs, file)) {
				// The file may have been removed or replaced since the list was read, so its row is read again.
				if ((await store.findById(file.id))?.blob_id === file.blob_id) yield file;
			}
		}
	}
}

async function isMissing(blobs: BlobStore, file: DropFile): Promise<boolean> {
	try {
		await (await blobs.openRead(file.blob_id)).close();
		return false;
	} catch (error) {
		if (error instanceof BlobMissingError) return true;
		throw error;
	}
}
