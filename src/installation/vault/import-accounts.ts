// The accounts that an export names, as this installation knows them.

import type { AccountId } from '../../base/database/ids.ts';
import type { Account } from '../../people/identity/accounts/accounts.ts';
import type { Identity } from '../../people/identity/identity.ts';

/** Finds the accounts of an export here, each once. */
export class ImportAccounts {
	readonly #identity: Pick<Identity, 'accounts'>;
	readonly #renamed: ReadonlyMap<string, string>;
	readonly #found = new Map<string, Account | undefined>();

	/** @param renamed has the user IDs here of accounts that are called otherwise in the export */
	constructor({ identity }: { identity: Pick<Identity, 'accounts'> }, renamed: ReadonlyMap<string, string>) {
		this.#identity = identity;
		this.#renamed = renamed;
	}

	nameHere(userId: string): string {
		return this.#renamed.get(userId) ?? userId;
	}

	async load(userIds: Iterable<string>): Promise<void> {
		for (const userId of userIds) {
			if (!this.#found.has(userId)) {
				this.#found.set(userId, await this.#identity.accounts.find(this.nameHere(userId)));
			}
		}
	}

	findOwner(userId: string): AccountId | undefined {
		const account = this.#found.get(userId);
		return account?.parentId === null ? account.id : undefined;
	}

	/** Returns the id of an account that belongs to a primary account, or is it. */
	findUser(userId: string, ownerId: AccountId): AccountId | undefined {
		const account = this.#found.get(userId);
		return account?.parentId === ownerId || account?.id === ownerId ? account.id : undefined;
	}
}
