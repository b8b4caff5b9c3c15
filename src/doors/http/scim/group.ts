// The document of a group (RFC 7643, section 4.2).

import type { DirectoryGroup, DirectoryGroupChange } from '../../../people/portal-users/directory/groups.ts';
import { type Attributes, isAbsent, listOf, optionalText, text, userIdOf, wrong } from './exchange.ts';
import type { Patchable } from './patch.ts';

export const GROUP_SCHEMA = 'urn:ietf:params:scim:schemas:core:2.0:Group';

export const PATCHABLE_GROUP: Patchable = {
	schema: GROUP_SCHEMA,
	attributes: ['displayName', 'externalId', 'members'],
	parts: { members: ['value', 'display', 'type', '$ref'] },
	lists: ['members'],
	required: ['displayName'],
};

export function groupDocument(
	{ id, name, externalId, members }: DirectoryGroup,
	root: string,
	{ withMembers }: { readonly withMembers: boolean },
) {
	return {
		schemas: [GROUP_SCHEMA],
		id: String(id),
		externalId,
		displayName: name,
		...(withMembers && {
			members: members.map((member) => ({ value: String(member), type: 'User', $ref: `${root}/Users/${member}` })),
		}),
		meta: { resourceType: 'Group', location: `${root}/Groups/${id}` },
	};
}

export function groupAttributes({ name, externalId, members }: DirectoryGroup): Attributes {
	return { displayName: name, externalId, members: members.map((member) => ({ value: String(member) })) };
}

/** @throws ScimError for one that cannot be what it is */
export function readGroup({ displayName, externalId, members }: Attributes): DirectoryGroupChange {
	const name = text('displayName', displayName);
	if (name === '') throw wrong('displayName', 'expected a text');
	return { name, externalId: optionalText('externalId', externalId), members: readMembers(members) };
}

function readMembers(given: unknown): number[] {
	const ids = listOf('members', given).map((entry) => {
		const { value, type } = typeof entry === 'object' && entry !== null ? (entry as Attributes) : {};
		const id = typeof value === 'string' ? userIdOf(value) : undefined;
		const isPerson = isAbsent(type) || (typeof type === 'string' && type.toLowerCase() === 'user');
		if (id === undefined || !isPerson) throw wrong('members', 'expected people, each with the value of its id');
		return id;
	});
	return [...new Set(ids)];
}
