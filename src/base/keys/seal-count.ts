// Counts the values sealed under one AES-GCM key. Its random IVs must never repeat, and the risk is small only far
// below 2^32 values, so a key is replaced long before.

import type { KeyObject } from 'node:crypto';

/** A key that has sealed this many values is replaced within the hour. */
export const SEALS_UNTIL_ROTATION = 2 ** 30;
/** Sealing is reserved in steps of this many values, so that the database gets one write for 65,536 of them. */
const BLOCK = 2 ** 16;

const counts = new WeakMap<KeyObject, { seals: number; reserved: number }>();

function countOf(key: KeyObject) {
	let count = counts.get(key);
	if (!count) counts.set(key, (count = { seals: 0, reserved: 0 }));
	return count;
}

/** Counts one more value sealed by this process. */
export function countSeal(key: KeyObject): void {
	countOf(key).seals += 1;
}

/**
 * Reserves more values for sealing under a key in this process, and returns how many: 0 while more than half a step is left
 * of those it has reserved. The caller stores the number.
 */
export function reserveSeals(key: KeyObject): number {
	const count = countOf(key);
	const { seals, reserved } = count;
	const more = reserved - seals > BLOCK / 2 ? 0 : Math.max(0, seals - reserved) + BLOCK;
	count.reserved += more;
	return more;
}
