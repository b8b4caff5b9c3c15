// Keys whose older generations go on being used after a rotation: tokens stay what they are, and cards are looked up by
// fingerprints of every generation. All daemons have to know a generation before anything is written under it.

import type { Clock } from '../clock.ts';
import type { AccountId } from '../database/ids.ts';
import type { KeyRing, SealingKey } from './key-ring.ts';

/** How long the list of generations is taken for complete without asking the database. */
const LISTED_FOR_MS = 5_000;

/**
 * A new generation is written under from this time after it was made: three times as long as a daemon may not have heard of
 * it, so that clocks of daemons may differ by ten seconds.
 */
export const IN_USE_AFTER_MS = 15_000;

export interface Generations {
	/** Every generation that is left, newest first. */
	readonly all: readonly SealingKey[];
	/** The one that new things are made under. */
	readonly writer: SealingKey;
}

/** The generations of a purpose as they are known to every daemon at a point in time. */
export function generationsAt(all: readonly SealingKey[], now: number): Generations {
	return { all, writer: all.find(({ createdAt }) => createdAt <= now - IN_USE_AFTER_MS) ?? all[all.length - 1] };
}

/** Follows the generations of a purpose while a process runs, whoever rotates them. */
export class LiveGenerations {
	readonly #rooms: { readonly keyRing: KeyRing; readonly clock: Clock };
	readonly #purpose: 'token' | 'fingerprint';
	readonly #listed = new Map<AccountId, { readonly all: readonly SealingKey[]; readonly at: number }>();

	constructor(rooms: { readonly keyRing: KeyRing; readonly clock: Clock }, purpose: 'token' | 'fingerprint') {
		this.#rooms = rooms;
		this.#purpose = purpose;
	}

	/** The generations of an account, or of the installation. */
	async of(accountId: AccountId = 0 as AccountId): Promise<Generations> {
		const { keyRing, clock } = this.#rooms;
		let listed = this.#listed.get(accountId);
		const now = clock.now().getTime();
		// A clock that was put back makes the list old as well.
		if (!listed || Math.abs(now - listed.at) >= LISTED_FOR_MS) {
			listed = { all: await keyRing.all(this.#purpose, accountId), at: now };
			this.#listed.set(accountId, listed);
		}
		return generationsAt(listed.all, now);
	}
}
