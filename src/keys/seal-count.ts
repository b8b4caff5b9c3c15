// How much is sealed under one AES-GCM key. Random IVs must not meet, which is safe far below 2^32 values under a key; a key
// is replaced long before.

import type { KeyObject } from 'node:crypto';

/** A key that has sealed as many is replaced within the hour. */
export const SEALS_UNTIL_ROTATION = 2 ** 30;
/** Reserved at once, so that the database hears of 65,536 seals in one write. */
const BLOCK = 2 ** 16;

const counts = new WeakMap<KeyObject, { seals: number; reserved: number }>();

function countOf(key: KeyObject) {
	let count = counts.get(key);
	if (!count) counts.set(key, (count = { seals: 0, reserved: 0 }));
	return count;
}

/** One more value is sealed by this process. */
export function countSeal(key: KeyObject): void {
	countOf(key).seals += 1;
}

/** How many seals are to be reserved now for this process to go on; 0 while half a block is left. */
export function sealsToReserve(key: KeyObject): number {
	const { seals, reserved } = countOf(key);
	return reserved - seals > BLOCK / 2 ? 0 : Math.max(0, seals - reserved) + BLOCK;
}

/** So many were reserved. */
export function noteReserved(key: KeyObject, seals: number): void {
	countOf(key).reserved += seals;
}
