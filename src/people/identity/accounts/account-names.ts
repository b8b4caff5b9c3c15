import type { AccountId } from '../../../base/database/ids.ts';
import type { Accounts } from './accounts.ts';

/** User IDs are remembered in two halves, each with about this many. */
const MAX_NAMES = 50_000;

/** Remembers the user IDs of accounts. A user ID never changes, so each is queried only once. */
export class AccountNames {
	readonly #accounts: Pick<Accounts, 'userIdsOf'>;
	#known = new Map<AccountId, string>();
	/**
	 * The older half of the remembered user IDs. When the newer half is full, it becomes the older one and an empty
	 * half begins, so that user IDs that were just loaded are still found.
	 */
	#earlier = new Map<AccountId, string>();

	constructor(accounts: Pick<Accounts, 'userIdsOf'>) {
		this.#accounts = accounts;
	}

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

	/** Returns the name of an account, which must have been loaded, or null if the account no longer exists. */
	find(id: AccountId): string | null {
		return this.#known.get(id) ?? this.#earlier.get(id) ?? null;
	}
}
