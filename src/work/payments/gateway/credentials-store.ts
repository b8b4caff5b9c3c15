import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';

export interface CredentialsRow {
	readonly account_id: AccountId;
	readonly credentials_id: string;
	readonly gateway: string;
	readonly key_id: KeyId;
	readonly sealed: Buffer;
	readonly created_at: number;
	readonly updated_at: number;
}

/** Returns methods for the table `gateway_credentials`; each runs a single SQL statement. */
export function credentialsStore(knex: Knex) {
	const at = (accountId: AccountId, id: string) => ({ account_id: accountId, credentials_id: id });
	return {
		async put(row: CredentialsRow): Promise<void> {
			await knex('gateway_credentials')
				.insert(row)
				.onConflict(['account_id', 'credentials_id'])
				.merge(['gateway', 'key_id', 'sealed', 'updated_at']);
		},
		async find(accountId: AccountId, id: string): Promise<CredentialsRow | undefined> {
			return knex<CredentialsRow>('gateway_credentials').where(at(accountId, id)).first();
		},
		/** Lists the credentials of an account, without their sealed part. */
		async list(accountId: AccountId): Promise<Omit<CredentialsRow, 'key_id' | 'sealed'>[]> {
			const columns = ['account_id', 'credentials_id', 'gateway', 'created_at', 'updated_at'] as const;
			return knex('gateway_credentials')
				.where({ account_id: accountId })
				.orderBy('credentials_id')
				.select(...columns);
		},
		async remove(accountId: AccountId, id: string): Promise<boolean> {
			return (await knex('gateway_credentials').where(at(accountId, id)).delete()) === 1;
		},
	};
}
