import type { Database } from '../database/open.ts';
import type { BlobStore } from './blob-store.ts';
import { dropStore } from './drop-store.ts';

/**
 * Removes blobs whose file is gone, after the commit; one that another file names too stays, as a report does that stands
 * under two names. Says how many went. Never fails: what stays behind is swept up as an orphan.
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
