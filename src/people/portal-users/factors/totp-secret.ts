// Seals the secrets of authenticator apps, each bound to its user.

import type { KeyId } from '../../../base/database/ids.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { secretsIn } from '../../../base/keys/rows/sealed-rows.ts';
import { seal, unseal } from '../../../base/keys/seal.ts';
import type { PortalOptions } from '../options.ts';
import { sealedPortalTotp } from '../sealed-rows.ts';
import { factorStore, type TotpRow } from './factor-store.ts';

/**
 * Seals the secret of a user's authenticator app. It must not be called inside a transaction, because it may create a
 * key in a transaction of its own.
 */
export async function sealTotpSecret(
	keyRing: KeyRing,
	userId: number,
	secret: Uint8Array,
): Promise<Pick<TotpRow, 'key_id' | 'sealed'>> {
	const key = await keyRing.current('secret');
	return { key_id: key.id, sealed: seal(key.secret, secret, label(userId, key.id)) };
}

/** Returns the authenticator app of a user, unless somebody has altered its row or put it back. */
export function findApp({ database, keyRing }: Pick<PortalOptions, 'database' | 'keyRing'>, userId: number) {
	return keyRing.seals.find(sealedPortalTotp, () => factorStore(database.knex).findTotp(userId));
}

export async function openTotpSecret(
	keyRing: KeyRing,
	{ user_id, key_id, sealed }: Pick<TotpRow, 'user_id' | 'key_id' | 'sealed'>,
): Promise<Buffer> {
	const key = await keyRing.byId(key_id);
	return unseal(key.secret, sealed, label(user_id, key.id));
}

/**
 * Declares the table and columns with the sealed secrets of authenticator apps, so that they can be sealed again under
 * a new key.
 */
export const sealedTotpSecrets = secretsIn(sealedPortalTotp, ({ user_id }, keyId) => label(Number(user_id), keyId));

function label(userId: number, keyId: KeyId): Buffer {
	return Buffer.from(`tokendrop portal app ${userId}/${keyId}`);
}
