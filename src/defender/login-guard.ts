// Failed logins, counted so that one script does not shut out everybody behind its address. What one credential does wrong
// counts only in part against its user there, what one user does only in part against the address; and whoever has logged in
// well lately may go on, whatever others behind the address do.

import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { type Defender, type DefenderSettings, defendedAddress, openDefender } from './defender.ts';

/** A login as it is tried. */
export interface LoginTry {
	/** As `defendedAddress` writes it. */
	readonly address: string;
	/** As it was given: nobody's name perhaps. */
	readonly userName: string;
	/** A password; hashed here and kept nowhere. */
	readonly secret?: string;
}

export interface LoginGuard {
	/** Whether an address is turned away before it says a word: nobody behind it could log in. */
	isShutOut(address: string): boolean;
	/** Whether a login is looked at. */
	mayTry(login: LoginTry): boolean;
	failed(login: LoginTry): void;
	succeeded(login: LoginTry): void;
}

/** Who is never shut out. */
export interface Allowed {
	/** For everybody at the address. */
	allowsAddress(address: string): boolean;
	/** For one user there. */
	allowsUser(userName: string, address: string): boolean;
	/** For any user there. */
	allowsSomebody(address: string): boolean;
}

export const nobodyAllowed: Allowed = {
	allowsAddress: () => false,
	allowsUser: () => false,
	allowsSomebody: () => false,
};

/** The part of the limit that one credential, or one user, can make up. */
const SHARE = 1 / 4;
const REMEMBERED_MS = 24 * 3_600_000;
const MAX_REMEMBERED = 10_000;

export function openLoginGuard({
	defender,
	clock,
	settings,
	allowed = nobodyAllowed,
}: {
	/** Shared by all daemons; users of an address have scores and bans of their own there. */
	readonly defender: Defender;
	readonly clock: Clock;
	readonly settings: DefenderSettings;
	readonly allowed?: Allowed;
}): LoginGuard {
	// Who is over its limit here has had its share and counts no further.
	const shares = openDefender(clock, { ...settings, scoreLimit: Math.max(1, settings.scoreLimit * SHARE) });
	/** When each user last logged in at an address, the earliest first. */
	const good = new Map<string, number>();
	const goodAddresses = new Map<string, number>();
	const nowMs = () => clock.now().getTime();
	const isGood = (logins: Map<string, number>, key: string) =>
		nowMs() - (logins.get(key) ?? Number.NEGATIVE_INFINITY) < REMEMBERED_MS;
	const count = (share: string, against: string) => {
		if (shares.isBanned(share)) return false;
		shares.report(share, 'login-failed');
		defender.report(against, 'login-failed');
		return true;
	};
	return {
		isShutOut(address) {
			if (!defender.isBanned(address)) return false;
			return !allowed.allowsAddress(address) && !allowed.allowsSomebody(address) && !isGood(goodAddresses, address);
		},
		mayTry({ address, userName }) {
			if (allowed.allowsAddress(address) || allowed.allowsUser(userName, address)) return true;
			const user = userKey(address, userName);
			return isGood(good, user) || !(defender.isBanned(address) || defender.isBanned(user));
		},
		failed({ address, userName, secret = '' }) {
			if (allowed.allowsAddress(address) || allowed.allowsUser(userName, address)) return;
			const user = userKey(address, userName);
			if (count(`${user} ${shortHash(secret)}`, user)) count(user, address);
		},
		succeeded({ address, userName }) {
			remember(good, userKey(address, userName), nowMs());
			remember(goodAddresses, address, nowMs());
		},
	};
}

/** What stands for a user at an address where scores are kept; a name may be a password that was typed in its place. */
export function userKey(address: string, userName: string): string {
	return `${defendedAddress(address)} user ${shortHash(userName)}`;
}

function shortHash(text: string): string {
	return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function remember(logins: Map<string, number>, key: string, atMs: number): void {
	logins.delete(key);
	logins.set(key, atMs);
	for (const [earliest, loginMs] of logins) {
		if (logins.size <= MAX_REMEMBERED && atMs - loginMs < REMEMBERED_MS) break;
		logins.delete(earliest);
	}
}
