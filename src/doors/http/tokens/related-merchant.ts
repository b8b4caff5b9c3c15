// Finds the merchants by which an account narrows the list of its tokens, and from which it takes one.

import type { AccountId } from '../../../base/database/ids.ts';
import { badInput } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
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
	parts: { readonly identity: Pick<Identity, 'findAssociationTarget'>; readonly vault: Pick<Vault, 'search'> },
	{ ownerId }: Pick<Principal, 'ownerId'>,
	merchantId: string,
): Promise<AccountId> {
	const { identity, vault } = parts;
	const merchant = await identity.findAssociationTarget({ ownerId }, merchantId);
	if (merchant === ownerId) return merchant;
	const any = { merchantId: merchant, limit: 1, budgetMs: Number.POSITIVE_INFINITY };
	if ((await vault.search(ownerId, any)).found.length === 0) throw noActiveAccount();
	return merchant;
}

/**
 * Returns the account that a merchant id names, even if it is blocked. Sub-users and properties of other accounts are
 * answered as if they did not exist, so that nobody learns of them (shapes §11).
 * @throws ServiceError if there is no such account
 */
export async function getMerchant(
	{ accounts }: Pick<Identity, 'accounts'>,
	{ ownerId }: Pick<Principal, 'ownerId'>,
	merchantId: string,
): Promise<AccountId> {
	const account = await accounts.find(merchantId);
	if (account?.kind === 'primary' || account?.parentId === ownerId) return account.id;
	throw badInput('merchantId', 'no such account', told('not-there'));
}
