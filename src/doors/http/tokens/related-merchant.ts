// Finds the merchant by which an account narrows the list of its tokens.

import type { AccountId } from '../../../base/database/ids.ts';
import { noActiveAccount } from '../../../people/identity/accounts/association-target.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Principal } from '../../../people/identity/principal.ts';
import type { Vault } from '../../../vault/vault.ts';

/**
 * Returns the active primary account that a merchant id names. One that may use no token of the caller's account is answered
 * as if there were no such account, so that nobody learns which accounts exist (spec §7.4.6).
 * @throws ServiceError if there is no such account
 */
export async function findRelatedMerchant(
	{
		identity,
		vault,
	}: { readonly identity: Pick<Identity, 'findAssociationTarget'>; readonly vault: Pick<Vault, 'search'> },
	{ ownerId }: Pick<Principal, 'ownerId'>,
	merchantId: string,
): Promise<AccountId> {
	const merchant = await identity.findAssociationTarget({ ownerId }, merchantId);
	if (merchant === ownerId) return merchant;
	const any = { merchantId: merchant, limit: 1, budgetMs: Number.POSITIVE_INFINITY };
	if ((await vault.search(ownerId, any)).found.length === 0) throw noActiveAccount();
	return merchant;
}
