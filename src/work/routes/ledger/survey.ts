// Compares the listing of a source with the ledger, and tells which files are ready.

import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import type { Database } from '../../../base/database/open.ts';
import { type Why, why } from '../../../base/failures.ts';
import { maskCardNumbers } from '../../../base/log/card-numbers.ts';
import { Slices } from '../../../base/threads/slices.ts';
import { CARD_IN_NAME } from '../../drops/drop-names.ts';
import { nameBeside } from '../document/placeholders.ts';
import type { Route } from '../document/route.ts';
import type { Source } from '../places/place.ts';
import { type LedgerRow, ledgerStore, type SeenFile } from './ledger-store.ts';
import { nameRules } from './name-patterns.ts';

/** A file that is left at the source for now, and why. */
export interface LeftFile extends Why {
	readonly path: string;
	readonly size: number;
}

/** A file that is ready. One that was never seen before has no row in a survey that writes nothing. */
export type ReadyFile = Pick<LedgerRow, 'path' | 'size' | 'modified_at'> & { readonly row?: LedgerRow };

/** A file that is given up without being read, because no try would help, and why. */
export type HopelessFile = ReadyFile & Why;

export type Survey = Awaited<ReturnType<typeof survey>>;

/** At most this many files that are left are named. */
const MAX_LEFT = 100;

export const LEFT = {
	changing: why('its size and time may still change', 'file-changing'),
	young: why('it is younger than ready.minAge', 'file-too-young'),
	undone: why('its done-file is not there yet', 'done-file-missing'),
	empty: why('it has 0 bytes', 'file-empty'),
	delivered: why('it was delivered already', 'file-delivered-before'),
	dead: why('it was given up: `route retry` takes it again', 'file-given-up-before'),
	again: why(
		'a file of this path was delivered already, and from.again is never: `route forget` lets it come',
		'file-kept-away',
	),
	underWay: why('a run has it already', 'file-under-way'),
} as const satisfies Record<string, Why>;

/**
 * Returns the path of a file in the ledger. The ledger is stored in clear, so a card number in a name is masked: such a file is
 * never read, and only has to be told apart.
 */
function pathOf(name: string): string {
	return holdsCardNumber(name) ? maskCardNumbers(name) : name;
}

/**
 * Surveys the source of a route. With `isTrial` nothing is written, and files that the ledger keeps from coming again, and names
 * that are no files of the route, are among those that are left.
 */
export async function survey(
	source: Source,
	route: Route,
	{ database, routeId, now, isTrial = false }: { database: Database; routeId?: string; now: number; isTrial?: boolean },
) {
	const { ready: rule, again } = route.from;
	const store = ledgerStore(database.knex);
	const names = nameRules(route.from);
	const slices = new Slices();
	const doneFiles = new Set<string>();
	const masked = new Set<string>();
	const candidates: ReadyFile[] = [];
	/** The first of the files that are left. */
	const left: LeftFile[] = [];
	let leftCount = 0;
	let listed = 0;
	/** When the first of those that only wait for time may be ready; undefined if none does. */
	let readyAt: number | undefined;
	const leave = ({ path, size }: Pick<ReadyFile, 'path' | 'size'>, given: Why) => {
		leftCount += 1;
		if (left.length < MAX_LEFT) left.push({ path, size, ...given });
	};
	/** Leaves a file that is ready at some time; returns whether that time has come. */
	const isTime = (file: ReadyFile, at: number, given: Why): boolean => {
		if (at <= now) return true;
		readyAt = Math.min(readyAt ?? at, at);
		leave(file, given);
		return false;
	};
	const consider = (file: ReadyFile) => {
		const seenAt = file.row?.seen_at ?? now;
		if (!isTime(file, seenAt + rule.unchangedMs, LEFT.changing)) return;
		// The clock of a partner may be ahead, so the time of a file counts only where an age is asked for.
		if (rule.minAgeMs === 0 || isTime(file, file.modified_at + rule.minAgeMs, LEFT.young)) candidates.push(file);
	};

	for await (const entries of source.list()) {
		listed += entries.length;
		const files: ReadyFile[] = [];
		for (const { name, size, modifiedAtMs } of entries) {
			// A partner may list many names, and a document may have a hundred patterns.
			const pause = slices.giveWay();
			if (pause) await pause;
			const [path, unwanted] = [pathOf(name), names.whyNot(name)];
			if (names.isDoneFile(name)) doneFiles.add(path);
			if (unwanted === undefined) {
				files.push({ path, size, modified_at: modifiedAtMs });
				if (path !== name) masked.add(path);
			} else if (isTrial) leave({ path, size }, unwanted);
		}
		if (files.length === 0) continue;
		const paths = files.map(({ path }) => path);
		const known = routeId === undefined ? [] : await store.listByPaths(routeId, paths);
		const byPath = Map.groupBy(known, ({ path }) => path);
		const fresh: SeenFile[] = [];
		const changed: number[] = [];
		for (const file of files) {
			const rows = byPath.get(file.path) ?? [];
			const same = rows.find((row) => row.size === file.size && row.modified_at === file.modified_at);
			const blocked = same ? whyBlocked(same) : blockedBy(rows, again);
			if (blocked !== undefined) {
				// That a partner sends a name anew, and nothing comes of it, is told by each run.
				if (isTrial || blocked === LEFT.again) leave(file, blocked);
			} else if (same) consider({ ...file, row: same });
			else if (isTrial) consider(file);
			else {
				changed.push(...rows.filter(({ state }) => state === 'seen').map(({ id }) => id));
				fresh.push({ route_id: routeId!, ...file, seen_at: now });
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
	const ready: ReadyFile[] = [];
	/** The files that are given up: those of 0 bytes that raise an alarm, and those whose names hold a card number. */
	const hopeless: HopelessFile[] = [];
	for (const file of done.toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
		if (masked.has(file.path)) hopeless.push({ ...file, ...why(CARD_IN_NAME, 'card-in-name') });
		else if (file.size > 0 || rule.empty === 'process') ready.push(file);
		else if (rule.empty === 'alarm') hopeless.push({ ...file, ...LEFT.empty });
		else leave(file, LEFT.empty);
	}
	return { ready, hopeless, left, leftCount, readyAt, listed };
}

/** Returns why a file with the same path, size and time does not come again; undefined for one that was only seen. */
function whyBlocked({ state }: LedgerRow): Why | undefined {
	if (state === 'seen') return undefined;
	return { claimed: LEFT.underWay, done: LEFT.delivered, dead: LEFT.dead }[state];
}

/** Returns why a file with the path of others does not come; undefined if it does. Only what was delivered keeps it away. */
function blockedBy(rows: readonly LedgerRow[], again: 'never' | 'whenChanged'): Why | undefined {
	if (rows.some(({ state }) => state === 'claimed')) return LEFT.underWay;
	return again === 'never' && rows.some(({ state }) => state === 'done') ? LEFT.again : undefined;
}
