import type { Knex } from 'knex';
import type { AccountId, KeyId } from '../../base/database/ids.ts';
import type { RowSeal, RowShape } from '../../base/keys/rows/row-seals.ts';
import { secretsIn } from '../../base/keys/rows/sealed-rows.ts';
import { namedRows } from '../../people/identity/accounts/named-rows-store.ts';

export interface PgpKeyRow extends RowSeal {
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
}

export function pgpKeyStore(knex: Knex) {
	return {
		...namedRows<PgpKeyRow>(knex, 'pgp_keys', 'name'),
		async listUsed(): Promise<PgpKeyRow[]> {
			return (await knex('pgp_keys').whereNull('revoked_at').orderBy(['account_id', 'name'])) as PgpKeyRow[];
		},
	};
}

/** Who has put a key under a name reads what is encrypted for that name, and signs in its name. */
export const sealedPgpKeys: RowShape = {
	table: 'pgp_keys',
	id: ['account_id', 'name'],
	columns: ['kind', 'fingerprint', 'public_key', 'revoked_at', 'updated_at', 'sealed'],
	freshness: { by: 'ended-rows', generation: 'updated_at' },
};

/** Names the table and columns with the secret parts of keys, so that they can be sealed again under a new key. */
export const sealedPgpSecrets = secretsIn(sealedPgpKeys, ({ account_id, name }) => secretLabel(account_id, name));

/** Returns the bytes to which the secret part of a key is bound, so that it opens only for the same account and name. */
export function secretLabel(accountId: unknown, name: unknown): Buffer {
	return Buffer.from(`tokendrop pgp key ${accountId}/${name}`);
}
