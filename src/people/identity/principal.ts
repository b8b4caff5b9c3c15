import type { AccountId } from '../../base/database/ids.ts';
import type { Caller } from '../../trail/actor.ts';
import type { AccountKind } from './accounts/account-store.ts';
import type { Accounts } from './accounts/accounts.ts';
import type { Permission } from './permissions.ts';

export type LoginMethod = 'api-key' | 'session-token' | 'access-token' | 'ssh-key' | 'portal';

export interface Principal {
	readonly accountId: AccountId;
	readonly userId: string;
	readonly kind: AccountKind;
	/** The primary account: the account itself or the parent of it. It owns tokens and profiles (spec §2.1). */
	readonly ownerId: AccountId;
	/**
	 * The id of the API key with which the caller logged in, or with which the session or access token was created;
	 * absent for an SSH key and in the portal.
	 */
	readonly apiKeyId?: number;
	readonly sshKeyId?: number;
	readonly portalUserId?: number;
	readonly address?: string;
	/** The name with which a user of the portal signs in; absent for any other caller. */
	readonly person?: string;
	/** The `X-Request-Id` of the call over HTTP in which the caller is here. */
	readonly requestId?: string;
	/** The time when the session token or access token ends. Its API key may end before. */
	readonly endsAtMs?: number;
	/** True if the account or its owner was blocked when the credential was checked. */
	readonly isBlocked?: boolean;
	readonly permissions: ReadonlySet<Permission>;
	/**
	 * True if the account was not blocked when the credential was checked, and the account that pays had no limit. Its
	 * calls are then counted without asking the database for the allowance first.
	 */
	readonly isUnmetered?: boolean;
	/** True if the account or its owner may keep CVVs. */
	readonly cvvRetention: boolean;
	readonly method: LoginMethod;
}

/**
 * Returns the credential's id as the audit trail names it. A session or access token is named by its API key, and a
 * session of the portal by its user.
 */
export function credentialOf(principal: Pick<Principal, 'apiKeyId' | 'sshKeyId' | 'portalUserId'>): string | null {
	const { apiKeyId, sshKeyId, portalUserId } = principal;
	if (apiKeyId !== undefined) return `api-key ${apiKeyId}`;
	if (portalUserId !== undefined) return `portal-user ${portalUserId}`;
	return sshKeyId === undefined ? null : `ssh-key ${sshKeyId}`;
}

/** Returns the caller as the audit trail names them. */
export function actorOf(
	principal: Pick<Principal, 'userId' | 'apiKeyId' | 'sshKeyId' | 'portalUserId' | 'address'> &
		Partial<Pick<Principal, 'ownerId' | 'person' | 'requestId'>>,
): Caller {
	const { userId, ownerId: accountId, person, address, requestId } = principal;
	return {
		userId,
		credential: credentialOf(principal),
		...(accountId !== undefined && { accountId }),
		...(person !== undefined && { person }),
		...(address !== undefined && { address }),
		...(requestId !== undefined && { requestId }),
	};
}

/**
 * Returns what is stored with a new card of the caller: the owner, which is the primary account (spec §2.1), the
 * creator, and the actor, which is the caller as the audit trail names them.
 */
export function storedBy(principal: Principal) {
	const { ownerId, accountId } = principal;
	return { accountId: ownerId, creatorId: accountId, actor: actorOf(principal) };
}

/**
 * Returns what an account, with the one that owns it, lets a user of the portal be as a caller; undefined if either is
 * disabled or gone. The permissions are the user's.
 */
export async function findPortalCaller(accounts: Pick<Accounts, 'findById'>, id: AccountId) {
	const account = await accounts.findById(id);
	const owner = account?.parentId == null ? account : await accounts.findById(account.parentId);
	if (!account || !owner || account.disabledAt || owner.disabledAt) return undefined;
	const isBlocked = account.blockedAt !== null || owner.blockedAt !== null;
	return {
		accountId: account.id,
		userId: account.userId,
		kind: account.kind,
		ownerId: owner.id,
		method: 'portal',
		isBlocked,
		isUnmetered: owner.allowanceLimit === null && !isBlocked,
		cvvRetention: account.cvvRetention || owner.cvvRetention,
	} satisfies Omit<Principal, 'permissions'>;
}

/** Names whose things are changed: a primary account, by its id, and by its user ID for the audit trail. */
export interface Owner {
	readonly accountId: AccountId;
	readonly userId: string;
}
