// Defines the state of the installation that the portal shows to operators. The code that knows this state is in a
// layer above the pages, so it implements this interface.

import type { ListPage } from '../../base/database/list-page.ts';
import type { Actor } from '../../trail/actor.ts';
import type { TrailCheck } from '../../trail/checks/check-store.ts';
import type { TrailVerdict } from '../../trail/checks/verify-trail.ts';
import type { ListedBan } from '../operators/bans.ts';
import type { Finding } from '../operators/finding.ts';

export interface InstallationView {
	/** Returns the results of the checks, which are a few seconds old at most, and their time. */
	findings(): Promise<{ readonly findings: readonly Finding[]; readonly atMs: number }>;
	daemons(): Promise<DaemonsView>;
	keys(): Promise<KeysView>;
	audit(): Promise<AuditView>;
	/** Returns a page of the accounts, the oldest first, tampered ones among them. */
	accounts(page: ListPage<number>): Promise<readonly AccountView[]>;
	/** Counts the accounts, up to `most`. */
	countAccounts(most: number): Promise<number>;
	/** Returns the addresses that are banned, the latest first. */
	bans(): Promise<readonly ListedBan[]>;
	lift(address: string, actor: Actor): Promise<boolean>;
}

export interface AccountView {
	readonly id: number;
	readonly userId: string;
	readonly parent: string | undefined;
	readonly state: 'active' | 'blocked' | 'disabled' | 'broken';
	/** The units that the account may still use, and all that it may; undefined if there is no limit. */
	readonly allowance: { readonly left: number; readonly limit: number } | undefined;
	readonly figures: AccountFigures;
}

/** What an account did in the last thirty days. */
export interface AccountFigures {
	/** The cards that were tokenized. */
	readonly cards: number;
	readonly files: number;
	readonly refused: number;
	readonly failed: number;
	readonly units: number;
}

export interface DaemonsView {
	readonly daemons: readonly DaemonView[];
	readonly queue: { readonly waiting: number; readonly running: number; readonly oldestSeconds: number };
	readonly failedTasks: readonly { readonly task: string; readonly atMs: number }[];
	readonly disk: { readonly total: number; readonly free: number };
}

export interface DaemonView {
	readonly id: string;
	/** The version of the daemon; undefined, like its last sign, if it is known only by its jobs. */
	readonly version: string | undefined;
	/** The time at which the daemon last said that it runs. */
	readonly seenMs: number | undefined;
	readonly isRunning: boolean;
	readonly jobs: number;
	/** The end of the daemon's lease on its jobs, after which another daemon may take them; undefined if it has no jobs. */
	readonly leaseUntilMs: number | undefined;
}

export interface KeysView {
	readonly active: readonly {
		readonly id: number;
		readonly purpose: string;
		readonly account: string | undefined;
		readonly generation: number;
		readonly ageDays: number;
		readonly endsAtMs: number | null;
		readonly term: 'running' | 'soon' | 'due';
		readonly seals: number;
	}[];
	readonly superseded: number;
}

export interface AuditView {
	readonly entries: number;
	readonly lastNote: { readonly atMs: number; readonly entry: number } | undefined;
	readonly lastCheck: TrailCheck | undefined;
	/** The result of checking the newest entries of the audit trail, and the number of entries that were checked. */
	readonly end: { readonly verdict: TrailVerdict; readonly count: number };
	readonly targets: readonly { readonly kind: string; readonly behind: number }[];
}
