// Says who may do what in the portal, in one table. docs/portal.md shows the same.

const SEEN = [
	...([
		'overview.see',
		'files.see',
		'folders.see',
		'cards.see',
		'requests.see',
		'parties.see',
		'payments.see',
	] as const),
] as const;

/** Lists every right. */
export const RIGHTS = [
	...SEEN,
	...(['files.upload', 'files.fetch', 'files.numbers', 'files.change', 'folders.change'] as const),
	...(['cards.change', 'cards.delete', 'requests.make', 'parties.change', 'credentials.change'] as const),
	...(['access.see', 'access.change', 'people.see', 'people.change'] as const),
	...(['installation.see', 'installation.change'] as const),
] as const;
export type Right = (typeof RIGHTS)[number];

/** Lists the roles of the users of an account, from least to most, and that of operators. */
export const PORTAL_ROLES = ['viewer', 'clerk', 'developer', 'manager', 'operator'] as const;
export type PortalRole = (typeof PORTAL_ROLES)[number];

const OF_ROLES: Readonly<Record<PortalRole, ReadonlySet<Right>>> = {
	viewer: new Set(SEEN),
	clerk: new Set([...SEEN, 'files.upload', 'files.fetch', 'files.change', 'requests.make', 'cards.change']),
	developer: new Set([...SEEN, 'files.upload', 'files.fetch', 'folders.change', 'parties.change', 'access.see']),
	manager: new Set(RIGHTS.filter((right) => !right.startsWith('installation.'))),
	operator: new Set(['overview.see', 'installation.see', 'installation.change']),
};

/** Returns the rights of a role. */
export function rightsOf(role: PortalRole): ReadonlySet<Right> {
	return OF_ROLES[role];
}
