// Lists the columns of accounts, credentials and the like that seals cover: everything that decides who may log in and
// what they may do. Blocks and allowances are not covered, because they only restrict callers who may log in anyway.

import type { RowShape } from '../../base/keys/rows/row-seals.ts';

export const sealedAccounts: RowShape = {
	table: 'accounts',
	id: ['id'],
	columns: ['user_id', 'kind', 'parent_id', 'cvv_retention', 'disabled_at', 'generation'],
	freshness: { by: 'ended-rows', generation: 'generation' },
};

export const sealedApiKeys: RowShape = {
	table: 'api_keys',
	id: ['id'],
	columns: [
		...['account_id', 'hash', 'key_id', 'permissions', 'created_at', 'ends_at', 'revoked_at', 'version'],
		...['valid_until', 'from_ranges'],
	],
	freshness: { by: 'ended-rows', generation: 'version' },
};

export const sealedSshKeys: RowShape = {
	table: 'ssh_keys',
	id: ['id'],
	columns: ['account_id', 'fingerprint', 'blob', 'permissions', 'created_at', 'from_ranges', 'generation'],
	freshness: { by: 'ended-rows', generation: 'generation' },
};

export const sealedSessionTokens: RowShape = {
	table: 'session_tokens',
	id: ['hash'],
	columns: ['account_id', 'api_key_id', 'expires_at'],
	freshness: {
		by: 'nothing',
		because: 'it works for five minutes, which its seal covers, and before that it ends only with its API key',
	},
};

export const sealedOrigins: RowShape = {
	table: 'origins',
	id: ['account_id', 'origin'],
	columns: ['created_at'],
	freshness: { by: 'ended-rows', generation: 'created_at' },
};
