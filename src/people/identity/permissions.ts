import { badInput, ServiceError } from '../../base/errors.ts';
import { told } from '../../base/failures.ts';
import type { AccountKind } from './accounts/account-store.ts';
import type { Principal } from './principal.ts';

/** Lists every permission, in the order in which sets are written (shapes §9). */
export const permissions = [
	...(['Tokenize', 'QueryTokens', 'DeleteToken', 'Associate', 'Relay', 'Capture', 'DisplayCard'] as const),
	...(['CardRequest', 'Gateway', 'FileTokenize', 'FileDetokenize', 'DataBlocks', 'ManageProfiles'] as const),
	...(['ManageRoutes', 'QueryRoutes', 'ManageEvents', 'EliminateDuplicates'] as const),
	...(['ManagePeople'] as const),
] as const;

export type Permission = (typeof permissions)[number];

/** With these permissions a caller gets card numbers in clear. Two operators together grant them, nobody by default. */
export const NUMBERS_OUT: ReadonlySet<Permission> = new Set(['FileDetokenize', 'DisplayCard']);

export const allPermissions: ReadonlySet<Permission> = new Set(permissions);
/** The directory of an account has `ManagePeople` alone, so that no other program decides who gets in. */
export const defaultPermissions: ReadonlySet<Permission> = new Set(
	permissions.filter((name) => !NUMBERS_OUT.has(name) && name !== 'ManagePeople'),
);
/**
 * These permissions are not granted by default to sub-users and properties, whose credentials are given to others.
 * `EliminateDuplicates` lets a credential find out whether a number is known, and `Associate` hands all cards of the
 * primary account to any other account. With `ManageEvents` it is told what happens in the whole primary account.
 */
const NOT_FOR_OTHERS: ReadonlySet<Permission> = new Set([
	...(['EliminateDuplicates', 'Associate', 'ManageEvents'] as const),
]);
const defaultPermissionsOfOthers: ReadonlySet<Permission> = new Set(
	[...defaultPermissions].filter((name) => !NOT_FOR_OTHERS.has(name)),
);

export function defaultPermissionsOf({ kind }: { readonly kind: AccountKind }): ReadonlySet<Permission> {
	return kind === 'primary' ? defaultPermissions : defaultPermissionsOfOthers;
}

/**
 * Reads a list of permissions such as `Tokenize,Relay`, or `all`.
 * @throws ServiceError that names the unknown permissions
 */
export function parsePermissions(text: string): ReadonlySet<Permission> {
	if (text.trim() === 'all') return allPermissions;
	const names = text.split(',').map((name) => name.trim());
	const unknown = names.filter((name) => !isPermission(name));
	if (unknown.length > 0) {
		const problem = `${unknown.map((name) => `'${name}'`).join(', ')} not known; expected some of ${permissions.join(', ')}`;
		throw badInput('permissions', problem);
	}
	return new Set(names as Permission[]);
}

/** Returns a set of permissions as text, always in the same order, for storage and display. */
export function formatPermissions(set: ReadonlySet<Permission>): string {
	return permissions.filter((name) => set.has(name)).join(',');
}

/** Caches sets of permissions by their stored text, because there are few and every request needs one. */
const known = new Map<string, ReadonlySet<Permission>>();
const MAX_KNOWN = 1_000;

/** Reads a text that `formatPermissions` wrote; a permission that this build no longer knows is dropped. */
export function readPermissions(text: string): ReadonlySet<Permission> {
	let set = known.get(text);
	if (!set) {
		if (known.size === MAX_KNOWN) known.clear();
		known.set(text, (set = new Set(text.split(',').filter(isPermission))));
	}
	return set;
}

/** Returns the error about a permission that a caller lacks, whose message names it (spec §5.4.2). */
export function missingPermission(permission: Permission): ServiceError {
	const moreInfo = `Permission ${permission} is required`;
	return new ServiceError('permission-denied', { moreInfo, told: told('permission-missing', { permission }) });
}

/**
 * Checks that the caller has a permission.
 * @throws ServiceError whose message names the permission (spec §5.4.2)
 */
export function requirePermission(principal: Pick<Principal, 'permissions'>, permission: Permission): void {
	if (principal.permissions.has(permission)) return;
	throw missingPermission(permission);
}

function isPermission(name: string): name is Permission {
	return allPermissions.has(name as Permission);
}
