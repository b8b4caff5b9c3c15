// A CVV is sealed separately from its card: it has its own key, row and lifetime.

import type { SealingKey } from '../../base/keys/key-ring.ts';
import { seal, unseal } from '../../base/keys/seal.ts';

/** By default, a CVV is kept for this many days and may be used once (shapes §3). */
const DEFAULT_CVV_DAYS = 7;
export const DEFAULT_CVV_USES = 1;
const DAY_MS = 86_400_000;

/** Returns when a CVV stored at `now` under the default policy is destroyed. */
export function defaultCvvEnd(now: number): number {
	return now + DEFAULT_CVV_DAYS * DAY_MS;
}

function associated(accountId: number, page: number, slot: number): Buffer {
	return Buffer.from(`tokendrop cvv ${accountId}/${page}/${slot}`);
}

/** The spelling of a CVV in the file that it comes from, with which detokenizing writes it back. */
export interface CvvSpelling {
	/** True if it was a bare JSON number. */
	readonly isBare: boolean;
	/** The bytes in the place of the digits. Leading zeros may be missing, and escapes may stand for digits. */
	readonly text: Uint8Array;
}

/**
 * The first sealed byte says how the file spelled the CVV: this bit is set if it was a bare JSON number, and the bits above
 * are the number of leading zeros that it lacked. The last bit is set if the spelling itself follows the digits, whose
 * number is then in the second byte.
 */
const BARE = 1;
const ZEROS_AT = 1;
const SPELLED = 0x80;
/** A longer spelling is not kept: the stars in its place then stay. It would take more room than the CVV is worth. */
const LONGEST_SPELLING = 255;

type CvvPlace = Readonly<{ accountId: number; page: number; slot: number }>;

/** Seals the digits of a CVV, with their spelling if they come from a file. */
export function sealCvv(key: SealingKey, digits: Uint8Array, place: CvvPlace, spelling?: CvvSpelling): Buffer {
	const plain = plainOf(digits, spelling);
	const sealed = sealPlain(key, plain, place);
	plain.fill(0);
	return sealed;
}

export function resealCvv(key: SealingKey, next: SealingKey, sealed: Buffer, place: CvvPlace): Buffer {
	const plain = unsealPlain(key, sealed, place);
	const resealed = sealPlain(next, plain, place);
	plain.fill(0);
	return resealed;
}

/** Opens a sealed CVV; the caller wipes it. */
export function openCvv(
	key: SealingKey,
	sealed: Buffer,
	place: CvvPlace,
): { digits: Buffer; spelling: CvvSpelling; wipe(): void } {
	const plain = unsealPlain(key, sealed, place);
	const [flags] = plain;
	const isSpelled = (flags & SPELLED) !== 0;
	const start = isSpelled ? 2 : 1;
	const end = isSpelled ? start + plain[1] : plain.length;
	const digits = plain.subarray(start, end);
	const text = isSpelled ? plain.subarray(end) : digits.subarray(flags >> ZEROS_AT);
	return { digits, spelling: { isBare: (flags & BARE) !== 0, text }, wipe: () => plain.fill(0) };
}

function plainOf(digits: Uint8Array, spelling?: CvvSpelling): Buffer {
	const bare = spelling?.isBare ? BARE : 0;
	const text = spelling?.text ?? digits;
	const lostZeros = digits.length - text.length;
	if (lostZeros >= 0 && Buffer.compare(digits.subarray(lostZeros), text) === 0) {
		return Buffer.concat([Buffer.from([bare | (lostZeros << ZEROS_AT)]), digits]);
	}
	if (text.length > LONGEST_SPELLING) return Buffer.concat([Buffer.from([bare]), digits]);
	return Buffer.concat([Buffer.from([bare | SPELLED, digits.length]), digits, text]);
}

function sealPlain(key: SealingKey, plain: Buffer, { accountId, page, slot }: CvvPlace): Buffer {
	return seal(key.secret, plain, associated(accountId, page, slot));
}

function unsealPlain(key: SealingKey, sealed: Buffer, { accountId, page, slot }: CvvPlace): Buffer {
	return unseal(key.secret, sealed, associated(accountId, page, slot));
}
