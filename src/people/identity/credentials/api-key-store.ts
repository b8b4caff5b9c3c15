import type { Knex } from 'knex';
import { countByKey } from '../../../base/database/count-by-key.ts';
import { type Dialect, insertRow } from '../../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import type { RowSeal } from '../../../base/keys/rows/row-seals.ts';

export interface ApiKeyRow extends RowSeal {
	readonly id: number;
	readonly account_id: AccountId;
	readonly hash: string;
	readonly key_id: KeyId;
	readonly hint: string;
	readonly permissions: string;
	readonly created_at: number;
	readonly ends_at: number | null;
	readonly revoked_at: number | null;
	/** The end of the key's lifetime, if one was set at its creation. The end by a rotation is in `ends_at`. */
	readonly valid_until: number | null;
	/** The allowed address ranges, in the form of `address-ranges.ts`. */
	readonly from_ranges: string | null;
	readonly last_used_at: number | null;
	/** The generation of the row: the time of the last change, and at least one more than before that change. */
	readonly version: number;
}

export function apiKeyStore(knex: Knex) {
	const apiKeys = () => knex<ApiKeyRow>('api_keys');
	return {
		async insert(
			row: Omit<ApiKeyRow, 'id' | 'ends_at' | 'revoked_at' | 'last_used_at' | 'seal_key' | 'seal'>,
		): Promise<ApiKeyRow> {
			return insertRow(apiKeys(), row);
		},
		async listByAccount(accountId: AccountId): Promise<ApiKeyRow[]> {
			return apiKeys().where({ account_id: accountId }).orderBy('id');
		},
		/** Lists the keys that have a lifetime which ends at or after a time, and that nobody has ended before. */
		async listEnding(from: number): Promise<ApiKeyRow[]> {
			return apiKeys().where('valid_until', '>=', from).whereNull('revoked_at').whereNull('ends_at').orderBy('id');
		},
		/** Returns the row of an API key, and locks it until the transaction ends. */
		async findForUpdate(id: number, dialect: Dialect): Promise<ApiKeyRow | undefined> {
			const query = apiKeys().where({ id }).first();
			return dialect === 'postgres' ? query.forUpdate() : query;
		},
		async countByKey(): Promise<{ key_id: KeyId; count: number }[]> {
			return countByKey(knex('api_keys').whereNull('revoked_at'));
		},
		/** Sets the time of the last use. It never moves back, because another daemon may have recorded a later time. */
		async noteUse(id: number, at: number): Promise<void> {
			const isLater = (query: Knex.QueryBuilder) =>
				void query.whereNull('last_used_at').orWhere('last_used_at', '<', at);
			await apiKeys().where({ id }).where(isLater).update({ last_used_at: at });
		},
		/**
		 * Lists the API keys of an account that are not revoked, and locks their rows until the transaction ends. With
		 * `id`, it lists only the key with this id.
		 */
		async listForUpdate(accountId: AccountId, dialect: Dialect, id?: number): Promise<ApiKeyRow[]> {
			const keys = apiKeys().where({ account_id: accountId }).whereNull('revoked_at').orderBy('id');
			if (id !== undefined) keys.andWhere({ id });
			return dialect === 'postgres' ? keys.forUpdate() : keys;
		},
		async update(id: number, changed: Partial<Omit<ApiKeyRow, 'id'>>): Promise<void> {
			await apiKeys()
				.where({ id })
				.update(changed as never);
		},
	};
}
