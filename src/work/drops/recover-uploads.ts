import { BlobMissingError, StoreAwayError } from '../../base/blobs/blob-store.ts';
import { repairSpool, type SpoolStore } from '../../base/blobs/spool.ts';
import type { Database } from '../../base/database/open.ts';
import { type DropFile, dropStore, folderOf, pausedAt } from './drop-store.ts';

/**
 * Repairs the uploads of a dead daemon so that they can be resumed after their intact part, and returns how many there
 * were. `heldBefore` selects uploads that no daemon has held since that time; use null when no other daemon can be running.
 */
export async function recoverUploads(
	parts: SpoolStore & { readonly database: Database },
	heldBefore: number | null,
): Promise<number> {
	const store = dropStore(parts.database.knex);
	const abandoned = await store.listAbandoned(heldBefore);
	let recovered = 0;
	for (const file of abandoned) {
		try {
			await recover(parts, file);
		} catch (error) {
			// A daemon starts all the same, and the next sweep goes on.
			if (error instanceof StoreAwayError) break;
			throw error;
		}
		recovered += 1;
	}
	return recovered;
}

async function recover(parts: SpoolStore & { readonly database: Database }, file: DropFile): Promise<void> {
	const store = dropStore(parts.database.knex);
	// If another daemon takes the upload over meanwhile, it changes the `writer` in the row, so that this update finds
	// no such row and does nothing.
	const expected = { writer: file.writer, blob_id: file.blob_id, state: file.state };
	try {
		const size = await repairSpool(parts, { id: file.blob_id, folder: folderOf(file) });
		await store.update(file.id, expected, pausedAt(size, file.missing_to));
	} catch (error) {
		if (!(error instanceof BlobMissingError)) throw error;
		await store.remove(file.id, expected);
	}
}
