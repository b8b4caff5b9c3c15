// Identifies the caller who created a card request and its forms, which stay in use after the caller's session. They
// end with the API key that created them or, if a portal user created them, with the account.

import type { AccountId } from '../../base/database/ids.ts';
import type { Accounts } from './accounts/accounts.ts';
import type { Permission } from './permissions.ts';
import { findPortalCaller, type Principal } from './principal.ts';

/**
 * The permissions under which card requests and their forms work if a portal user has created them. Whether the user
 * was allowed to create them was checked at that time.
 */
const OF_PORTAL_USERS: ReadonlySet<Permission> = new Set(['CardRequest']);

/** Returns the number that is stored for who creates something: the id of an API key, or minus that of a user. */
export function makerIdOf({ apiKeyId, portalUserId }: Pick<Principal, 'apiKeyId' | 'portalUserId'>): number {
	if (apiKeyId !== undefined) return apiKeyId;
	if (portalUserId !== undefined) return -portalUserId;
	throw new Error('internal error: this must be made with an API key or in the portal');
}

/** Returns the caller by a number of `makerIdOf`; null if the API key or the account is no longer in use. */
export type FindMaker = (makerId: number, accountId: AccountId) => Promise<Principal | null>;

export function makers(parts: {
	readonly accounts: Pick<Accounts, 'findById'>;
	byApiKeyId(id: number): Promise<Principal | null>;
}): FindMaker {
	const { accounts, byApiKeyId } = parts;
	return async (makerId, accountId) => {
		if (makerId > 0) return byApiKeyId(makerId);
		const caller = await findPortalCaller(accounts, accountId);
		return caller ? { ...caller, portalUserId: -makerId, permissions: OF_PORTAL_USERS } : null;
	};
}
