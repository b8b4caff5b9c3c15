// After a new drop key: the keys of stored files are wrapped anew. What the files hold stays as it is.

import type { KeyId } from '../database/ids.ts';
import { UnknownKeyError } from '../keys/root-key.ts';
import { seal } from '../keys/seal.ts';
import { BlobMissingError, type BlobStore } from './blob-store.ts';
import { readHeader, unwrapFileKey } from './file-header.ts';
import { DamagedFileError, encodeHeader, fileKeyLabel, HEADER_BYTES, parseHeader } from './sealed-file.ts';
import type { SpoolRooms } from './spool.ts';

/**
 * Wraps the key of every stored file that an older drop key wraps by the current one, a file at a time; yields what came
 * of each that was not up to date. May be stopped at any step and begun again: a file is under one key or the other, and
 * whoever reads it or appends to it meanwhile goes on.
 */
export async function* rewrapFiles(rooms: SpoolRooms): AsyncGenerator<'moved' | 'damaged'> {
	await rooms.blobs.finishHeads();
	for await (const { id } of rooms.blobs.list()) {
		try {
			if (await rewrapFile(rooms, id)) yield 'moved';
		} catch (error) {
			if (error instanceof DamagedFileError || error instanceof UnknownKeyError) yield 'damaged';
			// Removed since it was listed.
			else if (!(error instanceof BlobMissingError)) throw error;
		}
	}
}

/** How many stored files each drop key wraps the key of. */
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

async function rewrapFile({ blobs, keyRing }: SpoolRooms, id: string): Promise<boolean> {
	const header = await findHeader(blobs, id);
	if (!header) return false;
	const current = await keyRing.current('drop');
	// Keys are numbered as they are made. Nothing goes back to an older one that this process takes for current.
	const old = parseHeader(id, header);
	if (old.keyId >= current.id) return false;
	const material = await unwrapFileKey(keyRing, id, old);
	const wrappedKey = seal(current.secret, material, fileKeyLabel(id, current.id));
	material.fill(0);
	await blobs.replaceHead(id, encodeHeader({ version: old.version, keyId: current.id, wrappedKey }));
	return true;
}

/** Undefined for a file that has just been begun, whose header is still in the memory of its writer. */
async function findHeader(blobs: BlobStore, id: string): Promise<Buffer | undefined> {
	const blob = await blobs.openRead(id);
	try {
		const header = await readHeader(blob);
		return header.length < HEADER_BYTES ? undefined : header;
	} finally {
		await blob.close();
	}
}
