import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../database/ids.ts';

export interface ApiKeyRow {
	readonly id: number;
	readonly account_id: AccountId;
	readonly hash: string;
	readonly key_id: KeyId;
	readonly hint: string;
	readonly permissions: string;
	readonly created_at: number;
	readonly ends_at: number | null;
	readonly revoked_at: number | null;
	/** The end it was made with; `ends_at` is that of a rotation. */
	readonly valid_until: number | null;
	/** See `address-ranges.ts`. */
	readonly from_ranges: string | null;
	readonly last_used_at: number | null;
}

/** Single statements over `api_keys`. */
export function apiKeyStore(knex: Knex) {
	const apiKeys = () => knex<ApiKeyRow>('api_keys');
	return {
		async insert(row: Omit<ApiKeyRow, 'id' | 'ends_at' | 'revoked_at' | 'last_used_at'>): Promise<ApiKeyRow> {
			const [inserted] = await apiKeys()
				.insert(row as never)
				.returning('*');
			return inserted as ApiKeyRow;
		},
		async listByAccount(accountId: AccountId): Promise<ApiKeyRow[]> {
			return apiKeys().where({ account_id: accountId }).orderBy('id');
		},
		/** Says whether the key was there and without an end; of two rotations at once, one gets it. */
		async end(id: number, at: number): Promise<boolean> {
			return (await apiKeys().where({ id }).whereNull('ends_at').whereNull('revoked_at').update({ ends_at: at })) > 0;
		},
		async revoke(id: number, at: number): Promise<boolean> {
			return (await apiKeys().where({ id }).whereNull('revoked_at').update({ revoked_at: at })) > 0;
		},
		/** Never back: another daemon may have seen a later one. */
		async noteUse(id: number, at: number): Promise<void> {
			const isLater = (query: Knex.QueryBuilder) =>
				void query.whereNull('last_used_at').orWhere('last_used_at', '<', at);
			await apiKeys().where({ id }).where(isLater).update({ last_used_at: at });
		},
		/** What the keys that are not revoked may do, or one of them; says how many there are. */
		async permit(accountId: AccountId, permissions: string, id?: number): Promise<number> {
			const keys = apiKeys().where({ account_id: accountId }).whereNull('revoked_at');
			if (id !== undefined) keys.andWhere({ id });
			return keys.update({ permissions });
		},
		async rehash(id: number, hash: string, keyId: KeyId): Promise<void> {
			await apiKeys().where({ id }).update({ hash, key_id: keyId });
		},
	};
}
