import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../../base/database/ids.ts';
import { namedRows } from '../../people/identity/accounts/named-rows-store.ts';

export interface PgpKeyRow {
	readonly account_id: AccountId;
	readonly name: string;
	readonly kind: 'own' | 'partner';
	readonly fingerprint: string;
	readonly public_key: string;
	readonly revoked_at: number | null;
	readonly key_id: KeyId | null;
	readonly sealed: Buffer | null;
	readonly created_at: number;
	readonly updated_at: number;
	readonly seal_key: KeyId | null;
	readonly seal: Buffer | null;
}

export function pgpKeyStore(knex: Knex) {
	return {
		...namedRows<PgpKeyRow>(knex, 'pgp_keys', 'name'),
		async listUsed(): Promise<PgpKeyRow[]> {
			return (await knex('pgp_keys').whereNull('revoked_at').orderBy(['account_id', 'name'])) as PgpKeyRow[];
		},
	};
}
