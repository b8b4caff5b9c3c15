// Rows and blobs, compared. They drift apart when a process dies between a commit and what follows it.

import type { Database } from '../database/open.ts';
import { BlobMissingError, type BlobStore } from './blob-store.ts';
import { type DropFile, dropStore } from './drop-store.ts';
import { ulidTimeMs } from './ulid.ts';

const PAGE = 500;

interface CheckRooms {
	readonly database: Database;
	readonly blobs: BlobStore;
}

/**
 * Removes blobs no row knows. `madeBefore` must be earlier than anything still at work: what an attempt writes has no row
 * until it is published. Returns how many were removed.
 */
export async function removeOrphans({ database, blobs }: CheckRooms, madeBefore: number): Promise<number> {
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

/** Files whose bytes are gone. None should ever be; each one is worth an alarm. */
export async function* findMissingBlobs({ database, blobs }: CheckRooms): AsyncGenerator<DropFile> {
	const store = dropStore(database.knex);
	for (let after = 0; ; ) {
		const page = await store.listAfter(after, PAGE);
		if (page.length === 0) return;
		after = page[page.length - 1].id;
		for (const file of page) {
			if (await isMissing(blobs, file)) {
				// It may have been removed or replaced since the page was read.
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
