import type { Knex } from 'knex';
import { deleteRows } from '../../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';

export interface CredentialsRow {
	readonly account_id: AccountId;
	readonly credentials_id: string;
	readonly gateway: string;
	readonly key_id: KeyId;
	readonly sealed: Buffer;
	readonly created_at: number;
	readonly updated_at: number;
	readonly seal_key: KeyId | null;
	readonly seal: Buffer | null;
}

/** Returns methods for the table `gateway_credentials`; each runs a single SQL statement. */
export function credentialsStore(knex: Knex) {
	const at = (accountId: AccountId, id: string) => ({ account_id: accountId, credentials_id: id });
	return {
		async put(row: CredentialsRow): Promise<void> {
			await knex('gateway_credentials')
				.insert(row)
				.onConflict(['account_id', 'credentials_id'])
				.merge(['gateway', 'key_id', 'sealed', 'updated_at', 'seal_key', 'seal']);
		},
		async find(accountId: AccountId, id: string): Promise<CredentialsRow | undefined> {
			return knex<CredentialsRow>('gateway_credentials').where(at(accountId, id)).first();
		},
		async list(accountId: AccountId): Promise<CredentialsRow[]> {
			return (await knex<CredentialsRow>('gateway_credentials')
				.where({ account_id: accountId })
				.orderBy('credentials_id')) as CredentialsRow[];
		},
		async remove(accountId: AccountId, id: string): Promise<CredentialsRow | undefined> {
			const rows = knex<CredentialsRow>('gateway_credentials').where(at(accountId, id));
			return (await deleteRows<CredentialsRow>(knex, rows))[0];
		},
	};
}
