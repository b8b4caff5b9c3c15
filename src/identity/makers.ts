// Identifies the caller who made something that outlasts the caller's session: a card request and its forms. It ends
// with the API key that made it or, if a portal user made it, with the account.

import type { AccountId } from '../database/ids.ts';
import type { Accounts } from './accounts.ts';
import type { Permission } from './permissions.ts';
import type { Principal } from './principal.ts';

/** The permissions of what a portal user has made. Whether the user may make it is checked at that time. */
const OF_PORTAL_USERS: ReadonlySet<Permission> = new Set(['CardRequest']);

/** Returns the number that is stored for the maker: the id of an API key, or the negative id of a portal user. */
export function makerIdOf({ apiKeyId, portalUserId }: Pick<Principal, 'apiKeyId' | 'portalUserId'>): number {
	if (apiKeyId !== undefined) return apiKeyId;
	if (portalUserId !== undefined) return -portalUserId;
	throw new Error('internal error: this must be made with an API key or in the portal');
}

/** Returns the caller that such a number identifies, or null if the API key or the account is no longer in use. */
export type FindMaker = (makerId: number, accountId: AccountId) => Promise<Principal | null>;

export function makers({
	accounts,
	byApiKeyId,
}: {
	readonly accounts: Pick<Accounts, 'findById'>;
	byApiKeyId(id: number): Promise<Principal | null>;
}): FindMaker {
	return async (makerId, accountId) => {
		if (makerId > 0) return byApiKeyId(makerId);
		const account = await accounts.findById(accountId);
		const owner = account?.parentId == null ? account : await accounts.findById(account.parentId);
		if (!account || !owner || account.disabledAt || owner.disabledAt) return null;
		const isBlocked = account.blockedAt !== null || owner.blockedAt !== null;
		return {
			...{ accountId: account.id, userId: account.userId, kind: account.kind, ownerId: owner.id },
			...{ portalUserId: -makerId, method: 'portal', permissions: OF_PORTAL_USERS, isBlocked },
			isUnmetered: owner.allowanceLimit === null && !isBlocked,
			cvvRetention: account.cvvRetention || owner.cvvRetention,
		};
	};
}
