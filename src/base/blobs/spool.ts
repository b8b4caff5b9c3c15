// Opens sealed files for reading and writing: finds the key of a file, and the position at which writing continues.

import { createSecretKey, randomBytes } from 'node:crypto';
import type { KeyId } from '../database/ids.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import { SealError, seal, unseal } from '../keys/seal.ts';
import type { BlobReader, BlobStore } from './blob-store.ts';
import {
	DamagedFileError,
	encodeHeader,
	FILE_KEY_BYTES,
	type FileHeader,
	type FileKey,
	FRAME_BYTES,
	FrameCipher,
	fileKeyLabel,
	frameOffset,
	HEADER_BYTES,
	measure,
	parseHeader,
	SEALED_FRAME_BYTES,
	type SpoolFile,
	CURRENT_VERSION as version,
} from './sealed-file.ts';
import { SpoolReader } from './spool-reader.ts';
import { type OpenFrame, SpoolWriter } from './spool-writer.ts';

/** Where spools are stored: the blobs, and the key ring that wraps their keys. */
export interface SpoolStore {
	readonly blobs: BlobStore;
	readonly keyRing: KeyRing;
}

/** Starts a sealed file under a new key, bound to its folder. */
export async function createSpool({ blobs, keyRing }: SpoolStore, file: SpoolFile): Promise<SpoolWriter> {
	const { id: keyId, secret } = await keyRing.current('drop');
	const material = randomBytes(FILE_KEY_BYTES);
	const header = encodeHeader({
		version,
		keyId,
		wrappedKey: seal(secret, material, fileKeyLabel(file.id, keyId)),
	});
	const key = createSecretKey(material);
	material.fill(0);
	return new SpoolWriter(await blobs.create(file.id), new FrameCipher(file, { key, version }), header);
}

/**
 * Writes a sealed file from beginning to end and returns its size in clear. If `write` fails, the unfinished file is
 * closed, and the caller has to remove it.
 */
export async function writeSpool(
	store: SpoolStore,
	file: SpoolFile,
	write: (writer: SpoolWriter) => Promise<void>,
): Promise<number> {
	const writer = await createSpool(store, file);
	try {
		await write(writer);
		return await writer.finish();
	} catch (error) {
		await writer.discard();
		throw error;
	}
}

/**
 * Opens a finished file for reading; the caller closes it.
 * @throws DamagedFileError if the file is cut, altered, unfinished or belongs to another folder; BlobMissingError if
 * there is none
 */
export async function openSpool(store: SpoolStore, file: SpoolFile): Promise<SpoolReader> {
	return openReader(store, file, true);
}

/** Opens an unfinished file, to read the part of it that is in the store. */
export async function openUnfinishedSpool(store: SpoolStore, file: SpoolFile): Promise<SpoolReader> {
	return openReader(store, file, false);
}

/**
 * Continues an unfinished file at its end. A frame at the end that was only half written before a crash is cut off, so
 * the writer's `size` may be less than was once written.
 */
export async function resumeSpool(store: SpoolStore, file: SpoolFile): Promise<SpoolWriter> {
	const { cipher, frames, tail, storedBytes } = await readTail(store, file);
	const start: OpenFrame = tail
		? { index: frames - 1, content: tail }
		: { index: Math.max(0, frames - 1), content: NOTHING };
	const blob = await store.blobs.append(file.id);
	const keptBytes = tail ? storedBytes : frameOffset(start.index);
	if (keptBytes < blob.size) await blob.truncate(keptBytes);
	return new SpoolWriter(blob, cipher, start);
}

/** Cuts an unfinished file, which nobody writes, to its first `size` clear bytes, and continues it there. */
export async function shortenSpool(store: SpoolStore, file: SpoolFile, size: number): Promise<SpoolWriter> {
	const fullFrames = Math.floor(size / FRAME_BYTES);
	const reader = await openUnfinishedSpool(store, file);
	let rest: Buffer;
	try {
		rest = await reader.read(fullFrames * FRAME_BYTES, size % FRAME_BYTES);
	} finally {
		await reader.close();
	}
	const blob = await store.blobs.append(file.id);
	try {
		await blob.truncate(frameOffset(fullFrames));
		await blob.settle();
	} finally {
		await blob.close();
	}
	const writer = await resumeSpool(store, file);
	await writer.write(rest);
	rest.fill(0);
	return writer;
}

/**
 * Shortens a file whose writer died to its intact beginning, and returns the remaining size in clear bytes. It reads the
 * whole file, because after a power failure any frame may be missing, not only the last.
 */
export async function repairSpool(store: SpoolStore, file: SpoolFile): Promise<number> {
	let intact: number;
	try {
		const reader = await openReader(store, file, false);
		try {
			intact = await reader.findIntactSize();
			if (intact === reader.size) return intact;
		} finally {
			await reader.close();
		}
	} catch (error) {
		if (!(error instanceof DamagedFileError)) throw error;
		return 0;
	}
	const blob = await store.blobs.append(file.id);
	try {
		await blob.truncate(frameOffset(intact / FRAME_BYTES));
		await blob.sync();
	} finally {
		await blob.close();
	}
	return intact;
}

const NOTHING = new Uint8Array(0);

async function openReader(store: SpoolStore, file: SpoolFile, isFinished: boolean): Promise<SpoolReader> {
	const { id } = file;
	const blob = await store.blobs.openRead(id);
	try {
		const cipher = new FrameCipher(file, await readKey(store, id, blob));
		const { frames, size } = measureReadable(id, blob.size, isFinished);
		if (isFinished) {
			if (frames === 0) throw new DamagedFileError(id, 'the last frame is missing');
			cipher.open(frames - 1, true, await readFrame(blob, frames - 1)).fill(0);
		}
		return new SpoolReader({ blob, cipher, frames, size, isFinished });
	} catch (error) {
		await blob.close().catch(() => {});
		throw error;
	}
}

/**
 * Returns the number of frames and clear bytes that can be read. A file whose writer died may end inside a frame's
 * nonce or tag; that frame is left out.
 */
function measureReadable(id: string, storedBytes: number, isFinished: boolean): { frames: number; size: number } {
	if (isFinished || storedBytes < HEADER_BYTES) return measure(id, storedBytes);
	try {
		return measure(id, storedBytes);
	} catch {
		return measure(id, storedBytes - ((storedBytes - HEADER_BYTES) % SEALED_FRAME_BYTES));
	}
}

async function readTail(store: SpoolStore, file: SpoolFile) {
	const { id } = file;
	const blob = await store.blobs.openRead(id);
	try {
		const cipher = new FrameCipher(file, await readKey(store, id, blob));
		const { frames, size } = measureReadable(id, blob.size, false);
		const sealed = frames > 0 ? await readFrame(blob, frames - 1) : undefined;
		const tail = sealed && (cipher.find(frames - 1, false, sealed) ?? cipher.find(frames - 1, true, sealed));
		const storedBytes = HEADER_BYTES + size + frames * (SEALED_FRAME_BYTES - FRAME_BYTES);
		return { cipher, frames, tail, storedBytes };
	} finally {
		await blob.close();
	}
}

/**
 * Reads the key of a file. A header that does not open may be in the middle of a replacement, perhaps by a process that
 * died. The replacement is then completed and the header read again.
 */
async function readKey({ blobs, keyRing }: SpoolStore, id: string, blob: BlobReader): Promise<FileKey> {
	try {
		return await openHeader(keyRing, id, await readHeader(blob));
	} catch {
		await blobs.finishHead(id);
		return openHeader(keyRing, id, await readHeader(blob));
	}
}

async function openHeader(keyRing: KeyRing, id: string, header: Buffer): Promise<FileKey> {
	const parsed = parseHeader(id, header);
	const material = await unwrapFileKey(keyRing, id, parsed);
	const key = createSecretKey(material);
	material.fill(0);
	return { key, version: parsed.version };
}

async function readFrame(blob: BlobReader, index: number): Promise<Buffer> {
	const from = frameOffset(index);
	const sealed = Buffer.alloc(Math.min(SEALED_FRAME_BYTES, blob.size - from));
	return sealed.subarray(0, await blob.read(sealed, from));
}

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
