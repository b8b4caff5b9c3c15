// A CVV is sealed separately from its card: it has its own key, row and lifetime.

import type { SealingKey } from '../keys/key-ring.ts';
import { seal, unseal } from '../keys/seal.ts';

/** The default retention (shapes §3) is 7 days and one use. */
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

/** Seals the digits, together with a flag for whether the file contained them as a bare JSON number. */
export function sealCvv(
	key: SealingKey,
	digits: Uint8Array,
	isBare: boolean,
	place: { accountId: number; page: number; slot: number },
): Buffer {
	const plain = Buffer.alloc(1 + digits.length);
	plain[0] = isBare ? 1 : 0;
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
): { digits: Buffer; isBare: boolean } {
	const plain = unseal(key.secret, sealed, associated(place.accountId, place.page, place.slot));
	return { digits: plain.subarray(1), isBare: plain[0] === 1 };
}
