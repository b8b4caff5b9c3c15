// Wraps the keys of stored files again after the drop key was rotated. The contents of the files do not change.

import { BlobMissingError, type BlobStore } from '../../base/blobs/blob-store.ts';
import {
	DamagedFileError,
	encodeHeader,
	fileKeyLabel,
	HEADER_BYTES,
	parseHeader,
} from '../../base/blobs/sealed-file.ts';
import { readHeader, type SpoolStore, unwrapFileKey } from '../../base/blobs/spool.ts';
import type { KeyId } from '../../base/database/ids.ts';
import { UnknownKeyError } from '../../base/keys/root-key.ts';
import { seal } from '../../base/keys/seal.ts';

/**
 * Wraps the key of every stored file under the current drop key, one file at a time. Yields `moved` for each file whose
 * key was wrapped by another drop key, and `damaged` for each file whose key cannot be opened. The work may be stopped
 * and started again at any time: a file's key is wrapped by either the old or the new key, and others can read or
 * append to the file meanwhile.
 */
export async function* rewrapFiles(store: SpoolStore): AsyncGenerator<'moved' | 'damaged'> {
	await store.blobs.finishHeads();
	for await (const { id } of store.blobs.list()) {
		try {
			if (await rewrapFile(store, id)) yield 'moved';
		} catch (error) {
			if (error instanceof DamagedFileError || error instanceof UnknownKeyError) yield 'damaged';
			// The file was removed after it was listed, so there is nothing to do.
			else if (!(error instanceof BlobMissingError)) throw error;
		}
	}
}

/** Counts how many stored files have their key wrapped by each drop key. */
export async function countFilesByKey(blobs: BlobStore): Promise<Map<KeyId, number>> {
	const counts = new Map<KeyId, number>();
	for await (const { id } of blobs.list()) {
		try {
			const header = await findHeader(blobs, id);
			if (!header) continue;
			const keyId = parseHeader(id, header).keyId as KeyId;
			counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
		} catch (error) {
			if (!(error instanceof DamagedFileError || error instanceof BlobMissingError)) throw error;
		}
	}
	return counts;
}

async function rewrapFile({ blobs, keyRing }: SpoolStore, id: string): Promise<boolean> {
	const header = await findHeader(blobs, id);
	if (!header) return false;
	const current = await keyRing.current('drop');
	// Key ids increase with time, so a file is never rewrapped under an older key that this process believes is current.
	const old = parseHeader(id, header);
	if (old.keyId >= current.id) return false;
	const material = await unwrapFileKey(keyRing, id, old);
	const wrappedKey = seal(current.secret, material, fileKeyLabel(id, current.id));
	material.fill(0);
	await blobs.replaceHead(id, encodeHeader({ version: old.version, keyId: current.id, wrappedKey }));
	return true;
}

/** Returns the header of a file; undefined for one so new that its header is still in its writer's memory. */
async function findHeader(blobs: BlobStore, id: string): Promise<Buffer | undefined> {
	const blob = await blobs.openRead(id);
	try {
		const header = await readHeader(blob);
		return header.length < HEADER_BYTES ? undefined : header;
	} finally {
		await blob.close();
	}
}
