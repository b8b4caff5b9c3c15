// Follows the generations of keys that stay in use after a rotation: tokens never change, and cards are looked up by
// the fingerprints of every generation. All daemons must know a generation before anything is written under it.

import type { Clock } from '../clock.ts';
import { shared } from '../database/gather.ts';
import type { AccountId } from '../database/ids.ts';
import type { KeyRing, SealingKey } from './key-ring.ts';

/** The list of generations is read from the database again after this time. */
const LISTED_FOR_MS = 5_000;

/**
 * A new generation is used for writing only this long after it was created. By then every daemon knows the generation,
 * even if the clocks of daemons differ by ten seconds, because each daemon reads the list of generations again after
 * five seconds.
 */
export const IN_USE_AFTER_MS = 15_000;

export interface Generations {
	/** Holds every generation that still exists, newest first. */
	readonly all: readonly SealingKey[];
	/** The generation under which new data is written. */
	readonly writer: SealingKey;
}

/**
 * Returns all generations of a purpose and, as `writer`, the newest one that every daemon knows at the given time. If
 * no generation is old enough for that, the oldest one is the `writer`.
 */
export function generationsAt(all: readonly SealingKey[], now: number): Generations {
	return { all, writer: all.find(({ createdAt }) => createdAt <= now - IN_USE_AFTER_MS) ?? all[all.length - 1] };
}

export type LiveGenerations = ReturnType<typeof liveGenerations>;

/** Follows the generations of a purpose while a process runs, no matter which process rotates them. */
export function liveGenerations(
	{ keyRing, clock }: { readonly keyRing: KeyRing; readonly clock: Clock },
	purpose: 'token' | 'fingerprint',
) {
	const list = shared((accountId: AccountId) => keyRing.all(purpose, accountId));
	const known = new Map<AccountId, { readonly all: readonly SealingKey[]; readonly at: number }>();
	return {
		/** Returns the generations of an account, or of the installation. */
		async of(accountId: AccountId = 0 as AccountId): Promise<Generations> {
			let listed = known.get(accountId);
			const now = clock.now().getTime();
			// The list is also read again if the clock was set back, so that the time of its last reading is now in the
			// future.
			if (!listed || Math.abs(now - listed.at) >= LISTED_FOR_MS) {
				listed = { all: await list(accountId), at: now };
				known.set(accountId, listed);
			}
			return generationsAt(listed.all, now);
		},
	};
}
