import type { Knex } from 'knex';
import { deleteRows } from '../../base/database/dialect.ts';
import type { AccountId, KeyId } from '../../base/database/ids.ts';

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

/** Returns methods for the OpenPGP keys of accounts; each runs a single SQL statement. */
export function pgpKeyStore(knex: Knex) {
	const keys = () => knex<PgpKeyRow>('pgp_keys');
	return {
		async find(accountId: AccountId, name: string): Promise<PgpKeyRow | undefined> {
			return keys().where({ account_id: accountId, name }).first();
		},
		async list(accountId: AccountId): Promise<PgpKeyRow[]> {
			return (await keys().where({ account_id: accountId }).orderBy('name')) as PgpKeyRow[];
		},
		async listUsed(): Promise<PgpKeyRow[]> {
			return (await keys().whereNull('revoked_at').orderBy(['account_id', 'name'])) as PgpKeyRow[];
		},
		/** Puts a key in place of the one with its name. */
		async put(row: PgpKeyRow): Promise<void> {
			await deleteRows(knex, keys().where({ account_id: row.account_id, name: row.name }));
			await knex('pgp_keys').insert(row);
		},
	};
}
