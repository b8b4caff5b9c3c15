// How many failed logins over HTTP an address has left (shapes §11). A count of its own: an sFTP client that fails twenty
// times is a guesser, a web client may just have an old key. But whoever goes on beyond the limit here is reported to the
// defender of the sFTP door as well.

import type { Clock } from '../clock.ts';
import { type Defender, defaultDefenderSettings, openDefender } from '../defender.ts';

export interface LoginLimiter {
	/** Notes a failed login; says whether the address had used up its failures before this one. */
	noteFailure(address: string): boolean;
	/** What a limited address is told to wait. */
	readonly retryAfterSeconds: number;
}

export const MAX_FAILURES = 100;
const WINDOW_MS = 10 * 60_000;

/** Opens a limiter. `shared` hears of failures beyond the limit. */
export function openLoginLimiter(clock: Clock, shared: Pick<Defender, 'report'>): LoginLimiter {
	const failures = openDefender(clock, {
		...defaultDefenderSettings,
		threshold: MAX_FAILURES,
		windowMs: WINDOW_MS,
		banMs: WINDOW_MS,
		scores: { ...defaultDefenderSettings.scores, 'login-failed': 1 },
	});
	return {
		retryAfterSeconds: WINDOW_MS / 1000,
		noteFailure(address) {
			const isLimited = failures.isBanned(address);
			if (isLimited) shared.report(address, 'login-failed');
			else failures.report(address, 'login-failed');
			return isLimited;
		},
	};
}
