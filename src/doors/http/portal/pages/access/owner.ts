// Finds the account whose access a page shows: that of the viewer, or one of its sub-users and properties.

import { html } from '../../../../../base/pages/html.ts';
import type { Account } from '../../../../../people/identity/accounts/accounts.ts';
import type { Identity } from '../../../../../people/identity/identity.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';

export const ACCESS = '/portal/access';
export const accessGroup = pagesOf({ section: 'access', help: '/docs/portal#access' });

export interface Owner {
	readonly account: Account;
	/** The path of the page about `account`. The paths of all further pages about this account begin with it. */
	readonly base: `/portal/access${string}`;
	/** The viewer's account, if `account` is one of its sub-users or properties. */
	readonly parent?: Account;
}

/** Finds the account that a call is about. Any account of somebody else is treated as if it did not exist. */
export async function findOwner(
	{ accounts }: Pick<Identity, 'accounts'>,
	call: PortalCall,
): Promise<Owner | undefined> {
	const own = await accounts.findById(call.viewer.account!.id);
	const { user } = call.params;
	if (!own || user === undefined) return own && { account: own, base: ACCESS };
	const account = await accounts.find(user);
	if (account?.parentId !== own.id) return undefined;
	return { account, parent: own, base: `${ACCESS}/of/${encodeURIComponent(account.userId)}` };
}

/** Returns pages twice: for the account of the viewer, and for its sub-users and properties. */
export function forOwners(pagesUnder: (base: `/portal/access${string}`) => PortalPage[]): PortalPage[] {
	return [ACCESS, `${ACCESS}/of/:user`].flatMap((base) => pagesUnder(base as typeof ACCESS));
}

/** Returns the link from a page to the one about the account. */
export function backPart({ base }: Pick<Owner, 'base'>, { say }: PortalCall) {
	return html`<p><a href="${base}">${say('access.cancel')}</a></p>`;
}
