// Compares the listing of a source with the ledger, and tells which files are ready.

import type { Database } from '../../../base/database/open.ts';
import { nameBeside } from '../document/placeholders.ts';
import type { Route } from '../document/route.ts';
import type { Source, SourceEntry } from '../places/place.ts';
import { type LedgerRow, ledgerStore, type SeenFile } from './ledger-store.ts';
import { nameRules } from './name-patterns.ts';

/** A file that is left at the source for now, and why. */
export interface LeftFile {
	readonly path: string;
	readonly size: number;
	readonly reason: string;
}

/** A file that is ready. One that was never seen before has no row in a survey that writes nothing. */
export type ReadyFile = Pick<LedgerRow, 'path' | 'size' | 'modified_at'> & { readonly row?: LedgerRow };

export interface Survey {
	readonly ready: readonly ReadyFile[];
	/** The files of 0 bytes that raise an alarm. */
	readonly empty: readonly ReadyFile[];
	/** The first of the files that are left, and how many there are. */
	readonly left: readonly LeftFile[];
	readonly leftCount: number;
	/** When the first of those that only wait for time may be ready; undefined if none does. */
	readonly readyAt: number | undefined;
	/** The number of names that were listed. */
	readonly listed: number;
}

/** At most this many files that are left are named. */
const MAX_LEFT = 100;

export const LEFT = {
	changing: 'its size and time may still change',
	young: 'it is younger than ready.minAge',
	undone: 'its done-file is not there yet',
	empty: 'it has 0 bytes',
	delivered: 'it was delivered already',
	dead: 'it was given up: `route retry` takes it again',
	again: 'a file of this path came already, and from.again is never',
	underWay: 'a run has it already',
} as const;

/**
 * Surveys the source of a route. With `isTrial` nothing is written, and files that the ledger keeps from coming again are
 * among those that are left.
 */
export async function survey(
	source: Source,
	route: Route,
	{ database, routeId, now, isTrial = false }: { database: Database; routeId?: string; now: number; isTrial?: boolean },
): Promise<Survey> {
	const { ready: rule, again } = route.from;
	const store = ledgerStore(database.knex);
	const names = nameRules(route.from);
	const doneFiles = new Set<string>();
	const candidates: ReadyFile[] = [];
	const left: LeftFile[] = [];
	let leftCount = 0;
	let listed = 0;
	let readyAt: number | undefined;
	const leave = ({ path, size }: Pick<ReadyFile, 'path' | 'size'>, reason: string) => {
		leftCount += 1;
		if (left.length < MAX_LEFT) left.push({ path, size, reason });
	};
	/** Leaves a file that is ready at some time; returns whether that time has come. */
	const isTime = (file: ReadyFile, at: number, reason: string): boolean => {
		if (at <= now) return true;
		readyAt = Math.min(readyAt ?? at, at);
		leave(file, reason);
		return false;
	};
	const consider = (file: ReadyFile) => {
		const seenAt = file.row?.seen_at ?? now;
		if (!isTime(file, seenAt + rule.unchangedMs, LEFT.changing)) return;
		if (isTime(file, file.modified_at + rule.minAgeMs, LEFT.young)) candidates.push(file);
	};

	for await (const entries of source.list()) {
		listed += entries.length;
		for (const { name } of entries) if (names.isDoneFile(name)) doneFiles.add(name);
		const files = entries.filter(({ name }) => names.isFile(name));
		if (files.length === 0) continue;
		const known =
			routeId === undefined
				? []
				: await store.listByPaths(
						routeId,
						files.map(({ name }) => name),
					);
		const byPath = Map.groupBy(known, ({ path }) => path);
		const fresh: SeenFile[] = [];
		const changed: number[] = [];
		for (const entry of files) {
			const rows = byPath.get(entry.name) ?? [];
			const same = rows.find((row) => row.size === entry.size && row.modified_at === entry.modifiedAtMs);
			const file = { path: entry.name, size: entry.size, modified_at: entry.modifiedAtMs };
			const reason = same ? reasonOf(same) : blockedBy(rows, again);
			if (reason !== undefined) {
				if (isTrial) leave(file, reason);
			} else if (same) consider({ ...file, row: same });
			else if (isTrial) consider(file);
			else {
				changed.push(...rows.filter(({ state }) => state === 'seen').map(({ id }) => id));
				fresh.push(seenFile(routeId!, entry, now));
			}
		}
		if (changed.length > 0) await store.removeSeen(changed);
		if (fresh.length > 0) for (const row of await store.insertSeen(fresh)) consider({ ...row, row });
	}
	const done = candidates.filter((file) => {
		const { doneFile } = rule;
		const isDone = doneFile === undefined || doneFiles.has(nameBeside(doneFile, file.path));
		if (!isDone) leave(file, LEFT.undone);
		return isDone;
	});
	const empty = done.filter(({ size }) => size === 0 && rule.empty !== 'process');
	if (rule.empty === 'ignore') for (const file of empty) leave(file, LEFT.empty);
	const taken = done.filter(({ size }) => size > 0 || rule.empty === 'process');
	const inOrder = taken.toSorted((one, other) => (one.path < other.path ? -1 : 1));
	return { ready: inOrder, empty: rule.empty === 'alarm' ? empty : [], left, leftCount, readyAt, listed };
}

/** Returns why a file with the same path, size and time does not come again; undefined for one that was only seen. */
function reasonOf({ state }: LedgerRow): string | undefined {
	if (state === 'seen') return undefined;
	return { claimed: LEFT.underWay, done: LEFT.delivered, dead: LEFT.dead }[state];
}

/** Returns why a file with the path of others does not come; undefined if it does. */
function blockedBy(rows: readonly LedgerRow[], again: 'never' | 'whenChanged'): string | undefined {
	if (rows.some(({ state }) => state === 'claimed')) return LEFT.underWay;
	// A file that was empty when it was given up has not come yet.
	const came = rows.some(({ state, size }) => state === 'done' || (state === 'dead' && size > 0));
	return came && again === 'never' ? LEFT.again : undefined;
}

function seenFile(routeId: string, { name, size, modifiedAtMs }: SourceEntry, now: number): SeenFile {
	return { route_id: routeId, path: name, size, modified_at: modifiedAtMs, seen_at: now };
}
