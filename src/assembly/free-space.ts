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

/** Less than this and not even a small file with its report finds room. */
const LEAST_FOR_A_JOB = 256 * 1024;

/**
 * The check for `/readyz`: files that were accepted wait, and none of them can run for want of space. While none waits a full
 * drop store is no reason to turn cards away. @throws when it is so
 */
export async function checkRoomForJobs(
	blobs: Pick<BlobStore, 'space'>,
	countQueued: () => Promise<number>,
): Promise<void> {
	if ((await blobs.space()).free >= LEAST_FOR_A_JOB || (await countQueued()) === 0) return;
	throw new Error('no job can run: there is no room for its output');
}
