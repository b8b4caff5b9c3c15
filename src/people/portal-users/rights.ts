// Lists, in one table, the rights that each role has in the portal. docs/portal.md shows the same table, and a test
// compares the two.

import type { Permission } from '../identity/permissions.ts';

/** Lists the roles of the users of an account. Those of operators are in src/people/operators/roles.ts. */
export const ACCOUNT_ROLES = ['viewer', 'clerk', 'developer', 'manager'] as const;
export type AccountRole = (typeof ACCOUNT_ROLES)[number];
export type PortalRole = AccountRole | 'operator';

/** Lists the rights. Each begins with the area of the portal to which it belongs. */
export const RIGHTS = [
	...(['overview.see', 'files.see', 'files.upload', 'files.fetch', 'files.numbers', 'files.change'] as const),
	...(['folders.see', 'folders.change', 'cards.see', 'cards.change', 'cards.give', 'cards.delete'] as const),
	...(['requests.see', 'requests.make', 'routes.see', 'routes.change', 'events.change'] as const),
	...(['parties.see', 'parties.change', 'payments.see'] as const),
	...(['credentials.change', 'access.see', 'access.change', 'people.see', 'people.change', 'trail.see'] as const),
	...(['installation.see', 'installation.change'] as const),
] as const;
export type Right = (typeof RIGHTS)[number];

const VIEWER: readonly Right[] = [
	...(['overview.see', 'files.see', 'folders.see', 'cards.see', 'requests.see', 'routes.see', 'parties.see'] as const),
];
const FILES: readonly Right[] = ['files.upload', 'files.fetch'];
const OF_INSTALLATION: readonly Right[] = ['installation.see', 'installation.change'];

/** Lists the rights of each role. For some rights, an operator also needs a certain operator role (`entitled.ts`). */
export const ROLE_RIGHTS: Readonly<Record<PortalRole, ReadonlySet<Right>>> = {
	viewer: new Set(VIEWER),
	clerk: new Set([
		...([...VIEWER, ...FILES, 'files.change', 'requests.make', 'cards.change', 'cards.give'] as const),
		...(['routes.change', 'payments.see'] as const),
	]),
	developer: new Set([
		...([...VIEWER, ...FILES, 'folders.change', 'routes.change', 'events.change'] as const),
		...(['parties.change', 'payments.see', 'access.see'] as const),
	]),
	manager: new Set(RIGHTS.filter((right) => !OF_INSTALLATION.includes(right))),
	operator: new Set([...OF_INSTALLATION, 'overview.see']),
};

/**
 * Lists the rights that a user has only in a session that was opened with a second factor: with them, full card numbers
 * reach the user or another account.
 */
export const RIGHTS_WITH_SECOND_FACTOR: ReadonlySet<Right> = new Set(['files.numbers', 'cards.give']);

/**
 * Lists the rights with which card numbers can get out of the account: to the user, to another account, to whoever holds a
 * key, to the hosts of a profile, or from one partner to another by a route. In production, a role with one of them needs a second factor (PCI DSS 8.4.2).
 */
const RIGHTS_TO_GIVE_CARDS: readonly Right[] = [
	...(['files.numbers', 'cards.give', 'routes.change', 'parties.change', 'credentials.change'] as const),
	'access.change',
];

/** Tells whether users of this role can let card numbers out of the account. */
export function canGiveCards(role: PortalRole): boolean {
	return RIGHTS_TO_GIVE_CARDS.some((right) => ROLE_RIGHTS[role].has(right));
}

/**
 * Lists the rights with which a user changes who gets in. Such a change needs the password or a second factor, shown a
 * short time before (PCI DSS 8.3.3).
 */
export const RIGHTS_WITH_PROOF: ReadonlySet<Right> = new Set(['access.change', 'people.change']);

/**
 * Lists the permissions of the interface that each right includes. `DisplayCard` is not among them, because the portal
 * never shows a card number.
 */
const PERMISSIONS: Partial<Record<Right, readonly Permission[]>> = {
	'files.upload': ['FileTokenize'],
	'files.numbers': ['FileDetokenize'],
	'cards.see': ['QueryTokens'],
	'cards.change': ['Tokenize'],
	'cards.give': ['Associate'],
	'cards.delete': ['DeleteToken'],
	'requests.make': ['CardRequest'],
	'routes.see': ['QueryRoutes'],
	'routes.change': ['ManageRoutes'],
	'events.change': ['ManageEvents'],
	'parties.change': ['ManageProfiles'],
	'credentials.change': ['Gateway'],
};

export function isAccountRole(text: string): text is AccountRole {
	return (ACCOUNT_ROLES as readonly string[]).includes(text);
}

export function rightsOf(role: PortalRole, session: { readonly hasSecondFactor: boolean }): ReadonlySet<Right> {
	const rights = ROLE_RIGHTS[role];
	if (session.hasSecondFactor) return rights;
	return new Set([...rights].filter((right) => !RIGHTS_WITH_SECOND_FACTOR.has(right)));
}

/** Returns the permissions of these rights. The portal acts with them when it calls functions for the user. */
export function permissionsOf(rights: ReadonlySet<Right>): ReadonlySet<Permission> {
	return new Set([...rights].flatMap((right) => PERMISSIONS[right] ?? []));
}
