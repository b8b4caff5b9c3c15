import type { BlobStore } from '../drops/blob-store.ts';

const LOW_SHARE = 0.05;

/** The check for `/readyz`: files still come in on little space, and somebody should make more before they do not. */
export async function checkDropStore(blobs: Pick<BlobStore, 'space'>): Promise<string | undefined> {
	const { total, free } = await blobs.space();
	return free < total * LOW_SHARE ? `less than ${LOW_SHARE * 100} % of the drop store is free` : undefined;
}
