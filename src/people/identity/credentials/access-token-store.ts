import type { Knex } from 'knex';

export function accessTokenStore(knex: Knex) {
	return {
		async isSpent(apiKeyId: number, guid: string): Promise<boolean> {
			return (await knex('spent_access_tokens').where({ api_key_id: apiKeyId, guid }).first('guid')) !== undefined;
		},
		/**
		 * Marks an access token as used. Returns whether this call was the first to use it; the database decides among
		 * all daemons.
		 */
		async spend(apiKeyId: number, guid: string, expiresAt: number): Promise<boolean> {
			const inserted = await knex('spent_access_tokens')
				.insert({ api_key_id: apiKeyId, guid, expires_at: expiresAt })
				.onConflict(['api_key_id', 'guid'])
				.ignore()
				.returning('guid');
			return inserted.length > 0;
		},
		async deleteExpired(before: number): Promise<number> {
			return knex('spent_access_tokens').where('expires_at', '<', before).delete();
		},
	};
}
