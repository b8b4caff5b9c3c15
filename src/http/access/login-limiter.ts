// How many failed logins over HTTP an address has left (shapes §11). A count of its own: an sFTP client that fails twenty
// times is a guesser, a web client may just have an old key. But whoever goes on beyond the limit here is reported to the
// defender of the sFTP door as well.

import { type Defender, type DefenderSettings, defaultDefenderSettings } from '../../defender/defender.ts';
import type { LoginGuard } from '../../defender/login-guard.ts';
import { DecryptionTurns } from './decryption-turns.ts';

export interface LoginLimiter {
	/** Notes a failed login; says whether the address had used up its failures before this one. */
	noteFailure(address: string | undefined, tried?: TriedLogin): boolean;
	/**
	 * Whether an access token from this address is looked into. That takes a millisecond of the private key, which a thousand
	 * a second would fill the process with: limited addresses have a hundred of them in a second, together, and in turns.
	 */
	mayDecrypt(address: string | undefined): boolean | Promise<boolean>;
	/** What a limited address is told to wait. */
	readonly retryAfterSeconds: number;
}

/** What a request tried to log in with; the secret is for finding out whose it was, never to be stored or logged. */
export interface TriedLogin {
	readonly kind: string;
	readonly secret?: string;
}

export const MAX_FAILURES = 100;
const WINDOW_MS = 10 * 60_000;

/** What the defender of failed logins over HTTP counts. */
export const failedLoginSettings: DefenderSettings = {
	...defaultDefenderSettings,
	threshold: MAX_FAILURES,
	windowMs: WINDOW_MS,
	banMs: WINDOW_MS,
	scores: { ...defaultDefenderSettings.scores, 'login-failed': 1 },
};

/**
 * Opens a limiter over a defender with `failedLoginSettings`. `sftp` hears of failures beyond the limit, `onTried` of all in
 * which a credential was tried.
 */
export function openLoginLimiter(
	failures: Defender,
	sftp: Pick<LoginGuard, 'failed'>,
	onTried?: (address: string, tried: TriedLogin) => void,
): LoginLimiter {
	const turns = new DecryptionTurns();
	return {
		retryAfterSeconds: WINDOW_MS / 1000,
		noteFailure(address, tried) {
			// Reset before anybody could ask who it was: nobody reads the answer either.
			if (address === undefined) return false;
			if (tried) onTried?.(address, tried);
			const isLimited = failures.isBanned(address);
			// Each credential as a user of its own: a script with an old key is none that guesses.
			if (isLimited) sftp.failed({ address, userName: `over HTTP ${tried?.secret ?? ''}` });
			else failures.report(address, 'login-failed');
			return isLimited;
		},
		mayDecrypt(address) {
			if (address === undefined || !failures.isBanned(address)) return true;
			return turns.take(address);
		},
	};
}
