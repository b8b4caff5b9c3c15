// Ends a run: says how it ended, and when the route runs again.

import type { Knex } from 'knex';
import { transact } from '../../../base/database/dialect.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import { whyColumns } from '../../../base/failures.ts';
import { LoginRefusedError } from '../../../base/outbound/sftp/sftp-failures.ts';
import type { EventName } from '../../../base/outbox/event-types.ts';
import type { DeliveryParts, RunContext } from '../delivery/delivery-parts.ts';
import type { Route } from '../document/route.ts';
import { ledgerStore } from '../ledger/ledger-store.ts';
import { type RouteRow, routeStore } from '../route-store.ts';
import { retryWaitMs } from '../times/retry-wait.ts';
import { ARRIVAL_MS } from './begin-runs.ts';
import { HostRestsError, isAboutHost, RunLostError, whyOf } from './run-errors.ts';
import { type RunFileRow, type RunRow, type RunState, runStore } from './run-store.ts';

export interface RunEnd {
	/** The error of an end of the route because of which the run could not go on. */
	readonly error?: unknown;
	/** When files that are not ready yet may be; undefined if none wait. */
	readonly readyAt: number | undefined;
}

type Outcome = Exclude<RunState, 'running'>;

/** A run that has ended, as metrics count it. */
export interface SeenRun {
	readonly account: string;
	readonly route: string;
	readonly outcome: Outcome;
	readonly delivered: number;
	readonly failed: number;
	readonly dead: number;
	/** The bytes of the delivered files at their source. */
	readonly bytes: number;
}

type EndParts = Pick<DeliveryParts, 'database' | 'audit' | 'clock'> & {
	readonly teller: Teller;
	readonly onRun?: (run: SeenRun) => void;
};

/** A login that was refused so often in a row stops the route, because partners lock accounts. */
const MAX_FAILED_LOGINS = 3;

/** @throws RunLostError if another daemon has it */
export async function endRun(
	{ database, audit, clock, teller, onRun }: EndParts,
	context: RunContext,
	{ run, row, end }: { readonly run: RunRow; readonly row: RouteRow; readonly end: RunEnd },
): Promise<void> {
	const { knex } = database;
	const now = clock.now().getTime();
	const files = await runStore(knex).listFiles([run.id]);
	const isLogin = end.error instanceof LoginRefusedError;
	// Only a login that is taken ends the count, and a host that does not answer takes none.
	const failedLogins = isLogin ? row.failed_logins + 1 : isAboutHost(end.error) ? row.failed_logins : 0;
	const isStopped = failedLogins >= MAX_FAILED_LOGINS;
	const outcome = outcomeOf(files, end, isStopped);
	const failure = end.error === undefined ? null : whyOf(end.error);
	const reason = failure?.reason ?? null;
	const nextTry = await ledgerStore(knex).findNextTry(row.id);
	const isFailed = end.error !== undefined && !(end.error instanceof HostRestsError);
	const failedRuns = isFailed ? row.failed_runs + 1 : end.error === undefined ? 0 : row.failed_runs;
	const retryAt = isStopped ? null : retryTime({ route: context.route, end, failedRuns, nextTry, now });
	const counts = countFiles(files);
	await transact(database, async (transaction) => {
		if (
			!(await runStore(transaction).end(run.id, context.daemonId, {
				state: outcome,
				...whyColumns(failure),
				ended_at: now,
			}))
		) {
			throw new RunLostError();
		}
		await routeStore(transaction).update(
			row.id,
			{},
			{
				last_run_at: run.started_at,
				last_outcome: outcome,
				failed_logins: failedLogins,
				failed_runs: failedRuns,
				...(outcome === 'done' && { last_success_at: now }),
				...(isStopped && { stopped_reason: reason, next_run_at: null }),
			},
		);
		// A route that was paused meanwhile does not run again.
		await routeStore(transaction).update(row.id, { paused: false }, { retry_at: retryAt });
		const details = { run: run.id, trigger: run.trigger, outcome, ...counts, ...(reason !== null && { reason }) };
		const entry = { actor: context.actor, action: 'route.run', subject: context.subject, details };
		const type = isStopped ? 'route.stopped' : outcome === 'done' ? 'route.done' : 'route.failed';
		if (type !== 'route.done' || counts.delivered > 0) {
			const { accountId, userId, route } = context;
			const details = { run: run.id, outcome, ...counts, reason };
			await teller.tell(transaction, type, { accountId, userId, route: route.name, details });
		}
		await audit.record({ ...entry, account: { within: context.accountId } }, transaction);
	});
	const delivered = files.filter(({ state }) => state === 'delivered');
	const bytes = delivered.reduce((sum, { size }) => sum + Number(size), 0);
	onRun?.({ account: context.userId, route: context.route.name, outcome, ...counts, bytes });
}

function outcomeOf(files: readonly RunFileRow[], { error }: RunEnd, isStopped: boolean): Outcome {
	if (isStopped) return 'stopped';
	const { delivered, failed, dead } = countFiles(files);
	if (error === undefined && failed + dead === 0) return 'done';
	return delivered > 0 ? 'partly' : 'failed';
}

function countFiles(files: readonly RunFileRow[]) {
	const count = (state: RunFileRow['state']) => files.filter((file) => file.state === state).length;
	return { delivered: count('delivered'), failed: count('failed'), dead: count('dead') };
}

/** Returns when a route runs again beside its times: for files that wait, or after an end that could not be reached. */
function retryTime(parts: {
	readonly route: Route;
	readonly end: RunEnd;
	readonly failedRuns: number;
	readonly nextTry: number | undefined;
	readonly now: number;
}): number | null {
	const { route, failedRuns, nextTry, now } = parts;
	const { error, readyAt } = parts.end;
	const { retry, when } = route;
	const times: number[] = when && 'arrival' in when ? [now + ARRIVAL_MS] : [];
	if (error instanceof HostRestsError) times.push(error.untilMs);
	else if (error !== undefined) {
		// A route that waits for files never stops looking, and files that are claimed are tried until they are given up.
		const goesOn = failedRuns < retry.tries || nextTry !== undefined || times.length > 0;
		return goesOn ? Math.max(now + retryWaitMs(route, failedRuns), nextTry ?? 0) : null;
	}
	if (readyAt !== undefined) times.push(Math.max(readyAt, now + 1_000));
	if (nextTry !== undefined) times.push(Math.max(nextTry, now + 1_000));
	return times.length === 0 ? null : Math.min(...times);
}

/** The types of what a route tells. Their data hold no card data. */
type RouteEvent = Extract<EventName, `route.${string}`>;

interface Told {
	readonly accountId: AccountId;
	readonly userId: string;
	readonly route: string;
	readonly details: Readonly<Record<string, unknown>>;
}

export interface Teller {
	/** Tells something to whoever wants to know, in the transaction of what it is about. */
	tell(transaction: Knex.Transaction, type: RouteEvent, told: Told): Promise<void>;
}
