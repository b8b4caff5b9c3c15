// Shows the runs and the ledger of a route as callers read them.

import type { Knex } from 'knex';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import { readWhy } from '../../../base/failures.ts';
import { type FilesAsked, type LedgerRow, ledgerStore } from '../ledger/ledger-store.ts';
import { type RunFileRow, type RunRow, type RunsAsked, runStore } from './run-store.ts';

type Reading = { readonly knex: Knex };

export type ShownRun = ReturnType<typeof shownRun>;

/** A run for pages, which word in the language of their reader why it and its files ended as they did. */
export type ToldRun = Awaited<ReturnType<typeof listToldRuns>>[number];

/** Returns runs of a route with what became of each file, youngest first. */
export async function listRuns(...asked: Parameters<typeof listToldRuns>): Promise<ShownRun[]> {
	return (await listToldRuns(...asked)).map(({ run }) => run);
}

/** Like `listRuns`, for pages. */
export async function listToldRuns(
	{ knex }: Reading,
	{ id, name }: { readonly id: string; readonly name: string },
	asked: RunsAsked,
) {
	const store = runStore(knex);
	const runs = await store.list(id, asked);
	const files = runs.length === 0 ? [] : await store.listFiles(runs.map((run) => run.id));
	const byRun = Map.groupBy(files, ({ run_id }) => run_id);
	return runs.map((run) => {
		const own = byRun.get(run.id) ?? [];
		return {
			run: shownRun(name, run, own),
			failure: readWhy(run),
			/** Those of its files, in their order. */
			failures: own.map(readWhy),
		};
	});
}

/** A file of the ledger. */
export type ShownFile = ReturnType<typeof shownFile>;

/** A file of the ledger with its id, and why it stands as it does, for pages. */
export type ToldFile = Awaited<ReturnType<typeof listFiles>>[number];

/** Returns files of the ledger of a route, youngest first. */
export async function listFiles({ knex }: Reading, { id }: { readonly id: string }, asked: FilesAsked) {
	const rows = await ledgerStore(knex).list(id, asked);
	return rows.map((row) => ({ id: row.id, file: shownFile(row), failure: readWhy(row) }));
}

export function shownRun(
	route: string,
	{ id, trigger, state, started_at, ended_at, reason }: RunRow,
	files: readonly RunFileRow[],
) {
	return {
		run: id,
		route,
		trigger,
		state,
		startedAt: new Date(started_at).toISOString(),
		endedAt: timeText(ended_at),
		files: files.map(shownRunFile),
		reason,
	};
}

function shownRunFile(parts: RunFileRow) {
	const { path, size, state, reason, job_id, cards, refused, delivered_as: deliveredAs, tries } = parts;
	const name = path.split('/').at(-1)!;
	return { path, name, size, state, reason, job: job_id as string | null, cards, refused, deliveredAs, tries };
}

function shownFile({ path, size, modified_at, sha256, state, run_id, tries, next_try_at, reason }: LedgerRow) {
	return {
		path,
		size,
		modifiedAt: new Date(modified_at).toISOString(),
		sha256,
		state,
		run: run_id,
		tries,
		nextTryAt: timeText(next_try_at),
		reason,
	};
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
