import type { SealedFile } from '../../src/base/blobs/spool-writer.ts';

/** Seals an upload as complete and stores it although no transaction accepts it. Returns its size. */
export async function sealAlone(upload: { seal(): Promise<SealedFile> }): Promise<number> {
	const sealed = await upload.seal();
	await sealed.settle(false);
	return sealed.size;
}
