import type { BlobStore } from '../../base/blobs/blob-store.ts';

const LOW_SHARE = 0.05;

/**
 * Checks the drop store for `/readyz`. If space gets short, files are still accepted for a while, and the returned
 * warning asks an operator to make more space.
 * @throws if the store is unavailable or accepts no writes
 */
export async function checkDropStore(blobs: Pick<BlobStore, 'space' | 'checkWritable'>): Promise<string | undefined> {
	await blobs.checkWritable();
	const { total, free } = await blobs.space();
	return free < total * LOW_SHARE ? `less than ${LOW_SHARE * 100} % of the drop store is free` : undefined;
}

/** With fewer free bytes than this, not even the output and the report of a small file fit. */
const LEAST_FOR_A_JOB = 256 * 1024;

/**
 * Checks for `/readyz` whether jobs have space.
 * @throws if accepted files wait and there is no space to process one. While no file waits, a full drop store is no
 * reason to refuse cards.
 */
export async function checkSpaceForJobs(blobs: Pick<BlobStore, 'space'>, countQueued: () => Promise<number>) {
	if ((await blobs.space()).free >= LEAST_FOR_A_JOB || (await countQueued()) === 0) return;
	throw new Error('no job can run: there is no room for its output');
}
