import type { AccountId } from '../../database/ids.ts';
import type { Accounts } from '../../identity/accounts.ts';

/** At most twice as many are remembered. */
const MAX_NAMES = 50_000;

/** Remembers user IDs by account id. They never change, so each is queried once. */
export class AccountNames {
	readonly #accounts: Pick<Accounts, 'userIdsOf'>;
	#known = new Map<AccountId, string>();
	/** The older half of the memory, so that a name that was just loaded is still found after the memory was full. */
	#earlier = new Map<AccountId, string>();

	constructor(accounts: Pick<Accounts, 'userIdsOf'>) {
		this.#accounts = accounts;
	}

	/** Loads the names of these accounts. */
	async load(ids: Iterable<AccountId>): Promise<void> {
		const missing = [...new Set(ids)].filter((id) => this.find(id) === null);
		if (missing.length === 0) return;
		const found = await this.#accounts.userIdsOf(missing);
		if (this.#known.size >= MAX_NAMES) {
			this.#earlier = this.#known;
			this.#known = new Map();
		}
		for (const [id, name] of found) this.#known.set(id, name);
	}

	/** Returns the name, once loaded, or null for an account that is gone. */
	find(id: AccountId): string | null {
		return this.#known.get(id) ?? this.#earlier.get(id) ?? null;
	}
}
