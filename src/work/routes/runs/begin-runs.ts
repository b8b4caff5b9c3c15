// Begins the runs whose time has come. A row is claimed by what it said when it was read, so that of several daemons one
// begins each run.

import type { Clock } from '../../../base/clock.ts';
import { isUniqueViolation, transact } from '../../../base/database/dialect.ts';
import type { Database } from '../../../base/database/open.ts';
import { makeUlid } from '../../../base/database/ulid.ts';
import { badInput } from '../../../base/errors.ts';
import { whyColumns } from '../../../base/failures.ts';
import type { Route } from '../document/route.ts';
import { ledgerStore } from '../ledger/ledger-store.ts';
import { survey } from '../ledger/survey.ts';
import type { Source } from '../places/place.ts';
import { type RouteRow, routeStore } from '../route-store.ts';
import { routeOf } from '../routes.ts';
import { nextRunAt } from '../times/next-run-at.ts';
import { type RunLease, type RunRow, type RunTrigger, runStore } from './run-store.ts';

export interface BeginParts {
	readonly database: Database;
	readonly clock: Clock;
	openSource(row: RouteRow, route: Route): Promise<Source>;
}

/** A run that begins later than this has missed its time. */
const LATE_MS = 60_000;
/** How often a route looks for files that come, in drops and folders of the server. */
export const ARRIVAL_MS = 2_000;
const AT_ONCE = 100;

/** Begins the runs that are due, and returns those that this daemon is to carry out. */
export async function beginDueRuns(parts: BeginParts, lease: RunLease): Promise<RunRow[]> {
	const { database, clock } = parts;
	const begun: RunRow[] = [];
	for (const row of await routeStore(database.knex).listDue(clock.now().getTime(), AT_ONCE)) {
		const run = await begin(parts, row, lease);
		if (run) begun.push(run);
	}
	return begun;
}

async function begin(parts: BeginParts, row: RouteRow, lease: RunLease): Promise<RunRow | undefined> {
	const { database, clock } = parts;
	const route = routeOf(row);
	const now = clock.now().getTime();
	const isByTimes = row.next_run_at !== null && row.next_run_at <= now;
	const next = isByTimes && route.when ? (nextRunAt(route.when, new Date(now))?.getTime() ?? null) : row.next_run_at;
	const times = { next_run_at: row.next_run_at, retry_at: row.retry_at };
	const isLate = isByTimes && (await hasMissed(database, row, now));
	const isArrival = !isByTimes && route.when !== undefined && 'arrival' in route.when;
	if ((isLate && route.missed === 'skip') || isArrival) {
		const changes = { next_run_at: next, retry_at: isArrival ? now + ARRIVAL_MS : row.retry_at };
		const isOurs = await routeStore(database.knex).update(row.id, times, changes);
		if (!isOurs || !isArrival || !(await hasCome(parts, row, route, now))) return undefined;
		Object.assign(times, changes);
	}
	const trigger = isLate ? 'missed' : triggerOf(route);
	try {
		return await transact(database, async (transaction) => {
			const changes = { next_run_at: next, retry_at: null };
			if (!(await routeStore(transaction).update(row.id, times, changes))) return undefined;
			const run = { ...newRun(row, trigger, now), claimed_by: lease.daemonId, lease_until: lease.leaseUntil };
			await runStore(transaction).insert(run);
			return run;
		});
	} catch (error) {
		// Another daemon, or somebody by hand, has begun a run at the same moment.
		if (isUniqueViolation(error)) return undefined;
		throw error;
	}
}

/** Tells whether a run is late because no daemon was there at its time, and not because an earlier run took so long. */
async function hasMissed({ knex }: Database, { id, next_run_at }: RouteRow, now: number): Promise<boolean> {
	if (now - next_run_at! <= LATE_MS) return false;
	const [last] = await runStore(knex).list(id, { limit: 1 });
	return (last?.ended_at ?? 0) < next_run_at!;
}

async function hasCome(parts: BeginParts, row: RouteRow, route: Route, now: number): Promise<boolean> {
	const { database } = parts;
	const nextTry = await ledgerStore(database.knex).findNextTry(row.id);
	if (nextTry !== undefined && nextTry <= now) return true;
	try {
		const source = await parts.openSource(row, route);
		try {
			const { ready, hopeless } = await survey(source, route, { database, routeId: row.id, now });
			return ready.length + hopeless.length > 0;
		} finally {
			source.close();
		}
	} catch {
		// The run meets the same failure, and its history says which.
		return true;
	}
}

function triggerOf({ when }: Route): RunTrigger {
	if (when === undefined) return 'hand';
	return 'cron' in when ? 'cron' : 'everyMs' in when ? 'every' : 'arrival';
}

function newRun({ id, account_id }: RouteRow, trigger: RunTrigger, now: number): RunRow {
	return {
		id: makeUlid(now),
		route_id: id,
		account_id,
		trigger,
		state: 'running',
		...whyColumns(null),
		started_at: now,
		ended_at: null,
		claimed_by: null,
		lease_until: null,
	};
}

/**
 * Asks for a run of a route, which a daemon then carries out.
 * @throws ServiceError if the route runs already or is stopped
 */
export async function askForRun(
	{ database, clock }: Pick<BeginParts, 'database' | 'clock'>,
	row: RouteRow,
	trigger: 'hand' | 'http',
): Promise<RunRow> {
	if (row.stopped_reason !== null) {
		throw badInput('name', 'is stopped because its login was refused: correct the destination, then `route resume`');
	}
	const run = newRun(row, trigger, clock.now().getTime());
	try {
		await runStore(database.knex).insert(run);
	} catch (error) {
		if (!isUniqueViolation(error)) throw error;
		throw badInput('name', 'is running already');
	}
	return run;
}
