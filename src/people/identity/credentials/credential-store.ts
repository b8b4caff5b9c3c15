// Finds the owner of a credential with one select, whatever the outcome, so that a refusal takes as long as a success.

import type { Knex } from 'knex';
import { firstRow, insertNew } from '../../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import { queryRows } from '../../../base/database/sql.ts';
import type { Seal } from '../../../base/keys/rows/row-seals.ts';
import { type AccountKind, searchable } from '../accounts/account-store.ts';
import {
	ACCOUNT_SEALS,
	API_KEY_SEAL,
	GUARDED_SESSION,
	guardedColumns,
	SESSION_SEAL,
} from '../accounts/guarded-columns.ts';
import type { SealedColumns } from './credential-guard.ts';

/** A credential together with its account. The caller decides whether it may still be used. */
export interface CredentialRow extends SealedColumns {
	readonly account_id: AccountId;
	readonly user_id: string;
	readonly kind: AccountKind;
	readonly parent_id: AccountId | null;
	readonly cvv_retention: boolean | number;
	readonly owner_cvv_retention: boolean | number | null;
	readonly blocked_at: number | null;
	readonly disabled_at: number | null;
	readonly owner_disabled_at: number | null;
	readonly allowance_limit: number | null;
	readonly owner_blocked_at: number | null;
	readonly owner_allowance_limit: number | null;
	readonly permissions: string;
	readonly from_ranges: string | null;
}

export interface ApiKeyCredentialRow extends CredentialRow {
	readonly api_key_id: number;
	readonly key_id: KeyId;
	readonly ends_at: number | null;
	readonly revoked_at: number | null;
	readonly valid_until: number | null;
	readonly last_used_at: number | null;
}

export interface SessionCredentialRow extends ApiKeyCredentialRow {
	readonly expires_at: number;
}

export interface SshKeyCredentialRow extends CredentialRow {
	readonly ssh_key_id: number;
	readonly blob: Buffer;
}

const ACCOUNT_COLUMNS = [
	...['account.id as account_id', 'account.user_id', 'account.kind', 'account.parent_id', 'account.cvv_retention'],
	'owner.cvv_retention as owner_cvv_retention',
	...['account.disabled_at', 'owner.disabled_at as owner_disabled_at'],
	...['account.blocked_at', 'account.allowance_limit', 'owner.blocked_at as owner_blocked_at'],
	'owner.allowance_limit as owner_allowance_limit',
	...ACCOUNT_SEALS,
];
const API_KEY_COLUMNS = [
	'api_keys.id as api_key_id',
	'api_keys.key_id',
	'api_keys.permissions',
	'ends_at',
	'revoked_at',
	...['valid_until', 'last_used_at', 'api_keys.from_ranges'],
	...API_KEY_SEAL,
];

export function credentialStore(knex: Knex) {
	const withAccount = (query: Knex.QueryBuilder, accountId: string) =>
		query
			.join('accounts as account', 'account.id', accountId)
			.leftJoin('accounts as owner', 'owner.id', 'account.parent_id');
	const apiKeyQuery = (hashes: readonly string[]) =>
		withAccount(knex('api_keys').whereIn('api_keys.hash', hashes), 'api_keys.account_id')
			.select([...ACCOUNT_COLUMNS, ...API_KEY_COLUMNS])
			// The limit of one row is written into the SQL text, because the text is run again later with only the
			// hashes as bindings.
			.limit(1, { skipBinding: true });
	/**
	 * The SQL that finds an API key by any of its hashes, for each number of hashes. It is kept because every request
	 * runs it and building it takes longer than running it.
	 */
	const apiKeySql = new Map<number, string>();
	return {
		async findApiKey(hashes: readonly string[]): Promise<ApiKeyCredentialRow | undefined> {
			let sql = apiKeySql.get(hashes.length);
			if (sql === undefined) apiKeySql.set(hashes.length, (sql = apiKeyQuery(hashes).toSQL().sql));
			return (await queryRows<ApiKeyCredentialRow>(knex, sql, hashes))[0];
		},
		/** Finds an API key by its id, for sessions, forms and links that were created with it. */
		async findApiKeyById(id: number): Promise<ApiKeyCredentialRow | undefined> {
			return firstRow(
				withAccount(knex('api_keys').where('api_keys.id', id), 'api_keys.account_id').select([
					...ACCOUNT_COLUMNS,
					...API_KEY_COLUMNS,
				]),
			);
		},
		async findSessionToken(hashes: readonly string[]): Promise<SessionCredentialRow | undefined> {
			const query = knex('session_tokens')
				.whereIn('session_tokens.hash', hashes)
				.join('api_keys', 'api_keys.id', 'session_tokens.api_key_id');
			return firstRow(
				withAccount(query, 'session_tokens.account_id').select([
					...ACCOUNT_COLUMNS,
					...API_KEY_COLUMNS,
					'session_tokens.expires_at',
					SESSION_SEAL,
					'session_tokens.hash as session_hash',
				]),
			);
		},
		/** Reads everything that the seals of an API key, and of a session token created from it, cover. */
		async findGuarded(apiKeyId: number, sessionHash: string | undefined): Promise<ApiKeyCredentialRow | undefined> {
			const columns = [...ACCOUNT_COLUMNS, ...API_KEY_COLUMNS, ...guardedColumns('api-key', 'api_keys')];
			if (sessionHash === undefined) {
				const found = withAccount(knex('api_keys').where('api_keys.id', apiKeyId), 'api_keys.account_id');
				return firstRow(found.select(columns));
			}
			const query = knex('session_tokens')
				.where('session_tokens.hash', sessionHash)
				.join('api_keys', 'api_keys.id', 'session_tokens.api_key_id');
			return firstRow(
				withAccount(query, 'session_tokens.account_id').select([
					...columns,
					...GUARDED_SESSION,
					'session_tokens.expires_at',
				]),
			);
		},
		async findSshKey(userId: string, fingerprint: string): Promise<SshKeyCredentialRow | undefined> {
			const query = knex('ssh_keys').where({ fingerprint });
			return firstRow(
				withAccount(query, 'ssh_keys.account_id')
					.where('account.user_id', searchable(userId))
					.select([
						...ACCOUNT_COLUMNS,
						...['ssh_keys.id as ssh_key_id', 'ssh_keys.permissions', 'ssh_keys.blob', 'ssh_keys.from_ranges'],
						...guardedColumns('ssh-key', 'ssh_keys'),
					]),
			);
		},
	};
}

export function accessTokenStore(knex: Knex) {
	return {
		async isSpent(apiKeyId: number, guid: string): Promise<boolean> {
			return (await knex('spent_access_tokens').where({ api_key_id: apiKeyId, guid }).first('guid')) !== undefined;
		},
		/** Marks an access token as used; returns whether this call was the first, which the database decides for all. */
		async spend(apiKeyId: number, guid: string, expiresAt: number): Promise<boolean> {
			const row = { api_key_id: apiKeyId, guid, expires_at: expiresAt };
			return insertNew(knex('spent_access_tokens'), row, 'api_key_id', 'guid');
		},
		async deleteExpired(before: number): Promise<number> {
			return knex('spent_access_tokens').where('expires_at', '<', before).delete();
		},
	};
}

interface SessionTokenRow extends Seal {
	readonly hash: string;
	readonly account_id: AccountId;
	readonly api_key_id: number;
	readonly expires_at: number;
}

export function sessionTokenStore(knex: Knex) {
	return {
		async insert(row: SessionTokenRow): Promise<void> {
			await knex('session_tokens').insert(row);
		},
		async deleteExpired(before: number): Promise<number> {
			return knex('session_tokens').where('expires_at', '<', before).delete();
		},
	};
}
