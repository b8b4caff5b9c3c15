// Hands out turns for work that uses the private key. A caller that finds no turn left waits up to a second. Addresses
// take turns, so that an address that floods the service does not keep others out.

import { FairQueue } from '../../../base/threads/fair-queue.ts';

/** So many turns are given out ten times a second. Each takes a millisecond or two, in which other requests wait. */
const TURNS_PER_TICK = 10;
const TICK_MS = 100;
const MAX_WAIT_MS = 1000;
/** At most this many requests of one address wait: as many as a second would serve if no other address waited. */
const MAX_WAITING_OF_ADDRESS = 100;
const MAX_WAITING = 2000;

interface Waiting {
	readonly sinceMs: number;
	readonly resolve: (hasTurn: boolean) => void;
}

export class DecryptionTurns {
	readonly #waiting = new FairQueue<Waiting>();
	#left = TURNS_PER_TICK;
	#tickEndsAtMs = 0;
	#timer: NodeJS.Timeout | undefined;

	/** Resolves to true when it is the caller's turn, or to false if no turn becomes free within a second. */
	take(address: string): boolean | Promise<boolean> {
		const nowMs = performance.now();
		if (nowMs >= this.#tickEndsAtMs) this.#beginTick(nowMs);
		if (this.#waiting.size === 0 && this.#left > 0) {
			this.#left--;
			return true;
		}
		if (this.#waiting.size >= MAX_WAITING || this.#waiting.sizeOf(address) >= MAX_WAITING_OF_ADDRESS) return false;
		const { promise, resolve } = Promise.withResolvers<boolean>();
		this.#waiting.add(address, { sinceMs: nowMs, resolve });
		this.#timer ??= setTimeout(() => this.#tick(), this.#tickEndsAtMs - nowMs);
		return promise;
	}

	#beginTick(nowMs: number): void {
		this.#tickEndsAtMs = nowMs + TICK_MS;
		this.#left = TURNS_PER_TICK;
	}

	#tick(): void {
		const nowMs = performance.now();
		this.#beginTick(nowMs);
		for (const { resolve } of this.#waiting.removeOldest(({ sinceMs }) => nowMs - sinceMs > MAX_WAIT_MS))
			resolve(false);
		for (; this.#left > 0 && this.#waiting.size > 0; this.#left--) this.#waiting.take()!.resolve(true);
		this.#timer = this.#waiting.size === 0 ? undefined : setTimeout(() => this.#tick(), TICK_MS);
	}
}
