// Hands out turns for work that uses the private key. A caller that finds no turn left waits for ten ticks, a second. They
// are counted, because a tick that comes late on a busy machine is no reason to refuse who waits. Addresses take turns, so
// that an address that floods the service does not keep others out.

import { FairQueue } from '../../../base/threads/fair-queue.ts';

/** So many turns are given out ten times a second. Each takes a millisecond or two, in which other requests wait. */
const TURNS_PER_TICK = 10;
const TICK_MS = 100;
const MOST_TICKS = 10;
/** At most this many requests of one address wait: as many as a second would serve if no other address waited. */
const MAX_WAITING_OF_ADDRESS = 100;
const MAX_WAITING = 2000;

interface Waiting {
	/** The number of the tick that was last when the waiting began. */
	readonly since: number;
	readonly resolve: (hasTurn: boolean) => void;
}

export class DecryptionTurns {
	readonly #waiting = new FairQueue<Waiting>();
	#left = TURNS_PER_TICK;
	#tickEndsAtMs = 0;
	#ticks = 0;
	#timer: NodeJS.Timeout | undefined;

	/** Resolves to true when it is the caller's turn, or to false if no turn becomes free within ten ticks. */
	take(address: string): boolean | Promise<boolean> {
		const nowMs = performance.now();
		if (nowMs >= this.#tickEndsAtMs) this.#beginTick(nowMs);
		if (this.#waiting.size === 0 && this.#left > 0) {
			this.#left--;
			return true;
		}
		if (this.#waiting.size >= MAX_WAITING || this.#waiting.sizeOf(address) >= MAX_WAITING_OF_ADDRESS) return false;
		const { promise, resolve } = Promise.withResolvers<boolean>();
		this.#waiting.add(address, { since: this.#ticks, resolve });
		this.#timer ??= setTimeout(() => this.#tick(), this.#tickEndsAtMs - nowMs);
		return promise;
	}

	#beginTick(nowMs: number): void {
		this.#tickEndsAtMs = nowMs + TICK_MS;
		this.#left = TURNS_PER_TICK;
	}

	#tick(): void {
		this.#ticks++;
		this.#beginTick(performance.now());
		for (const { resolve } of this.#waiting.removeOldest(({ since }) => this.#ticks - since > MOST_TICKS))
			resolve(false);
		for (; this.#left > 0 && this.#waiting.size > 0; this.#left--) this.#waiting.take()!.resolve(true);
		this.#timer = this.#waiting.size === 0 ? undefined : setTimeout(() => this.#tick(), TICK_MS);
	}
}
