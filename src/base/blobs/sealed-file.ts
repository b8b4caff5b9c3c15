// Defines the layout of a sealed file: a header with the file's own key, wrapped, then frames of 64 KiB, each sealed by
// itself.
// Header: magic(8) keyId(4) wrapped file key(60). Frame: nonce(12) ciphertext(0..65536) tag(16).
// The associated bytes of a frame name the file, the frame's index, whether it is the last one, and the folder of the
// account that the file was created for. So a frame cannot be moved within a file or to another, a file cut at a
// frame's edge has no last frame, and no change of a row in the database can move a file to another account or from one
// direction to the other. Files with the first magic were written before frames named the folder. Every frame but the
// last is full. In an unfinished file no frame is marked as the last; the frame that is not full is sealed again, under a
// fresh nonce, as it fills.

import { createHash, type KeyObject } from 'node:crypto';
import type { AccountId } from '../database/ids.ts';
import { SEAL_OVERHEAD_BYTES, SealError, sealInto, unseal } from '../keys/seal.ts';

export const FRAME_BYTES = 65_536;
export const SEALED_FRAME_BYTES = FRAME_BYTES + SEAL_OVERHEAD_BYTES;
export const FILE_KEY_BYTES = 32;
export const HEADER_BYTES = 12 + FILE_KEY_BYTES + SEAL_OVERHEAD_BYTES;
/** This many frames are read or written at once (512 KiB). */
export const BATCH_FRAMES = 8;

/** Lists the versions of the layout by their magic bytes, which end in the version's number. */
const MAGICS = [Buffer.from('TDSEAL01', 'latin1'), Buffer.from('TDSEAL02', 'latin1')] as const;
const MAGIC_BYTES = 8;
const ID_BYTES = 26;
const INDEX_BYTES = 6;

/** In version `1` frames do not name the folder of the file; in version `2` they do. */
export type FileVersion = 1 | 2;
export const CURRENT_VERSION: FileVersion = 2;

export interface FileHeader {
	readonly version: FileVersion;
	readonly keyId: number;
	readonly wrappedKey: Buffer;
}

/**
 * This error is thrown if a stored file is not what was stored: it was cut or altered, or is not ours. The message
 * names the frame but never any content.
 */
export class DamagedFileError extends Error {
	override readonly name = 'DamagedFileError';
	constructor(id: string, what: string, options?: ErrorOptions) {
		super(`sealed file ${id}: ${what}`, options);
	}
}

/** Returns the bytes of the header of a sealed file. */
export function encodeHeader({ version, keyId, wrappedKey }: FileHeader): Buffer {
	const header = Buffer.alloc(HEADER_BYTES);
	MAGICS[version - 1].copy(header);
	header.writeUInt32BE(keyId, 8);
	header.set(wrappedKey, 12);
	return header;
}

/**
 * Reads the header of a stored file.
 * @throws DamagedFileError
 */
export function parseHeader(id: string, header: Buffer): FileHeader {
	const version = MAGICS.findIndex((magic) => magic.equals(header.subarray(0, MAGIC_BYTES))) + 1;
	if (header.length < HEADER_BYTES || version === 0) {
		throw new DamagedFileError(id, 'the header is missing or not ours');
	}
	return {
		version: version as FileVersion,
		keyId: header.readUInt32BE(8),
		wrappedKey: header.subarray(12, HEADER_BYTES),
	};
}

/** Returns the label that binds a wrapped file key to its file. */
export function fileKeyLabel(id: string, keyId: number): Buffer {
	return Buffer.from(`tokendrop sealed file ${id} under key ${keyId}`, 'latin1');
}

export function frameOffset(index: number): number {
	return HEADER_BYTES + index * SEALED_FRAME_BYTES;
}

/**
 * Returns how many frames and clear bytes a stored file of `storedBytes` has.
 * @throws DamagedFileError
 */
export function measure(id: string, storedBytes: number): { frames: number; size: number } {
	const body = storedBytes - HEADER_BYTES;
	if (body < 0) throw new DamagedFileError(id, 'shorter than its header');
	const full = Math.floor(body / SEALED_FRAME_BYTES);
	const rest = body % SEALED_FRAME_BYTES;
	if (rest === 0) return { frames: full, size: full * FRAME_BYTES };
	if (rest < SEAL_OVERHEAD_BYTES) throw new DamagedFileError(id, `frame ${full} is cut`);
	return { frames: full + 1, size: full * FRAME_BYTES + rest - SEAL_OVERHEAD_BYTES };
}

/** Names the folder of an account that a file is sealed for. */
export interface SealedFolder {
	readonly accountId: AccountId;
	readonly area: string;
	readonly filter: string;
}

/** Names a stored file, and the folder that it should be in. */
export interface SpoolFile {
	readonly id: string;
	readonly folder: SealedFolder;
}

export interface FileKey {
	readonly key: KeyObject;
	readonly version: FileVersion;
}

/**
 * Seals and opens the frames of one file. It is synchronous, because 64 KiB take less time than a trip to the thread
 * pool.
 */
export class FrameCipher {
	readonly #key: KeyObject;
	readonly #label: Buffer;
	readonly #id: string;

	/**
	 * Opens the cipher of a file. `folder` is the folder that the file should be in; if a file of version 2 is in
	 * another one, none of its frames opens.
	 */
	constructor({ id, folder }: SpoolFile, { key, version }: FileKey) {
		this.#id = id;
		this.#key = key;
		const place = version === 1 ? Buffer.alloc(0) : digestOf(folder);
		this.#label = Buffer.concat([Buffer.alloc(ID_BYTES + INDEX_BYTES + 1), place]);
		this.#label.write(id, 0, ID_BYTES, 'latin1');
	}

	/** Seals `plain` as frame `index` into `target` at `offset` and returns the number of bytes written. */
	seal(index: number, isLast: boolean, plain: Uint8Array, target: Buffer, offset: number): number {
		return sealInto(target, offset, this.#key, plain, this.#labelOf(index, isLast));
	}

	/**
	 * Returns the clear bytes of a frame.
	 * @throws DamagedFileError
	 */
	open(index: number, isLast: boolean, sealed: Uint8Array): Buffer {
		const plain = this.find(index, isLast, sealed);
		if (plain) return plain;
		throw new DamagedFileError(this.#id, `frame ${index} does not open in this folder`, { cause: new SealError() });
	}

	find(index: number, isLast: boolean, sealed: Uint8Array): Buffer | undefined {
		try {
			return unseal(this.#key, sealed, this.#labelOf(index, isLast));
		} catch (error) {
			if (error instanceof SealError) return undefined;
			throw error;
		}
	}

	#labelOf(index: number, isLast: boolean): Buffer {
		this.#label.writeUIntBE(index, ID_BYTES, INDEX_BYTES);
		this.#label[ID_BYTES + INDEX_BYTES] = isLast ? 1 : 0;
		return this.#label;
	}
}

/** Returns the hash of a folder. Its parts are joined as a JSON array, because plain joined text would be ambiguous. */
function digestOf({ accountId, area, filter }: SealedFolder): Buffer {
	return createHash('sha256')
		.update(JSON.stringify([String(accountId), area, filter]))
		.digest();
}
