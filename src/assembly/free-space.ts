import type { BlobStore } from '../drops/blob-store.ts';

const LOW_SHARE = 0.05;

/**
 * The check for `/readyz`: files still come in on little space, and somebody should make more before they do not.
 * @throws when the store is away or takes nothing
 */
export async function checkDropStore(blobs: Pick<BlobStore, 'space' | 'checkWritable'>): Promise<string | undefined> {
	await blobs.checkWritable();
	const { total, free } = await blobs.space();
	return free < total * LOW_SHARE ? `less than ${LOW_SHARE * 100} % of the drop store is free` : undefined;
}
