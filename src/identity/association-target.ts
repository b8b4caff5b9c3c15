import type { AccountId } from '../database/ids.ts';
import { ServiceError } from '../errors.ts';
import type { Accounts } from './accounts.ts';
import type { Principal } from './principal.ts';

/**
 * Returns the account with which a token may be associated: an active primary account of this installation (spec §2.3).
 * A blocked or disabled account is not active. Another account's sub-user looks the same as a missing account.
 * @throws ServiceError
 */
export async function resolveAssociationTarget(
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
	throw new ServiceError('bad-input-data', {
		field: 'merchantId',
		problem: 'expected the user ID of an active primary account',
	});
}
