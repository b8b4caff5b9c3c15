// Finds the account whose access a page shows: that of the viewer, or one of its sub-users and properties.

import { ServiceError } from '../../../../../base/errors.ts';
import type { Account } from '../../../../../people/identity/accounts/accounts.ts';
import type { Identity } from '../../../../../people/identity/identity.ts';
import type { Right } from '../../../../../people/portal-users/rights.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';

export interface Owner {
	readonly account: Account;
	/** The path of the page about `account`. The paths of all further pages about this account begin with it. */
	readonly base: `/portal/access${string}`;
	/** The viewer's account, if `account` is one of its sub-users or properties. */
	readonly parent?: Account;
}

/** Answers a request for an access page of the given account. */
export type OwnerPage = (call: PortalCall, owner: Owner) => Promise<PortalAnswer>;

/** Returns two routes of a page: one for the account of the viewer, and one for its sub-users and properties. */
export function ownerPages(
	{ accounts }: Pick<Identity, 'accounts'>,
	{ path, method, right }: { path: string; method: 'GET' | 'POST'; right: Right },
	handle: OwnerPage,
): PortalPage[] {
	const own = async (call: PortalCall): Promise<Account> => {
		const account = await accounts.findById(call.viewer.account!.id);
		if (!account) throw nothingThere();
		return account;
	};
	return [
		{
			...{ method, right, path: `/portal/access${path}` },
			handle: async (call) => handle(call, { account: await own(call), base: '/portal/access' }),
		},
		{
			...{ method, right, path: `/portal/access/of/:user${path}` },
			async handle(call) {
				const parent = await own(call);
				const account = await accounts.find(call.params.user);
				if (account?.parentId !== parent.id) throw nothingThere();
				return handle(call, { account, parent, base: `/portal/access/of/${encodeURIComponent(account.userId)}` });
			},
		},
	];
}

/**
 * Returns the error for an account of somebody else. It is the same as for an account that does not exist, so that nobody
 * learns which accounts exist.
 */
export function nothingThere(): ServiceError {
	return new ServiceError('uri-not-found');
}
