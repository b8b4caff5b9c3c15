import type { AccountId } from '../../../base/database/ids.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import { requireEffect } from '../effects.ts';
import type { Principal } from '../principal.ts';
import type { Accounts } from './accounts.ts';

/**
 * Returns the account to which a caller gives a card, by associating the token with it: an active primary account of this
 * installation (spec §2.3). Every call that gives a card away gets the account from here, so the permission for that is
 * checked here.
 * @throws ServiceError if the caller may not give cards away, or not to this account
 */
export async function resolveAssociationTarget(
	accounts: Pick<Accounts, 'find'>,
	principal: Pick<Principal, 'ownerId' | 'permissions'>,
	merchantId: string,
): Promise<AccountId> {
	requireEffect(principal, 'gives-away');
	return findAssociationTarget(accounts, principal, merchantId);
}

/**
 * Returns the active primary account that a merchant id names, for calls that give nothing away. A blocked or disabled
 * account is not active. Another account's sub-user looks the same as a missing account.
 * @throws ServiceError if there is no such account
 */
export async function findAssociationTarget(
	accounts: Pick<Accounts, 'find'>,
	principal: Pick<Principal, 'ownerId'>,
	merchantId: string,
): Promise<AccountId> {
	const account = await accounts.find(merchantId);
	if (account?.kind === 'primary' && account.blockedAt === null && account.disabledAt === null) return account.id;
	if (account?.parentId === principal.ownerId) {
		throw new ServiceError('association-target-invalid', {
			field: 'merchantId',
			problem: 'expected a primary account',
		});
	}
	throw noActiveAccount();
}

/** The error for a merchant id that names no active primary account, or one that the caller must not know. */
export function noActiveAccount(): ServiceError {
	return badInput('merchantId', 'expected the user ID of an active primary account', told('not-there'));
}
