// Counts failed logins so that one script does not lock out everybody at its address. Only some of the failures of one
// credential are added to the score of its user at that address, and only some of those of one user to the score of the
// address. A user who has logged in recently may go on, no matter what others at the address do.

import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { noSiblings, type Siblings } from '../siblings.ts';
import { type Defender, type DefenderSettings, defendedAddress, openDefender } from './defender.ts';

export interface LoginTry {
	/** The address of the login, as `defendedAddress` writes it. */
	readonly address: string;
	/** The user name as it was given; there may be no such user. */
	readonly userName: string;
	/** The password, if one was given. It is only hashed and never stored. */
	readonly secret?: string;
}

/** Tells which addresses and users are never banned. */
export interface Allowed {
	/** Tells whether everybody at the address is exempt from bans. */
	allowsAddress(address: string): boolean;
	/** Tells whether one user at the address is exempt from bans. */
	allowsUser(userName: string, address: string): boolean;
	/** Tells whether at least one user at the address is exempt from bans. */
	allowsSomebody(address: string): boolean;
}

export const nobodyAllowed: Allowed = {
	allowsAddress: () => false,
	allowsUser: () => false,
	allowsSomebody: () => false,
};

/**
 * One credential can add only this part of the limit to the score of its user, and one user only this part to the score
 * of the address.
 */
const SHARE = 1 / 4;
const REMEMBERED_MS = 24 * 3_600_000;
const MAX_REMEMBERED = 10_000;

/** A login that succeeded: its address, and the key of the user there. */
interface Succeeded {
	readonly address: string;
	readonly user: string;
}

/** A login that failed, with the key of the credential that was tried. */
interface Failed extends Succeeded {
	readonly credential: string;
}

const FAILED = 'login failed';
const SUCCEEDED = 'login succeeded';

export type LoginGuard = ReturnType<typeof openLoginGuard>;

export function openLoginGuard(options: {
	/** The defender whose scores all daemons share. Users at an address have scores and bans of their own in it. */
	readonly defender: Defender;
	readonly clock: Clock;
	readonly settings: DefenderSettings;
	readonly allowed?: Allowed;
	/** The other processes that count the failures of the same users. */
	readonly siblings?: Siblings;
}) {
	const { defender, clock, settings, allowed = nobodyAllowed, siblings = noSiblings } = options;
	// When a credential or user exceeds its limit in this defender, its further failures are no longer reported to
	// `defender`.
	const shares = openDefender(clock, { ...settings, scoreLimit: Math.max(1, settings.scoreLimit * SHARE) });
	/** Holds the time when each user last logged in at an address, the earliest first. */
	const good = new Map<string, number>();
	const goodAddresses = new Map<string, number>();
	const nowMs = () => clock.now().getTime();
	const isGood = (logins: Map<string, number>, key: string) =>
		nowMs() - (logins.get(key) ?? Number.NEGATIVE_INFINITY) < REMEMBERED_MS;
	/** Counts a failure towards the limits of a credential and its user. `add` is called with what it adds to a score. */
	const count = ({ address, user, credential }: Failed, add: (against: string) => void) => {
		for (const [share, against] of [
			[credential, user],
			[user, address],
		]) {
			if (shares.isBanned(share)) return;
			shares.report(share, 'login-failed');
			add(against);
		}
	};
	const remembered = ({ address, user }: Succeeded) => {
		remember(good, user, nowMs());
		remember(goodAddresses, address, nowMs());
	};
	// The defender of each process hears of the failures of the others by itself.
	siblings.hear<Failed>(FAILED, (failed) => count(failed, () => {}));
	siblings.hear<Succeeded>(SUCCEEDED, remembered);
	return {
		/**
		 * Tells whether connections from an address are refused at once. They are if the address is banned and no user
		 * there is exempt or has logged in recently, so that no login could succeed.
		 */
		isShutOut(address: string): boolean {
			if (!defender.isBanned(address)) return false;
			return !allowed.allowsAddress(address) && !allowed.allowsSomebody(address) && !isGood(goodAddresses, address);
		},
		/** Tells whether the credential of a login is checked at all. If not, the login is refused. */
		mayTry({ address, userName }: LoginTry): boolean {
			if (allowed.allowsAddress(address) || allowed.allowsUser(userName, address)) return true;
			const user = userKey(address, userName);
			return isGood(good, user) || !(defender.isBanned(address) || defender.isBanned(user));
		},
		failed({ address, userName, secret = '' }: LoginTry): void {
			if (allowed.allowsAddress(address) || allowed.allowsUser(userName, address)) return;
			const user = userKey(address, userName);
			const failed: Failed = { address, user, credential: `${user} ${shortHash(secret)}` };
			count(failed, (against) => defender.report(against, 'login-failed'));
			siblings.tell(FAILED, failed);
		},
		succeeded({ address, userName }: LoginTry): void {
			const succeeded: Succeeded = { address, user: userKey(address, userName) };
			remembered(succeeded);
			siblings.tell(SUCCEEDED, succeeded);
		},
	};
}

/**
 * Returns the key under which a user's score at an address is kept. The name is hashed, because it may be a password
 * typed into the wrong field.
 */
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
