// Checks that credentials stay valid while a session or call that they opened is open. One query a second covers all of
// them, so that a hundred sessions cost as much as one. Code that needs a check in between uses the last result, which
// is in memory.

import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import type { CredentialGuard } from '../credentials/credential-guard.ts';
import { CredentialEndedError, findEnding } from '../credentials/ending.ts';
import type { Principal } from '../principal.ts';
import { guardedRows } from './guarded-columns.ts';
import { type StandingRow, standingStore } from './standing-store.ts';

/** The credentials of all open sessions and calls are checked this often; a younger result is used again. */
export const LOOK_EVERY_MS = 1_000;

/** Watches the credential of one open session or call. */
export interface Standing {
	/** This signal is aborted with a `CredentialEndedError` a second or two after the credential has ended. */
	readonly signal: AbortSignal;
	/**
	 * Checks the credential; await it before anything that needs the credential. It returns undefined if the last
	 * result is recent enough, so frequent calls cost nothing.
	 * @throws CredentialEndedError if the credential has ended, directly or through the promise; the promise is also
	 * rejected if the database does not answer
	 */
	check(maxAgeMs?: number): Promise<void> | undefined;
	/** Ends the watch, because the session or call is closed. It may be called again. */
	release(): void;
}

export interface WatchOptions {
	/**
	 * True if the session may cost units, so that it ends when the account is blocked. Otherwise it goes on when the
	 * account is blocked.
	 */
	readonly isBillable?: boolean;
}

/** Holds a credential with at least one open session or call. */
interface Live {
	readonly standings: Set<WatchedStanding>;
	readonly apiKeyId: number | undefined;
	readonly sshKeyId: number | undefined;
	askedAtMs: number;
	/** The result of the last check; undefined before the first. */
	row: StandingRow | null | undefined;
}

interface Look {
	readonly nowMs: () => number;
	/** Resolves when the credentials of all open sessions and calls have been checked once more. */
	lookAgain(): Promise<void>;
}

/**
 * Opens the checks of the credentials of open sessions and calls. Their timer runs while a session or call is open, and
 * does not keep the process alive.
 */
export function openStandings(parts: { database: Database; clock: Clock; guard: CredentialGuard }) {
	const { database, clock, guard } = parts;
	const store = standingStore(database.knex, database.dialect);
	const live = new Map<string, Live>();
	const nowMs = () => clock.now().getTime();
	let looking: Promise<void> | undefined;
	let timer: NodeJS.Timeout | undefined;

	const look = async () => {
		const askedAtMs = performance.now();
		const asked = [...live];
		const idsOf = (name: 'apiKeyId' | 'sshKeyId') =>
			asked.map(([, each]) => each[name]).filter((id) => id !== undefined);
		const found = new Map<string, StandingRow>();
		await guard.check(async (isGood) => {
			found.clear();
			for (const row of await store.find(idsOf('apiKeyId'), idsOf('sshKeyId'))) {
				found.set(`${row.kind} ${row.id}`, { ...row, isAltered: !isGood(row.kind, guardedRows(row.kind, row)) });
			}
		});
		for (const [key, each] of asked) {
			each.askedAtMs = askedAtMs;
			each.row = found.get(key) ?? null;
		}
		judgeAll();
	};
	const lookAgain = () => {
		looking ??= look().finally(() => {
			looking = undefined;
		});
		return looking;
	};
	/**
	 * Ends the sessions and calls whose credential has ended. It needs no query, so those with a fixed end also end
	 * while the database is unavailable.
	 */
	const judgeAll = () => {
		for (const { standings } of live.values()) for (const each of standings) each.judge();
	};
	const beat = () => {
		timer = setTimeout(async () => {
			judgeAll();
			// The error is ignored only here: callers that wait for the same check get it, so that nothing is allowed on
			// the basis of an old result.
			await lookAgain().catch(() => {});
			if (live.size > 0) beat();
			else timer = undefined;
		}, LOOK_EVERY_MS);
		timer.unref();
	};

	return {
		watch(principal: Principal, options: WatchOptions = {}): Standing {
			const { apiKeyId, sshKeyId } = principal;
			if (apiKeyId === undefined && sshKeyId === undefined) throw new Error('internal error: a credential without id');
			const key = sshKeyId === undefined ? `api-key ${apiKeyId}` : `ssh-key ${sshKeyId}`;
			const ids = sshKeyId === undefined ? { apiKeyId, sshKeyId: undefined } : { apiKeyId: undefined, sshKeyId };
			const known = live.get(key) ?? { standings: new Set(), ...ids, askedAtMs: performance.now(), row: undefined };
			live.set(key, known);
			const standing = new WatchedStanding(principal, options, known, { nowMs, lookAgain });
			known.standings.add(standing);
			standing.onRelease = () => {
				if (known.standings.delete(standing) && known.standings.size === 0) live.delete(key);
			};
			if (timer === undefined) beat();
			return standing;
		},
	};
}

class WatchedStanding implements Standing {
	onRelease = () => {};
	readonly #ending = new AbortController();
	readonly #principal: Principal;
	readonly #options: WatchOptions;
	readonly #live: Live;
	readonly #look: Look;
	/** The time of the login. The result of a check that began earlier is ignored, because it is older than the login. */
	readonly #sinceMs = performance.now();
	#isReleased = false;

	constructor(principal: Principal, options: WatchOptions, live: Live, look: Look) {
		this.#principal = principal;
		this.#options = options;
		this.#live = live;
		this.#look = look;
	}

	get signal(): AbortSignal {
		return this.#ending.signal;
	}

	check(maxAgeMs = LOOK_EVERY_MS): Promise<void> | undefined {
		this.judge();
		this.signal.throwIfAborted();
		// The age of a result is measured from the time of the call: if the database takes seconds to answer, the call
		// waits for one answer and does not send further queries.
		const sinceMs = performance.now() - maxAgeMs;
		return this.#answeredSinceMs() >= sinceMs ? undefined : this.#askAnew(sinceMs);
	}

	judge(): void {
		if (this.#isReleased || this.signal.aborted) return;
		const { row, askedAtMs } = this.#live;
		const known = askedAtMs >= this.#sinceMs ? row : undefined;
		const why = findEnding(this.#principal, known, this.#look.nowMs(), this.#options.isBillable ?? false);
		if (why !== undefined) this.#ending.abort(new CredentialEndedError(why));
	}

	release(): void {
		this.#isReleased = true;
		this.onRelease();
	}

	/** Returns the time at which the last check began or, if it is later, the time of the login. */
	#answeredSinceMs(): number {
		return Math.max(this.#live.askedAtMs, this.#sinceMs);
	}

	async #askAnew(sinceMs: number): Promise<void> {
		// A check that was already running may have begun too long ago, or before this credential was watched. Its
		// result does not count then, and another check is needed.
		while (!this.#isReleased && this.#answeredSinceMs() < sinceMs) await this.#look.lookAgain();
		this.signal.throwIfAborted();
	}
}
