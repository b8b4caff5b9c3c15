// Lists the columns that the seal of an OpenPGP key covers, and where the secret parts of keys are: who has put a key under
// a name reads what is encrypted for that name, and signs in its name.

import type { RowShape } from '../../base/keys/rows/row-seals.ts';
import { secretsIn } from '../../base/keys/rows/sealed-rows.ts';

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
