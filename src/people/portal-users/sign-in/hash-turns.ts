import { ServiceError } from '../../../base/errors.ts';
import { FairQueue } from '../../../base/threads/fair-queue.ts';

/** Names whose password is hashed: the address that it came from, and the user at this address. */
export interface HashParty {
	readonly address: string;
	readonly user: string;
}

/** Hashing one password takes tens of mebibytes, so only a few are hashed at the same time. */
const HASHES_AT_ONCE = 2;
/** At most this many hashes of one address wait, and of all together, so that a flood cannot take up the memory. */
const MAX_WAITING_OF_ADDRESS = 40;
const MAX_WAITING = 1_000;

/**
 * Hands out turns for hashing passwords: each address that has hashes waiting has one turn before any of them has
 * another, and so has each user of an address. So guesses from one address make only that address wait.
 */
export class HashTurns {
	/** The users of each address who wait. An address stands once in the queue for each hash of its users. */
	readonly #addresses = new FairQueue<FairQueue<() => void>>();
	readonly #users = new Map<string, FairQueue<() => void>>();
	#running = 0;

	/**
	 * Runs `hash` when it is its turn.
	 * @throws ServiceError `too-many-calls` if too many hashes wait, of this address or of all
	 */
	async run<Result>({ address, user }: HashParty, hash: () => Promise<Result>): Promise<Result> {
		if (this.#running >= HASHES_AT_ONCE) await this.#wait(address, user);
		else this.#running++;
		try {
			return await hash();
		} finally {
			// The turn goes to the next one that waits; without one it is free.
			const next = this.#addresses.take()?.take();
			if (next) next();
			else this.#running--;
		}
	}

	async #wait(address: string, user: string): Promise<void> {
		if (this.#addresses.sizeOf(address) >= MAX_WAITING_OF_ADDRESS || this.#addresses.size >= MAX_WAITING) {
			throw new ServiceError('too-many-calls');
		}
		const users = this.#users.get(address) ?? new FairQueue();
		this.#users.set(address, users);
		await new Promise<void>((resolve) => {
			users.add(user, resolve);
			this.#addresses.add(address, users);
		});
		if (users.size === 0) this.#users.delete(address);
	}
}
