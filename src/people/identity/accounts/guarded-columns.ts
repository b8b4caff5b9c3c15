// Lists the columns that are read to check seals. Every request reads only the seals, which show whether the rows were
// checked a moment ago. If they were not, all columns that the seals cover are read.

import type { GuardedRows, SealedColumns } from '../credentials/credential-guard.ts';

const SEAL = ['seal_key', 'seal'] as const;
const named = (table: string, prefix: string, columns: readonly string[]) =>
	columns.map((column) => `${table}.${column} as ${prefix}${column}`);

export const ACCOUNT_SEALS = ['account.seal as a__seal', 'owner.seal as o__seal'];
export const API_KEY_SEAL = ['api_keys.account_id as c__account_id', 'api_keys.seal as c__seal'];
export const SESSION_SEAL = 'session_tokens.seal as s__seal';

const GUARDED_ACCOUNT = [
	...named('account', 'a__', ['generation', ...SEAL]),
	...named('owner', 'o__', ['user_id', 'kind', 'parent_id', 'generation', ...SEAL]),
];
export const GUARDED_API_KEY = [
	...GUARDED_ACCOUNT,
	...named('api_keys', 'c__', ['hash', 'created_at', 'version', ...SEAL]),
];
export const GUARDED_SSH_KEY = [
	...GUARDED_ACCOUNT,
	...named('ssh_keys', 'c__', ['fingerprint', 'created_at', 'generation', ...SEAL]),
];
export const GUARDED_SESSION = named('session_tokens', 's__', ['hash', ...SEAL]);

/** Splits a joined row of an API key or session token into the rows of its tables. */
export function apiKeyRows(row: SealedColumns): GuardedRows {
	const { api_key_id: id, key_id, permissions, ends_at, revoked_at, c__version: version, c__hash: hash } = row;
	const credential = {
		id,
		account_id: row.c__account_id,
		hash,
		key_id,
		permissions,
		ends_at,
		revoked_at,
		version,
		valid_until: row.valid_until,
		from_ranges: row.from_ranges,
		created_at: row.c__created_at,
		seal_key: row.c__seal_key,
		seal: row.c__seal,
	};
	if (row.s__hash === undefined) return { credential, ...accountRows(row) };
	const session = {
		hash: row.s__hash,
		account_id: row.account_id,
		api_key_id: id,
		expires_at: row.expires_at,
		seal_key: row.s__seal_key,
		seal: row.s__seal,
	};
	return { credential, session, ...accountRows(row) };
}

export function sshKeyRows(row: SealedColumns): GuardedRows {
	const { ssh_key_id: id, account_id, blob, permissions } = row;
	const credential = {
		id,
		account_id,
		blob,
		permissions,
		from_ranges: row.from_ranges,
		fingerprint: row.c__fingerprint,
		created_at: row.c__created_at,
		generation: row.c__generation,
		seal_key: row.c__seal_key,
		seal: row.c__seal,
	};
	return { credential, ...accountRows(row) };
}

function accountRows(row: SealedColumns): Pick<GuardedRows, 'account' | 'owner'> {
	const { account_id: id, user_id, kind, parent_id, cvv_retention, disabled_at } = row;
	return {
		account: {
			id,
			user_id,
			kind,
			parent_id,
			cvv_retention,
			disabled_at,
			generation: row.a__generation,
			seal_key: row.a__seal_key,
			seal: row.a__seal,
		},
		owner: {
			id: parent_id,
			user_id: row.o__user_id,
			kind: row.o__kind,
			parent_id: row.o__parent_id,
			cvv_retention: row.owner_cvv_retention,
			disabled_at: row.owner_disabled_at,
			generation: row.o__generation,
			seal_key: row.o__seal_key,
			seal: row.o__seal,
		},
	};
}
