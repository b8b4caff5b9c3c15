import type { AccountId } from '../../database/ids.ts';
import type { Accounts } from '../../identity/accounts.ts';

/** Twice as many are remembered at most. */
const MAX_NAMES = 50_000;

/** User IDs by account id. They never change, so what was once asked for is remembered. */
export class AccountNames {
	readonly #accounts: Pick<Accounts, 'userIdsOf'>;
	#known = new Map<AccountId, string>();
	/** What was known before the memory was full: whoever has just made sure of a name still finds it. */
	#earlier = new Map<AccountId, string>();

	constructor(accounts: Pick<Accounts, 'userIdsOf'>) {
		this.#accounts = accounts;
	}

	/** Makes sure that the names of these accounts are at hand. */
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

	/** The name, once loaded; null for an account that is gone. */
	find(id: AccountId): string | null {
		return this.#known.get(id) ?? this.#earlier.get(id) ?? null;
	}
}
