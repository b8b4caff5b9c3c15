// Lists the columns that the seals of the portal's rows cover: everything that decides who gets in and what they may
// do. Counts of failed attempts are not covered, because they can only shut users out.

import type { RowShape } from '../../base/keys/rows/row-seals.ts';

export const sealedPortalUsers: RowShape = {
	table: 'portal_users',
	id: ['id'],
	columns: [
		...['account_id', 'operator', 'name', 'role', 'password_hash', 'has_factor', 'version'],
		...['created_at', 'blocked_at'],
	],
	freshness: { by: 'ended-rows', generation: 'version' },
};

export const sealedPortalLinks: RowShape = {
	table: 'portal_links',
	id: ['hash'],
	columns: ['account_id', 'user_id', 'user_version', 'created_at', 'expires_at'],
	freshness: { by: 'ended-rows', until: 'expires_at' },
};

export const sealedPortalTotp: RowShape = {
	table: 'portal_totp',
	id: ['user_id'],
	columns: ['account_id', 'sealed', 'confirmed_at', 'created_at'],
	freshness: { by: 'ended-rows', generation: 'created_at' },
};

export const sealedPortalPasskeys: RowShape = {
	table: 'portal_passkeys',
	id: ['credential_id'],
	columns: ['user_id', 'account_id', 'public_key', 'created_at'],
	freshness: { by: 'ended-rows', generation: 'created_at' },
};

export const sealedPortalRecoveryCodes: RowShape = {
	table: 'portal_recovery_codes',
	id: ['user_id', 'hash'],
	columns: ['account_id', 'created_at'],
	freshness: { by: 'ended-rows' },
};

export const sealedPortalIdentities: RowShape = {
	table: 'portal_identities',
	id: ['id'],
	columns: ['issuer', 'subject', 'user_id', 'account_id', 'given_role', 'created_at'],
	freshness: { by: 'ended-rows', generation: 'created_at' },
};

export const sealedPortalDirectory: RowShape = {
	table: 'portal_directory',
	id: ['user_id'],
	columns: ['account_id', 'external_id', 'created_at'],
	freshness: { by: 'ended-rows', generation: 'created_at' },
};

export const sealedPortalGroups: RowShape = {
	table: 'portal_groups',
	id: ['id'],
	columns: ['account_id', 'name', 'external_id', 'created_at'],
	freshness: { by: 'ended-rows', generation: 'created_at' },
};

export const sealedPortalMemberships: RowShape = {
	table: 'portal_memberships',
	id: ['user_id'],
	columns: ['account_id', 'group_ids', 'given_role', 'created_at'],
	freshness: { by: 'ended-rows', generation: 'created_at' },
};

export const sealedPortalSessions: RowShape = {
	table: 'portal_sessions',
	id: ['id'],
	columns: [...['hash', 'user_id', 'account_id', 'user_version', 'kind', 'has_second_factor', 'created_at', 'ends_at']],
	freshness: { by: 'ended-rows', until: 'ends_at' },
};
