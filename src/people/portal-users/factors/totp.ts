// Creates the secrets and checks the codes of authenticator apps (TOTP, RFC 6238): six digits that change every half
// minute.

import { Secret, TOTP } from 'otpauth';

const SECRET_BYTES = 20;
export const PERIOD_SECONDS = 30;
/** A code is accepted half a minute early or late, because the clock of a phone may differ by that much. */
const DRIFT_STEPS = 1;

/** The data with which a user sets up an authenticator app. */
export interface TotpSetup {
	/** The secret as people type it, in base 32. */
	readonly secret: string;
	/** The `otpauth:` URI, which is also in the QR code. */
	readonly uri: string;
}

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

export function totpSetup(bytes: Uint8Array, userName: string, issuer: string): TotpSetup {
	const app = appOf(bytes, userName, issuer);
	return { secret: app.secret.base32, uri: app.toString() };
}

/** Returns the number of the half minute to which a code belongs, or undefined if the code is wrong. */
export function findStep(bytes: Uint8Array, typed: string, nowMs: number): number | undefined {
	const code = typed.normalize('NFKC').replace(/\s/g, '');
	if (!/^\d{6}$/.test(code)) return undefined;
	const delta = appOf(bytes, 'user', 'Tokendrop').validate({ token: code, timestamp: nowMs, window: DRIFT_STEPS });
	return delta === null ? undefined : Math.floor(nowMs / 1000 / PERIOD_SECONDS) + delta;
}
