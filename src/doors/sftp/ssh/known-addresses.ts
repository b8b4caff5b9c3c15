import type { Clock } from '../../../base/clock.ts';

const rememberedMs = 24 * 3_600_000;
const maxAddresses = 10_000;

/**
 * Remembers the addresses that logged in during the last day. If there are too many, the one with the oldest login is
 * removed.
 */
export class KnownAddresses {
	readonly #clock: Clock;
	/** The time of each address's last login, earliest first. */
	readonly #loginsMs = new Map<string, number>();

	constructor(clock: Clock) {
		this.#clock = clock;
	}

	get size(): number {
		return this.#loginsMs.size;
	}

	has(address: string): boolean {
		const loginMs = this.#loginsMs.get(address);
		return loginMs !== undefined && this.#nowMs() - loginMs < rememberedMs;
	}

	/** Remembers the address of a successful login. */
	add(address: string): void {
		this.#loginsMs.delete(address);
		this.#loginsMs.set(address, this.#nowMs());
		for (const [earliest, loginMs] of this.#loginsMs) {
			if (this.#loginsMs.size <= maxAddresses && this.#nowMs() - loginMs < rememberedMs) break;
			this.#loginsMs.delete(earliest);
		}
	}

	#nowMs(): number {
		return this.#clock.now().getTime();
	}
}
