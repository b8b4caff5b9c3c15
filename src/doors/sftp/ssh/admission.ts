import type { SftpLimits } from '../limits.ts';

/** Gives places for sessions. The places may be counted in another process. */
export interface SessionPlaces {
	readonly sessions: number;
	/** Takes a session slot for a login and returns whether one was free. `leaveSession` gives the slot back. */
	enterSession(address: string, userName: string): boolean | Promise<boolean>;
	leaveSession(address: string, userName: string): void;
}

/** Counts sessions, so that no address and no user can take all of them. */
export class Admission implements SessionPlaces {
	readonly #limits: SftpLimits;
	readonly #sessionsByAddress = new Counter();
	readonly #sessionsByUser = new Counter();

	constructor(limits: SftpLimits) {
		this.#limits = limits;
	}

	get sessions(): number {
		return this.#sessionsByUser.total;
	}

	enterSession(address: string, userName: string): boolean {
		const { maxSessions, maxSessionsPerAddress, maxSessionsPerAccount } = this.#limits;
		if (this.sessions >= maxSessions) return false;
		if (this.#sessionsByAddress.of(address) >= maxSessionsPerAddress) return false;
		if (this.#sessionsByUser.of(userName) >= maxSessionsPerAccount) return false;
		this.#sessionsByAddress.add(address);
		this.#sessionsByUser.add(userName);
		return true;
	}

	leaveSession(address: string, userName: string): void {
		this.#sessionsByAddress.remove(address);
		this.#sessionsByUser.remove(userName);
	}
}

class Counter {
	readonly #counts = new Map<string, number>();
	total = 0;

	of(key: string): number {
		return this.#counts.get(key) ?? 0;
	}

	add(key: string): void {
		this.#counts.set(key, this.of(key) + 1);
		this.total += 1;
	}

	/** Counts a user or address once less; one that becomes zero is removed, so that only the connected are held. */
	remove(key: string): void {
		const left = this.of(key) - 1;
		if (left > 0) this.#counts.set(key, left);
		else this.#counts.delete(key);
		this.total -= 1;
	}
}
