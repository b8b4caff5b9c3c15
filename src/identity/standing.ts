// Whether credentials are still what they were when they opened something that is still open. One query a second asks for
// all of them, so that what a hundred sessions cost is what one costs; whoever is about to let something happen asks for an
// answer that is no older than that, and has it from memory.

import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import type { CredentialGuard } from './credential-guard.ts';
import { CredentialEndedError, findEnding } from './ending.ts';
import type { Principal } from './principal.ts';
import { type StandingRow, standingRows, standingStore } from './standing-store.ts';

/** How often all are looked at, and how old an answer may be. */
export const LOOK_EVERY_MS = 1_000;

/** The credential behind one session or call that is open. */
export interface Standing {
	/** Aborted with a `CredentialEndedError` once the credential has ended, which takes a second or two to show. */
	readonly signal: AbortSignal;
	/**
	 * To be awaited before anything is let through. Undefined when the answer of the last look is young enough, so that
	 * asking often costs nothing.
	 * @throws CredentialEndedError, at once or later; and what keeps the database from answering
	 */
	check(maxAgeMs?: number): Promise<void> | undefined;
	/** It is closed: looked at no more. May be called again. */
	release(): void;
}

export interface Standings {
	/** For a principal that was identified just now. */
	watch(principal: Principal, options?: WatchOptions): Standing;
}

export interface WatchOptions {
	/** What is open may cost units, which a block of the account refuses; without them a block changes nothing. */
	readonly isBillable?: boolean;
}

/** A credential that opened at least one of what is open. */
interface Live {
	readonly standings: Set<WatchedStanding>;
	readonly apiKeyId: number | undefined;
	readonly sshKeyId: number | undefined;
	askedAtMs: number;
	/** The last answer; undefined before the first. */
	row: StandingRow | null | undefined;
}

interface Look {
	readonly nowMs: () => number;
	/** Settles when everything that is live was asked for once more. */
	lookAgain(): Promise<void>;
}

/** Holds a timer while something is open, which keeps no process alive. */
export function openStandings({
	database,
	clock,
	guard,
}: {
	database: Database;
	clock: Clock;
	guard: CredentialGuard;
}): Standings {
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
		const rows = await store.find(idsOf('apiKeyId'), idsOf('sshKeyId'));
		await guard.prepare();
		const found = new Map<string, StandingRow>();
		for (const row of rows) {
			const isAltered = !(await guard.isGood(row.kind, standingRows(row)));
			found.set(`${row.kind} ${row.id}`, { ...row, isAltered });
		}
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
	/** What ends by the time alone does so while the database is away, too. */
	const judgeAll = () => {
		for (const { standings } of live.values()) for (const each of standings) each.judge();
	};
	const beat = () => {
		timer = setTimeout(async () => {
			judgeAll();
			// Who asks in the meantime hears of the failure; nothing is let through on an old answer.
			await lookAgain().catch(() => {});
			if (live.size > 0) beat();
			else timer = undefined;
		}, LOOK_EVERY_MS);
		timer.unref();
	};

	return {
		watch(principal, options = {}) {
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
	/** A look that began before says what was true before: the login knew better. */
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
		// Of when it was asked for: a database that takes seconds to answer is waited for, and not asked for ever.
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

	/** When the look began that is known, or the login that was as good. */
	#answeredSinceMs(): number {
		return Math.max(this.#live.askedAtMs, this.#sinceMs);
	}

	async #askAnew(sinceMs: number): Promise<void> {
		// A look that was under way already may have begun without this credential, or too long ago.
		while (!this.#isReleased && this.#answeredSinceMs() < sinceMs) await this.#look.lookAgain();
		this.signal.throwIfAborted();
	}
}
