// Keeps the keys that seal rows in memory for a few seconds, and reads them again as soon as a row names a key that is not
// among them. Each thread of a daemon has keys of its own, so a thread may meet a row under a key that another thread or
// daemon has just created.

import type { KeyObject } from 'node:crypto';
import type { KeyId } from '../database/ids.ts';

export type SealKey = { readonly id: KeyId; readonly secret: KeyObject };

/** The keys as they were read from the database at one moment. */
export type KnownSealKeys = Awaited<ReturnType<ReturnType<typeof sealKeys>['known']>>;

interface Reading {
	/** The readings are numbered in the order in which they begin. */
	readonly nth: number;
	readonly startedAt: number;
	readonly keys: Promise<readonly SealKey[]>;
}

const KNOWN_FOR_MS = 5_000;
/**
 * The database is queried for the same unknown key at most this often, so that a key that does not exist cannot cause
 * many queries, however many rows name it.
 */
const LOOK_EVERY_MS = 1_000;
const MAX_LOOKED_FOR = 1_000;

/** `readKeys` reads all keys from the database, newest first. */
export function sealKeys(readKeys: () => Promise<readonly SealKey[]>) {
	const lookedFor = new Map<KeyId, Pick<Reading, 'nth' | 'startedAt'>>();
	let last: Reading | undefined;
	let readings = 0;
	const read = (): Reading => {
		const reading = { nth: ++readings, startedAt: performance.now(), keys: readKeys() };
		last = reading;
		reading.keys.catch(() => {
			if (last === reading) last = undefined;
		});
		return reading;
	};
	return {
		/** Returns the keys that were read last, at most five seconds ago. */
		async known() {
			const now = performance.now();
			const { nth, keys } = last && now - last.startedAt <= KNOWN_FOR_MS ? last : read();
			const all = await keys;
			return {
				current: all[0],
				find: (id: KeyId) => all.find((key) => key.id === id),
				/**
				 * Returns whether these keys were read because a row named the key `id`, or after that. If the key is not among them,
				 * it does not exist: a key is always stored before the first row that it seals.
				 */
				isLookedFor(id: KeyId): boolean {
					const look = lookedFor.get(id);
					return look !== undefined && look.nth <= nth && now - look.startedAt <= LOOK_EVERY_MS;
				},
			};
		},
		/** Reads the keys again for a row that names the unknown key `id`, unless this was done within the last second. */
		lookFor(id: KeyId): void {
			const look = lookedFor.get(id);
			if (look && performance.now() - look.startedAt <= LOOK_EVERY_MS) return;
			if (lookedFor.size >= MAX_LOOKED_FOR) lookedFor.clear();
			lookedFor.set(id, read());
		},
		/** Forgets the keys, so that they are read again. */
		forget(): void {
			last = undefined;
		},
	};
}
