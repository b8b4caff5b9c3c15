// Records failed logins in the audit trail without letting them flood it. In ten minutes, the first few failures of an
// address get an entry each, and one more entry has the number of the rest. If too many addresses fail, those beyond a
// limit share one entry.

import { type Clock, systemClock } from '../base/clock.ts';
import { defendedAddress } from '../base/defender/defender.ts';
import type { FailureLog } from '../base/log/repeated.ts';
import type { Audit } from './audit.ts';

export interface FailedLogin {
	readonly door: 'sftp' | 'http' | 'portal';
	readonly address: string;
	readonly method: string;
	/** Why the login failed; `UNKNOWN_KEY` means that a key was offered and no login attempted. */
	readonly reason: string;
	/**
	 * Describes the login for its entry. It is called only if the failure gets an entry of its own. The answer to the
	 * client does not wait for it.
	 */
	describe(): Promise<{ readonly userId?: string; readonly credential: string | null }>;
}

/** Counts the failures of one address within ten minutes; keys that were only offered are counted apart. */
interface Tally {
	readonly door: FailedLogin['door'];
	readonly address: string;
	/** `UNKNOWN_KEY`, or undefined for all other reasons together. */
	readonly reason: string | undefined;
	readonly sinceMs: number;
	written: number;
	counted: number;
}

/** The reason of an entry for a key that was only offered. Clients offer all their keys, so it is not yet a failed login. */
export const UNKNOWN_KEY = 'unknown key';
const WINDOW_MS = 10 * 60_000;
const LOOK_EVERY_MS = 60_000;
/** Within ten minutes, this many failures of an address get an entry each; further ones are only counted. */
const SINGLE_ENTRIES = 5;
/** Within ten minutes, at most this many addresses have failures of their own; those of all others count together. */
const MAX_ADDRESSES = 100;
const OTHER_ADDRESSES = 'others';

export type FailedLogins = ReturnType<typeof openFailedLogins>;

/** Opens the recorder of failed logins of one daemon. Failures not yet written are lost when the process is killed. */
export function openFailedLogins(parts: {
	readonly audit: Pick<Audit, 'record'>;
	readonly logger: FailureLog;
	readonly clock?: Clock;
}) {
	const { audit, logger, clock = systemClock } = parts;
	const tallies = new Map<string, Tally>();
	const writing = new Set<Promise<void>>();
	const now = () => clock.now().getTime();

	const write = (work: Promise<void>) => {
		const noted = work
			.catch((err) => logger.warn({ err }, 'a failed login is missing in the audit trail'))
			.finally(() => writing.delete(noted));
		writing.add(noted);
	};
	const writeSingle = async ({ door, address, method, reason, describe }: FailedLogin) => {
		const { userId = 'unknown', credential } = await describe();
		const details = { door, address, method, reason, credential, count: 1 };
		await audit.record({ actor: 'unknown', action: 'login.failed', subject: `account ${userId}`, details });
	};
	const writeCounted = async ({ door, address, reason, sinceMs, counted }: Tally) => {
		const why = reason && { reason };
		const details = { door, address, ...why, count: counted, since: new Date(sinceMs).toISOString() };
		await audit.record({ actor: 'unknown', action: 'login.failed', subject: 'account unknown', details });
	};
	const end = (key: string, tally: Tally) => {
		tallies.delete(key);
		if (tally.counted > 0) write(writeCounted(tally));
	};
	const endOver = () => {
		// Each address has ten minutes of its own, from its first failure. Only the counts whose ten minutes are over are
		// written and removed.
		for (const [key, tally] of tallies) if (tally.sinceMs + WINDOW_MS <= now()) end(key, tally);
	};
	const tallyOf = ({ door, address: of, reason: why }: FailedLogin): Tally => {
		const block = defendedAddress(of);
		const reason = why === UNKNOWN_KEY ? why : undefined;
		const keyOf = (address: string) => `${door} ${address} ${reason ?? ''}`;
		const address = tallies.has(keyOf(block)) || tallies.size < MAX_ADDRESSES ? block : OTHER_ADDRESSES;
		const key = keyOf(address);
		const known = tallies.get(key);
		if (known) return known;
		const tally = { door, address, reason, sinceMs: now(), written: 0, counted: 0 };
		tallies.set(key, tally);
		return tally;
	};
	const timer = setInterval(endOver, LOOK_EVERY_MS).unref();

	return {
		/** Notes a failed login and returns at once. A failure that cannot be written is only logged. */
		note(login: FailedLogin): void {
			endOver();
			const tally = tallyOf(login);
			if (tally.written === SINGLE_ENTRIES) tally.counted += 1;
			else {
				tally.written += 1;
				write(writeSingle(login));
			}
		},
		/** Ends the recording, and writes the failures that were counted but not written yet. */
		async close(): Promise<void> {
			clearInterval(timer);
			while (writing.size > 0) await Promise.all(writing);
			for (const [key, tally] of tallies) end(key, tally);
			await Promise.all(writing);
		},
	};
}
