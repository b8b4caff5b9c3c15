import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';

export interface SessionTokenRow {
	readonly hash: string;
	readonly account_id: AccountId;
	readonly api_key_id: number;
	readonly expires_at: number;
	readonly seal_key: KeyId;
	readonly seal: Buffer;
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
