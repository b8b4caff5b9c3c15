// Encrypts with AES-256-GCM into one self-contained value: 12 bytes of IV, the ciphertext, and 16 bytes of tag.

import { createCipheriv, createDecipheriv, type KeyObject, randomFillSync } from 'node:crypto';
import { giveBack } from '../threads/buffer-memory.ts';
import { countSeal } from './seal-count.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
/** A sealed value is this much longer than its content. */
export const SEAL_OVERHEAD_BYTES = IV_BYTES + TAG_BYTES;

/** Seals `plain` under `key`, bound to `associated`: it opens only with the same associated bytes. */
export function seal(key: KeyObject, plain: Uint8Array, associated: Uint8Array): Buffer {
	const sealed = Buffer.allocUnsafe(plain.length + SEAL_OVERHEAD_BYTES);
	sealInto(sealed, 0, key, plain, associated);
	return sealed;
}

/** Seals like `seal`, but into `target` at `offset`, and returns the number of bytes written. */
export function sealInto(
	target: Buffer,
	offset: number,
	key: KeyObject,
	plain: Uint8Array,
	associated: Uint8Array,
): number {
	fillRandom(target, offset, IV_BYTES);
	const cipher = createCipheriv('aes-256-gcm', key, target.subarray(offset, offset + IV_BYTES));
	cipher.setAAD(associated);
	const encrypted = cipher.update(plain);
	target.set(encrypted, offset + IV_BYTES);
	giveBack(encrypted);
	cipher.final();
	countSeal(key);
	target.set(cipher.getAuthTag(), offset + IV_BYTES + plain.length);
	return plain.length + SEAL_OVERHEAD_BYTES;
}

/**
 * Opens a value that `seal` returned.
 * @throws SealError if the key, the associated bytes or a single bit differ
 */
export function unseal(key: KeyObject, sealed: Uint8Array, associated: Uint8Array): Buffer {
	if (sealed.length < SEAL_OVERHEAD_BYTES) throw new SealError();
	const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, IV_BYTES));
	decipher.setAAD(associated);
	decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
	const plain = decipher.update(sealed.subarray(IV_BYTES, sealed.length - TAG_BYTES));
	try {
		decipher.final();
	} catch (cause) {
		plain.fill(0);
		throw new SealError({ cause });
	}
	return plain;
}

/** This error is thrown if a sealed value does not open: it was altered, moved, or sealed under another key. */
export class SealError extends Error {
	override readonly name = 'SealError';
	constructor(options?: ErrorOptions) {
		super('sealed value does not open: altered, moved or sealed under another key', options);
	}
}

const POOL_BYTES = 65_536;
const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Writes `length` random bytes into `target` at `offset`. They come from a pool, because a system call for every IV
 * costs forty times as much; bytes are wiped when they are used.
 */
export function fillRandom(target: Uint8Array, offset: number, length: number): void {
	if (used + length > POOL_BYTES) {
		randomFillSync(pool);
		used = 0;
	}
	target.set(pool.subarray(used, used + length), offset);
	pool.fill(0, used, used + length);
	used += length;
}
