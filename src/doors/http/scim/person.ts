// The document of a person (RFC 7643, section 4.1): the attributes that are kept, and no others.

import type {
	DirectoryChange,
	DirectoryPerson,
	DirectoryProfile,
} from '../../../people/portal-users/directory/directory.ts';
import type { DirectoryGroups } from '../../../people/portal-users/directory/groups.ts';
import { isAccountRole } from '../../../people/portal-users/rights.ts';
import { type Attributes, asObject, isAbsent, listOf, optionalText, text, wrong } from './exchange.ts';
import type { Patchable } from './patch.ts';

export const USER_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:User';

/** What can be written, in the words of SCIM. A list has the values of its first or primary entry. */
export const NAME_PARTS = ['formatted', 'familyName', 'givenName', 'middleName'] as const;
export const MAIL_PARTS = ['value', 'display', 'type', 'primary'] as const;

export const PATCHABLE_USER: Patchable = {
	schema: USER_SCHEMA,
	attributes: ['userName', 'externalId', 'active', 'displayName', 'name', 'emails', 'roles'],
	parts: { name: NAME_PARTS, emails: MAIL_PARTS, roles: ['value', 'primary', 'display', 'type'] },
	lists: ['emails'],
	required: ['userName', 'active'],
};

export function documentOf(
	{ user, userName, externalId, profile }: DirectoryPerson,
	root: string,
	groupsOf: Awaited<ReturnType<DirectoryGroups['listByMember']>> = new Map(),
) {
	const groups = (groupsOf.get(user.id) ?? []).map(({ group: { id, name } }) => ({
		value: String(id),
		display: name,
		$ref: `${root}/Groups/${id}`,
	}));
	return {
		schemas: [USER_SCHEMA],
		id: String(user.id),
		externalId,
		userName,
		...profile,
		active: user.blockedAt === null,
		roles: [{ value: user.role, primary: true }],
		...(groups.length > 0 && { groups }),
		meta: {
			resourceType: 'User',
			created: user.createdAt.toISOString(),
			lastModified: user.changedAt.toISOString(),
			location: `${root}/Users/${user.id}`,
		},
	};
}

export function attributesOf({ user, userName, externalId, profile }: DirectoryPerson): Attributes {
	return structuredClone({
		userName,
		externalId,
		active: user.blockedAt === null,
		roles: [{ value: user.role }],
		...profile,
	});
}

/** @throws ScimError for one that cannot be what it is */
export function readPerson(given: Attributes): DirectoryChange & { readonly userName: string } {
	const { userName, externalId, active, roles, ...said } = given;
	if (typeof userName !== 'string' || userName === '') throw wrong('userName', 'expected a text');
	return {
		userName,
		externalId: optionalText('externalId', externalId),
		isActive: active === undefined ? undefined : readActive(active),
		role: readRole(roles),
		profile: readProfile(said),
	};
}

/** Reads whether somebody is active. Entra ID writes `"False"` as a text. */
function readActive(value: unknown): boolean {
	if (typeof value === 'boolean') return value;
	if (typeof value === 'string' && /^(true|false)$/i.test(value)) return value.toLowerCase() === 'true';
	throw wrong('active', 'expected true or false');
}

/** Reads the role: that of the primary entry, or of the first; undefined if there is none, so that the role stays. */
function readRole(roles: unknown): DirectoryChange['role'] {
	const entries = listOf('roles', roles).map((entry) =>
		typeof entry === 'string' ? { value: entry } : asObject('roles', entry),
	);
	const { value } = entries.find(({ primary }) => isTrue(primary)) ?? entries[0] ?? {};
	if (value === undefined || value === null || value === '') return undefined;
	const name = text('roles', value);
	if (!isAccountRole(name)) throw wrong('roles', 'expected viewer, clerk or developer');
	return name;
}

function readProfile({ displayName, name, emails }: Attributes): DirectoryProfile {
	const mails = listOf('emails', emails).map((entry) => parts('emails', asObject('emails', entry), MAIL_PARTS));
	const names = isAbsent(name) ? {} : parts('name', asObject('name', name), NAME_PARTS);
	return {
		...(!isAbsent(displayName) && { displayName: text('displayName', displayName) }),
		...(Object.keys(names).length > 0 && { name: names as Record<string, string> }),
		...(mails.length > 0 && { emails: mails }),
	};
}

function parts(field: string, given: Attributes, known: readonly string[]): Record<string, string | boolean> {
	const kept = known.filter((key) => !isAbsent(given[key]));
	return Object.fromEntries(
		kept.map((key) => [key, key === 'primary' ? isTrue(given[key]) : text(`${field}.${key}`, given[key])]),
	);
}

function isTrue(value: unknown): boolean {
	return value === true || (typeof value === 'string' && value.toLowerCase() === 'true');
}
