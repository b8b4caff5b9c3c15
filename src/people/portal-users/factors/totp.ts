// Creates the secrets and checks the codes of authenticator apps (TOTP, RFC 6238): six digits that change every half
// minute.

import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';
import type { KeyId } from '../../../base/database/ids.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { secretsIn } from '../../../base/keys/rows/sealed-rows.ts';
import { seal, unseal } from '../../../base/keys/seal.ts';
import type { PortalOptions } from '../options.ts';
import { sealedPortalTotp } from '../sealed-rows.ts';
import { factorStore, type TotpRow } from './factor-store.ts';

const SECRET_BYTES = 20;
export const PERIOD_SECONDS = 30;
/** A code is accepted half a minute early or late, because the clock of a phone may differ by that much. */
const DRIFT_STEPS = 1;

const appOf = (bytes: Uint8Array, userName: string, issuer: string) =>
	new TOTP({
		issuer,
		label: userName,
		algorithm: 'SHA1',
		digits: 6,
		period: PERIOD_SECONDS,
		secret: new Secret({ buffer: new Uint8Array(bytes).buffer }),
	});

export function makeTotpSecret(): Uint8Array {
	return new Uint8Array(new Secret({ size: SECRET_BYTES }).buffer);
}

/** Returns the secret as people type it, in base 32, and as an `otpauth:` URI, of which `qr` is the QR code as SVG. */
export function totpSetup(bytes: Uint8Array, userName: string, issuer: string) {
	const app = appOf(bytes, userName, issuer);
	const uri = app.toString();
	// It is black on white, so that every camera reads it.
	return { secret: app.secret.base32, uri, qr: renderSVG(uri, { ecc: 'M', border: 3 }) };
}

/** Returns the number of the half minute to which a code belongs, or undefined if the code is wrong. */
export function findStep(bytes: Uint8Array, typed: string, nowMs: number): number | undefined {
	const code = typed.normalize('NFKC').replace(/\s/g, '');
	if (!/^\d{6}$/.test(code)) return undefined;
	const delta = appOf(bytes, 'user', 'Tokendrop').validate({ token: code, timestamp: nowMs, window: DRIFT_STEPS });
	return delta === null ? undefined : Math.floor(nowMs / 1000 / PERIOD_SECONDS) + delta;
}

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

/** Declares where sealed secrets of authenticator apps are, to seal them again under a new key. */
export const sealedTotpSecrets = secretsIn(sealedPortalTotp, ({ user_id }, keyId) => label(Number(user_id), keyId));

function label(userId: number, keyId: KeyId): Buffer {
	return Buffer.from(`tokendrop portal app ${userId}/${keyId}`);
}
