import type { BlobStore } from '../../base/blobs/blob-store.ts';
import type { Database } from '../../base/database/open.ts';
import { dropStore } from './drop-store.ts';

/**
 * Removes blobs whose file was removed, and returns how many. Call it after the commit. A blob that another file also names
 * is kept, for example that of a report with two names. It never fails: blobs left behind are removed later as orphans.
 */
export async function removeUnnamedBlobs(
	{ database, blobs }: { readonly database: Database; readonly blobs: BlobStore },
	ids: readonly string[],
): Promise<number> {
	if (ids.length === 0) return 0;
	try {
		const named = await dropStore(database.knex).findKnownBlobs(ids);
		const unnamed = ids.filter((id) => !named.has(id));
		for (const id of unnamed) await blobs.remove(id);
		return unnamed.length;
	} catch {
		return 0;
	}
}
