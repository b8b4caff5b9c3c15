// Hands out turns for work that uses the private key. A caller that finds no turn left waits up to a second. Addresses
// take turns, so that an address that floods the service does not keep others out.

/**
 * This many turns are given out ten times a second. Each takes a millisecond or two, during which other requests wait.
 */
const TURNS_PER_TICK = 10;
const TICK_MS = 100;
const MAX_WAIT_MS = 1000;
/**
 * At most this many requests of one address wait: as many as could be served within a second if no other address
 * waited.
 */
const MAX_WAITING_OF_ADDRESS = 100;
const MAX_WAITING = 2000;

interface Waiting {
	readonly sinceMs: number;
	readonly resolve: (hasTurn: boolean) => void;
}

export class DecryptionTurns {
	/** The waiting requests, by address. The first address of the map has the next turn. */
	readonly #waiting = new Map<string, Waiting[]>();
	#count = 0;
	#left = TURNS_PER_TICK;
	#tickEndsAtMs = 0;
	#timer: NodeJS.Timeout | undefined;

	/** Resolves to true when it is the caller's turn, or to false if no turn becomes free within a second. */
	take(address: string): boolean | Promise<boolean> {
		const nowMs = performance.now();
		if (nowMs >= this.#tickEndsAtMs) this.#beginTick(nowMs);
		if (this.#count === 0 && this.#left > 0) {
			this.#left--;
			return true;
		}
		const queue = this.#waiting.get(address) ?? [];
		if (this.#count >= MAX_WAITING || queue.length >= MAX_WAITING_OF_ADDRESS) return false;
		const { promise, resolve } = Promise.withResolvers<boolean>();
		queue.push({ sinceMs: nowMs, resolve });
		this.#waiting.set(address, queue);
		this.#count++;
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
		for (const [address, queue] of this.#waiting) {
			while (queue.length > 0 && nowMs - queue[0].sinceMs > MAX_WAIT_MS) this.#answer(address, queue, false);
		}
		while (this.#left > 0 && this.#count > 0) {
			const [address, queue] = this.#waiting.entries().next().value!;
			this.#left--;
			// The address that has this turn moves behind all other waiting addresses, so that each of them has a turn
			// before this one has another.
			this.#waiting.delete(address);
			this.#waiting.set(address, queue);
			this.#answer(address, queue, true);
		}
		this.#timer = this.#count === 0 ? undefined : setTimeout(() => this.#tick(), TICK_MS);
	}

	#answer(address: string, queue: Waiting[], hasTurn: boolean): void {
		queue.shift()!.resolve(hasTurn);
		this.#count--;
		if (queue.length === 0) this.#waiting.delete(address);
	}
}
