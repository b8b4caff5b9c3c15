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

/**
 * The first sealed byte says how the file spelled the CVV: this bit is set if it was a bare JSON number, and the bits above
 * are the number of leading zeros that it lacked.
 */
const BARE = 1;
const ZEROS_AT = 1;

/** Seals the digits of a CVV, with their spelling in the file that they come from. */
export function sealCvv(
	key: SealingKey,
	digits: Uint8Array,
	isBare: boolean,
	place: { accountId: number; page: number; slot: number },
	lostZeros = 0,
): Buffer {
	const plain = Buffer.alloc(1 + digits.length);
	plain[0] = (isBare ? BARE : 0) | (lostZeros << ZEROS_AT);
	plain.set(digits, 1);
	const sealed = seal(key.secret, plain, associated(place.accountId, place.page, place.slot));
	plain.fill(0);
	return sealed;
}

/** Opens a sealed CVV; the caller wipes the digits. */
export function openCvv(
	key: SealingKey,
	sealed: Buffer,
	place: { accountId: number; page: number; slot: number },
): { digits: Buffer; isBare: boolean; lostZeros: number } {
	const plain = unseal(key.secret, sealed, associated(place.accountId, place.page, place.slot));
	return { digits: plain.subarray(1), isBare: (plain[0] & BARE) !== 0, lostZeros: plain[0] >> ZEROS_AT };
}
