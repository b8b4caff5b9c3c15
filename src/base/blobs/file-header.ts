// Reads and writes the header of a stored file, which holds the file's own key, wrapped by a drop key.

import type { KeyId } from '../database/ids.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { SealError, unseal } from '../keys/seal.ts';
import type { BlobReader } from './blob-store.ts';
import { DamagedFileError, type FileHeader, fileKeyLabel, HEADER_BYTES } from './sealed-file.ts';

/** Returns the bytes of the header, or fewer if the file has no complete header yet. */
export async function readHeader(blob: BlobReader): Promise<Buffer> {
	const header = Buffer.alloc(Math.min(HEADER_BYTES, blob.size));
	return header.subarray(0, await blob.read(header, 0));
}

/**
 * Returns the file's key in clear; the caller wipes it.
 * @throws DamagedFileError, RootKeyError
 */
export async function unwrapFileKey(
	keyRing: KeyRing,
	id: string,
	{ keyId, wrappedKey }: Pick<FileHeader, 'keyId' | 'wrappedKey'>,
): Promise<Buffer> {
	const wrapping = await keyRing.byId(keyId as KeyId);
	try {
		return unseal(wrapping.secret, wrappedKey, fileKeyLabel(id, keyId));
	} catch (cause) {
		if (cause instanceof SealError) throw new DamagedFileError(id, 'the header does not open', { cause });
		throw cause;
	}
}
