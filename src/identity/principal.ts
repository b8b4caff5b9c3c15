import type { Caller } from '../actor.ts';
import type { AccountId } from '../database/ids.ts';
import type { AccountKind } from './account-store.ts';
import type { Permission } from './permissions.ts';

export type LoginMethod = 'api-key' | 'session-token' | 'access-token' | 'ssh-key';

/** Who is calling, once a credential was accepted. */
export interface Principal {
	readonly accountId: AccountId;
	readonly userId: string;
	readonly kind: AccountKind;
	/** The primary account: itself, or the parent of a sub-user or property. Tokens and profiles are its (spec §2.1). */
	readonly ownerId: AccountId;
	/** Absent for an SSH key. */
	readonly apiKeyId?: number;
	/** Present for an SSH key alone. */
	readonly sshKeyId?: number;
	/** Where the call or session comes from, as far as its door knows. */
	readonly address?: string;
	/** When the session token or access token ends; its API key may end before. */
	readonly endsAtMs?: number;
	/** The account or its owner was blocked when the credential was checked. */
	readonly isBlocked?: boolean;
	readonly permissions: ReadonlySet<Permission>;
	/** Neither blocked nor limited when the credential was checked: its calls are counted without asking first. */
	readonly isUnmetered?: boolean;
	/** Set on the account itself or on its owner. */
	readonly cvvRetention: boolean;
	readonly method: LoginMethod;
}

/** The credential by its id, as the audit trail names it; a session or access token is named by its API key. */
export function credentialOf({ apiKeyId, sshKeyId }: Pick<Principal, 'apiKeyId' | 'sshKeyId'>): string | null {
	if (apiKeyId !== undefined) return `api-key ${apiKeyId}`;
	return sshKeyId === undefined ? null : `ssh-key ${sshKeyId}`;
}

/** The caller as the audit trail names them. */
export function actorOf(principal: Pick<Principal, 'userId' | 'apiKeyId' | 'sshKeyId' | 'address'>): Caller {
	const { userId, address } = principal;
	return { userId, credential: credentialOf(principal), ...(address !== undefined && { address }) };
}

/** Whose a card is that the caller stores, and by whom: it belongs to the primary account (spec §2.1). */
export function storedBy(principal: Principal) {
	const { ownerId, accountId } = principal;
	return { accountId: ownerId, creatorId: accountId, actor: actorOf(principal) };
}
