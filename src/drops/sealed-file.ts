// The layout of a sealed file: a header with the file's own key, wrapped, then frames of 64 KiB, each sealed by itself.
//
//   header  magic(8) keyId(4) wrapped file key(60)
//   frame   nonce(12) ciphertext(0..65536) tag(16)
//
// The associated bytes of a frame name the file, the frame's index and whether it is the last one. So a frame cannot be
// moved within a file or to another, and a file cut at a frame's edge has no last frame. Every frame but the last is
// full. A file still growing has no last frame; its short one is sealed anew, under a fresh nonce, as it fills.

import type { KeyObject } from 'node:crypto';
import { SEAL_OVERHEAD_BYTES, SealError, sealInto, unseal } from '../keys/seal.ts';

export const FRAME_BYTES = 65_536;
export const SEALED_FRAME_BYTES = FRAME_BYTES + SEAL_OVERHEAD_BYTES;
export const FILE_KEY_BYTES = 32;
export const HEADER_BYTES = 12 + FILE_KEY_BYTES + SEAL_OVERHEAD_BYTES;
/** Frames that travel to and from the store together (512 KiB). */
export const BATCH_FRAMES = 8;

const MAGIC = Buffer.from('TDSEAL01', 'latin1');
const ID_BYTES = 26;
const INDEX_BYTES = 6;

/** A stored file is not what was stored: cut, altered, or not ours. The message says which frame, never any content. */
export class DamagedFileError extends Error {
	override readonly name = 'DamagedFileError';
	constructor(id: string, what: string, options?: ErrorOptions) {
		super(`sealed file ${id}: ${what}`, options);
	}
}

/** The header's bytes. */
export function encodeHeader(keyId: number, wrappedKey: Uint8Array): Buffer {
	const header = Buffer.alloc(HEADER_BYTES);
	MAGIC.copy(header);
	header.writeUInt32BE(keyId, 8);
	header.set(wrappedKey, 12);
	return header;
}

/** @throws DamagedFileError */
export function parseHeader(id: string, header: Buffer): { keyId: number; wrappedKey: Buffer } {
	if (header.length < HEADER_BYTES || !header.subarray(0, MAGIC.length).equals(MAGIC)) {
		throw new DamagedFileError(id, 'the header is missing or not ours');
	}
	return { keyId: header.readUInt32BE(8), wrappedKey: header.subarray(12, HEADER_BYTES) };
}

/** What binds a wrapped file key to its file. */
export function fileKeyLabel(id: string, keyId: number): Buffer {
	return Buffer.from(`tokendrop sealed file ${id} under key ${keyId}`, 'latin1');
}

/** Where a frame begins in the stored file. */
export function frameOffset(index: number): number {
	return HEADER_BYTES + index * SEALED_FRAME_BYTES;
}

/** How many frames, and how many clear bytes, a stored file of `storedBytes` holds. @throws DamagedFileError */
export function measure(id: string, storedBytes: number): { frames: number; size: number } {
	const body = storedBytes - HEADER_BYTES;
	if (body < 0) throw new DamagedFileError(id, 'shorter than its header');
	const full = Math.floor(body / SEALED_FRAME_BYTES);
	const rest = body % SEALED_FRAME_BYTES;
	if (rest === 0) return { frames: full, size: full * FRAME_BYTES };
	if (rest < SEAL_OVERHEAD_BYTES) throw new DamagedFileError(id, `frame ${full} is cut`);
	return { frames: full + 1, size: full * FRAME_BYTES + rest - SEAL_OVERHEAD_BYTES };
}

/** Seals and opens the frames of one file. Synchronous: 64 KiB take less time than a trip to the thread pool. */
export class FrameCipher {
	readonly #key: KeyObject;
	readonly #label = Buffer.alloc(ID_BYTES + INDEX_BYTES + 1);
	readonly #id: string;

	constructor(id: string, key: KeyObject) {
		this.#id = id;
		this.#key = key;
		this.#label.write(id, 0, ID_BYTES, 'latin1');
	}

	/** Seals `plain` as frame `index` into `target` at `offset`; says how many bytes that took. */
	seal(index: number, isLast: boolean, plain: Uint8Array, target: Buffer, offset: number): number {
		return sealInto(target, offset, this.#key, plain, this.#labelOf(index, isLast));
	}

	/** The clear bytes of a frame. @throws DamagedFileError */
	open(index: number, isLast: boolean, sealed: Uint8Array): Buffer {
		const plain = this.find(index, isLast, sealed);
		if (plain) return plain;
		throw new DamagedFileError(this.#id, `frame ${index} does not open`, { cause: new SealError() });
	}

	/** The clear bytes of a frame, or undefined when it does not open. */
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
