import { randomFillSync } from 'node:crypto';

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
