// Decides what users of the portal may give to others: permissions of keys, and roles. Whoever may not grant something may
// not receive a secret that carries it either.

import { allPermissions, NUMBERS_OUT, type Permission } from '../identity/permissions.ts';
import { type PortalRole, permissionsOf, RIGHTS_WITH_SECOND_FACTOR, type Right, ROLE_RIGHTS } from './rights.ts';
import type { Viewer } from './viewer.ts';

/**
 * Returns the permissions that a user may grant to keys: none that lets numbers out, because two operators grant those
 * together, and none that the user themselves would have only with a second factor.
 */
export function grantableBy({ has }: Pick<Viewer, 'has'>): ReadonlySet<Permission> {
	const lacking = permissionsOf(new Set([...RIGHTS_WITH_SECOND_FACTOR].filter((right) => !has(right))));
	return new Set([...allPermissions].filter((name) => !NUMBERS_OUT.has(name) && !lacking.has(name)));
}

/**
 * Tells whether a user may give a role to somebody, or a link to a user of this role. A role that lets numbers out is given
 * only by those who get at numbers in their own session.
 */
export function mayGive({ has }: Pick<Viewer, 'has'>, role: PortalRole): boolean {
	return numbersOutOf(role).every((right) => has(right));
}

/**
 * Tells whether a role lets numbers out. Such a role is given by people: neither a group of a provider nor a directory gives
 * it.
 */
export function letsNumbersOut(role: PortalRole): boolean {
	return numbersOutOf(role).length > 0;
}

function numbersOutOf(role: PortalRole): Right[] {
	return [...ROLE_RIGHTS[role]].filter((right) =>
		[...permissionsOf(new Set([right]))].some((name) => NUMBERS_OUT.has(name)),
	);
}
