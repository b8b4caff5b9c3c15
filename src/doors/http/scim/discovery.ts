// What a directory asks first: what this service can do, and which attributes a person and a group have (RFC 7643, sections 5 to 7).

import { letsNumbersOut } from '../../../people/portal-users/grants.ts';
import { ACCOUNT_ROLES, type AccountRole } from '../../../people/portal-users/rights.ts';
import { MOST_RESULTS } from './exchange.ts';
import { GROUP_SCHEMA } from './group.ts';
import { MAIL_PARTS, NAME_PARTS, USER_SCHEMA } from './person.ts';

const CORE = 'urn:ietf:params:scim:schemas:core:2.0';
const NO = { supported: false } as const;

export function serviceProviderConfig(root: string) {
	return {
		schemas: [`${CORE}:ServiceProviderConfig`],
		documentationUri: `${root.replace(/\/scim\/v2$/, '')}/docs/permissions`,
		patch: { supported: true },
		bulk: { ...NO, maxOperations: 0, maxPayloadSize: 0 },
		filter: { supported: true, maxResults: MOST_RESULTS },
		changePassword: NO,
		sort: NO,
		etag: NO,
		authenticationSchemes: [
			{
				type: 'oauthbearertoken',
				name: 'API key',
				description: 'An API key with the permission ManagePeople as bearer token',
				primary: true,
			},
		],
		meta: { resourceType: 'ServiceProviderConfig', location: `${root}/ServiceProviderConfig` },
	};
}

const USER = { id: USER_SCHEMA, name: 'User', description: 'Somebody who uses the portal' } as const;
const GROUP = { id: GROUP_SCHEMA, name: 'Group', description: 'People to whom rules give a role together' } as const;

export function resourceTypes(root: string) {
	return [USER, GROUP].map(({ id: schema, name, description }) => ({
		schemas: [`${CORE}:ResourceType`],
		id: name,
		name,
		description,
		endpoint: `/${name}s`,
		schema,
		meta: { resourceType: 'ResourceType', location: `${root}/ResourceTypes/${name}` },
	}));
}

export function schemas(root: string) {
	const schemaOf = (kind: typeof USER | typeof GROUP, attributes: readonly object[]) => ({
		schemas: [`${CORE}:Schema`],
		...kind,
		attributes,
		meta: { resourceType: 'Schema', location: `${root}/Schemas/${kind.id}` },
	});
	return [
		schemaOf(USER, [
			{ ...attribute('userName', 'The name with which the person signs in'), required: true, uniqueness: 'server' },
			{ ...attribute('externalId', 'How the directory calls the person'), caseExact: true },
			{ ...attribute('active', 'Whether the person may sign in'), type: 'boolean' },
			attribute('displayName', 'The name as people write it'),
			complex('name', 'The parts of the name', NAME_PARTS, false),
			complex('emails', 'The mail addresses', MAIL_PARTS, true),
			complex(
				'roles',
				`What the person may do: ${ROLES.join(', ')}; managers are made in the portal`,
				['value', 'primary'],
				true,
			),
			{
				...complex('groups', 'The groups in which the person is', ['value', 'display', '$ref'], true),
				mutability: 'readOnly',
			},
		]),
		schemaOf(GROUP, [
			{ ...attribute('displayName', 'The name, which rules name'), required: true, uniqueness: 'server' },
			{ ...attribute('externalId', 'How the directory calls the group, which rules may name too'), caseExact: true },
			complex('members', 'The people in the group', ['value', 'type', '$ref'], true),
		]),
	];
}

const ROLES: readonly AccountRole[] = ACCOUNT_ROLES.filter((role) => !letsNumbersOut(role));

function attribute(name: string, description: string) {
	return {
		...{ name, description, type: 'string', multiValued: false, required: false, caseExact: false },
		...({ mutability: 'readWrite', returned: 'default', uniqueness: 'none' } as const),
	};
}

function complex(name: string, description: string, parts: readonly string[], multiValued: boolean) {
	const subAttributes = parts.map((part) => ({
		...attribute(part, part),
		...(part === 'primary' && { type: 'boolean' }),
	}));
	return { ...attribute(name, description), type: 'complex', multiValued, subAttributes };
}
