// Shows the runs and the ledger of a route as callers read them.

import type { Knex } from 'knex';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import { readWhy, type StoredWhy } from '../../../base/failures.ts';
import { type FilesAsked, type LedgerRow, type LedgerState, ledgerStore } from '../ledger/ledger-store.ts';
import { type RunFileRow, type RunRow, type RunState, type RunsAsked, type RunTrigger, runStore } from './run-store.ts';

export interface ShownRunFile {
	readonly path: string;
	readonly name: string;
	readonly size: number;
	readonly state: RunFileRow['state'];
	readonly reason: string | null;
	readonly job: string | null;
	readonly cards: number | null;
	readonly refused: number | null;
	readonly deliveredAs: string | null;
	readonly tries: number;
}

export interface ShownRun {
	readonly run: string;
	readonly route: string;
	readonly trigger: RunTrigger;
	readonly state: RunState;
	readonly startedAt: string;
	readonly endedAt: string | null;
	readonly files: readonly ShownRunFile[];
	readonly reason: string | null;
}

/** A file of the ledger. */
export interface ShownFile {
	readonly path: string;
	readonly size: number;
	readonly modifiedAt: string;
	readonly sha256: string | null;
	readonly state: LedgerState;
	readonly run: string | null;
	readonly tries: number;
	readonly nextTryAt: string | null;
	readonly reason: string | null;
}

type Reading = { readonly knex: Knex };

/** A run for pages, which word in the language of their reader why it and its files ended as they did. */
export interface ToldRun {
	readonly run: ShownRun;
	readonly failure: StoredWhy | null;
	/** Those of its files, in their order. */
	readonly failures: readonly (StoredWhy | null)[];
}

/** Returns runs of a route with what became of each file, youngest first. */
export async function listRuns(...asked: Parameters<typeof listToldRuns>): Promise<ShownRun[]> {
	return (await listToldRuns(...asked)).map(({ run }) => run);
}

/** Like `listRuns`, for pages. */
export async function listToldRuns(
	{ knex }: Reading,
	{ id, name }: { readonly id: string; readonly name: string },
	asked: RunsAsked,
): Promise<ToldRun[]> {
	const store = runStore(knex);
	const runs = await store.list(id, asked);
	const files = runs.length === 0 ? [] : await store.listFiles(runs.map((run) => run.id));
	const byRun = Map.groupBy(files, ({ run_id }) => run_id);
	return shownRuns(name, runs, files).map((run, nth) => ({
		...{ run, failure: readWhy(runs[nth]) },
		failures: (byRun.get(run.run) ?? []).map(readWhy),
	}));
}

/** A file of the ledger with its id, and why it stands as it does, for pages. */
export interface ToldFile {
	readonly id: number;
	readonly file: ShownFile;
	readonly failure: StoredWhy | null;
}

/** Returns files of the ledger of a route, youngest first. */
export async function listFiles(
	{ knex }: Reading,
	{ id }: { readonly id: string },
	asked: FilesAsked,
): Promise<ToldFile[]> {
	const rows = await ledgerStore(knex).list(id, asked);
	return shownFiles(rows).map((file, n) => ({ id: rows[n].id, file, failure: readWhy(rows[n]) }));
}

/** Shows runs of a route with their files. */
export function shownRuns(route: string, runs: readonly RunRow[], files: readonly RunFileRow[]): ShownRun[] {
	const byRun = Map.groupBy(files, ({ run_id }) => run_id);
	return runs.map(({ id, trigger, state, started_at, ended_at, reason }) => ({
		run: id,
		route,
		trigger,
		state,
		startedAt: new Date(started_at).toISOString(),
		endedAt: timeText(ended_at),
		files: (byRun.get(id) ?? []).map(shownRunFile),
		reason,
	}));
}

function shownRunFile(parts: RunFileRow): ShownRunFile {
	const { path, size, state, reason, job_id, cards, refused, delivered_as, tries } = parts;
	const name = path.split('/').at(-1)!;
	return { path, name, size, state, reason, job: job_id, cards, refused, deliveredAs: delivered_as, tries };
}

function shownFiles(rows: readonly LedgerRow[]): ShownFile[] {
	return rows.map(({ path, size, modified_at, sha256, state, run_id, tries, next_try_at, reason }) => ({
		path,
		size,
		modifiedAt: new Date(modified_at).toISOString(),
		sha256,
		state,
		run: run_id,
		tries,
		nextTryAt: timeText(next_try_at),
		reason,
	}));
}

function timeText(ms: number | null): string | null {
	return ms === null ? null : new Date(ms).toISOString();
}

const DAY_MS = 86_400_000;
/** The history of a route is kept for this time. Its ledger is kept as long as the route. */
const KEEP_DAYS = 400;
const PAGE = 200;

/** Removes runs that ended long ago; returns how many. Any daemon may run this, even two at once. */
export async function purgeRuns(parts: { readonly database: Database; readonly clock: Clock }): Promise<number> {
	const { database, clock } = parts;
	const before = clock.now().getTime() - KEEP_DAYS * DAY_MS;
	let removed = 0;
	for (;;) {
		const some = await runStore(database.knex).removeEnded(before, PAGE);
		removed += some;
		if (some < PAGE) return removed;
	}
}
