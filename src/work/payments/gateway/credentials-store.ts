import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import type { RowSeal, RowShape } from '../../../base/keys/rows/row-seals.ts';
import { namedRows } from '../../../people/identity/accounts/named-rows-store.ts';

export interface CredentialsRow extends RowSeal {
	readonly account_id: AccountId;
	readonly credentials_id: string;
	readonly gateway: string;
	readonly key_id: KeyId;
	readonly sealed: Buffer;
	readonly created_at: number;
	readonly updated_at: number;
}

export function credentialsStore(knex: Knex) {
	const rows = namedRows<CredentialsRow>(knex, 'gateway_credentials', 'credentials_id');
	return { ...rows, put: (row: CredentialsRow) => rows.put(row, ['created_at']) };
}

/** The seal covers the gateway, and the sealed secrets for it. */
export const sealedCredentials: RowShape = {
	table: 'gateway_credentials',
	id: ['account_id', 'credentials_id'],
	columns: ['gateway', 'sealed', 'updated_at'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};
