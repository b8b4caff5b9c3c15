// Limits how many failed logins over HTTP an address may make (shapes §11). These failures are counted apart from those
// over sFTP: an sFTP client that fails twenty times is guessing, but a web client may just have an old key. The
// failures of an address beyond the limit are also reported to the defender of sFTP.

import { type Defender, type DefenderSettings, defaultDefenderSettings } from '../../../base/defender/defender.ts';
import type { LoginGuard } from '../../../base/defender/login-guard.ts';
import { DecryptionTurns } from './decryption-turns.ts';

/** The credential of an attempt to log in. The secret serves to find whose it was, and is never stored or logged. */
export interface TriedLogin {
	readonly kind: string;
	readonly secret?: string;
}

export const MAX_FAILURES = 100;
const WINDOW_MS = 10 * 60_000;

export const failedLoginSettings: DefenderSettings = {
	...defaultDefenderSettings,
	scoreLimit: MAX_FAILURES,
	windowMs: WINDOW_MS,
	banMs: WINDOW_MS,
	scores: { ...defaultDefenderSettings.scores, 'login-failed': 1 },
};

export type LoginLimiter = ReturnType<typeof openLoginLimiter>;

/**
 * Opens a limiter over a defender with `failedLoginSettings`. Failures beyond the limit are also reported to `sftp`,
 * and every failure in which a credential was tried is reported to `onTried`.
 */
export function openLoginLimiter(
	failures: Defender,
	sftp: Pick<LoginGuard, 'failed'>,
	onTried?: (address: string, tried: TriedLogin) => void,
) {
	const turns = new DecryptionTurns();
	return {
		retryAfterSeconds: WINDOW_MS / 1000,
		/** Notes a failed login; returns whether the address had already reached the limit before. */
		noteFailure(address: string | undefined, tried?: TriedLogin): boolean {
			// If the connection was reset before its address was read, nobody will read the answer, so the failure is not
			// counted.
			if (address === undefined) return false;
			if (tried) onTried?.(address, tried);
			const isLimited = failures.isBanned(address);
			// The guard of sFTP gets each credential as a user of its own. It counts only a part of the failures of one
			// user, so that the address is not banned for a script that repeats one old key and is not guessing.
			if (isLimited) sftp.failed({ address, userName: `over HTTP ${tried?.secret ?? ''}` });
			else failures.report(address, 'login-failed');
			return isLimited;
		},
		/**
		 * Returns whether an access token from this address may be decrypted. Decrypting a token with the private key takes a
		 * millisecond, so a thousand tokens a second would keep the process busy. For all addresses beyond the limit
		 * together, a hundred tokens a second are decrypted, and these addresses take turns.
		 */
		mayDecrypt(address: string | undefined): boolean | Promise<boolean> {
			if (address === undefined || !failures.isBanned(address)) return true;
			return turns.take(address);
		},
	};
}
