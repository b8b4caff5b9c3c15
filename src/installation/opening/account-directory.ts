import { shared } from '../../base/database/gather.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { openMessageThreads } from '../../base/openpgp/message-threads.ts';
import type { Settings } from '../../base/settings/settings.ts';
import type { AccountDirectory } from '../../engine/engine.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { type Messages, openMessages } from '../../work/pgp/messages.ts';

/** Provides the facts about accounts that the engine for card files needs; they come from `src/people/identity`. */
export function accountDirectory(identity: Pick<Identity, 'accounts' | 'findAssociationTarget'>): AccountDirectory {
	const get = shared(async (id: Parameters<AccountDirectory['getAccount']>[0]) => {
		const account = await identity.accounts.findById(id);
		if (!account) throw new Error(`internal error: account ${id} does not exist`);
		return account;
	});
	return {
		async getAccount(accountId) {
			const account = await get(accountId);
			const owner = account.parentId === null ? account : await get(account.parentId);
			return {
				accountId,
				ownerId: owner.id,
				// True if the account or its owner may keep CVVs.
				hasCvvRetention: account.cvvRetention || owner.cvvRetention,
			};
		},
		async resolveMerchant(accountId, userId) {
			const { ownerId } = await this.getAccount(accountId);
			// The options of an account are a standing order. Whoever sets them needs the permission to give cards away, not
			// whoever brings a file.
			return identity.findAssociationTarget({ ownerId }, userId);
		},
	};
}

/**
 * Opens what decrypts and encrypts files of accounts, for a daemon, a worker thread or a command. Its threads start when
 * they are first needed.
 */
export function accountMessages(
	{ database, keyRing, identity }: { database: Database; keyRing: KeyRing; identity: Identity },
	{ transfer }: Pick<Settings, 'transfer'>,
	opened: <T extends { close(): Promise<void> }>(name: string, resource: T) => T,
): Messages {
	const threads = opened('threads for OpenPGP messages', openMessageThreads());
	const maxFileBytes = transfer.maxFileBytes ?? undefined;
	return openMessages({ database, keyRing, accounts: accountDirectory(identity), threads, maxFileBytes });
}
