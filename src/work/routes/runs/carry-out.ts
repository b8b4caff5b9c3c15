// Carries out a run of a route: looks at the source, claims what is ready, takes each file through its steps, and says how
// the run ended and when the next one follows.

import { setTimeout as sleep } from 'node:timers/promises';
import { transact } from '../../../base/database/dialect.ts';
import { why, whyColumns } from '../../../base/failures.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { RunContext } from '../delivery/delivery-parts.ts';
import { messageOptionsOf } from '../document/route.ts';
import { ledgerStore } from '../ledger/ledger-store.ts';
import { type LeftFile, type Survey, survey } from '../ledger/survey.ts';
import { type EndOwner, type EndParts, openSource, openTarget } from '../places/open-ends.ts';
import type { Source, Target } from '../places/place.ts';
import { type RouteRow, routeStore, routeSubject, sealedRoutes } from '../route-store.ts';
import { routeOf } from '../routes.ts';
import { endRun, type RunEnd, type SeenRun } from './end-run.ts';
import { type ProcessParts, processFile, type RunEnds } from './process-file.ts';
import { HostRestsError, RunLostError } from './run-errors.ts';
import { type RunRow, runStore } from './run-store.ts';

export interface RunParts extends ProcessParts {
	readonly keyRing: Pick<KeyRing, 'seals'>;
	readonly accounts: Pick<Identity['accounts'], 'findById'>;
	readonly ends: EndParts;
	readonly onRun?: (run: SeenRun) => void;
}

/** So many files of a run are under way at once. */
const LANES = 4;

/** @throws RunLostError if another daemon takes it over meanwhile or `signal` is aborted */
export async function carryOut(parts: RunParts, run: RunRow, daemonId: string, signal: AbortSignal): Promise<void> {
	const row = await parts.keyRing.seals.find(sealedRoutes, () =>
		routeStore(parts.database.knex).findById(run.route_id),
	);
	const context = row && (await contextOf(parts, run, row, { daemonId, signal }));
	if (!row || !context) {
		await runStore(parts.database.knex).end(run.id, daemonId, {
			state: 'failed',
			ended_at: parts.clock.now().getTime(),
			...whyColumns(
				row
					? why('the account is gone or disabled', 'account-gone')
					: why('the route is gone, or was altered in the database', 'route-gone'),
			),
		});
		return;
	}
	await ledgerStore(parts.database.knex).handOver(run.route_id, run.id);
	const owner: EndOwner = {
		accountId: context.accountId,
		ownerId: context.ownerId,
		signal,
		isAsked: run.trigger === 'hand' || run.trigger === 'http',
	};
	const opened = openedEnds(parts.ends, owner, context);
	// A partner that does not answer must not hold up the end of the daemon.
	const closeEnds = () => opened.close();
	signal.addEventListener('abort', closeEnds, { once: true });
	let end: RunEnd;
	try {
		end = await workThrough(parts, context, opened);
	} catch (error) {
		if (error instanceof RunLostError || signal.aborted) throw new RunLostError();
		end = { error, readyAt: undefined };
		if (!isExpected(error)) parts.onUnexpected(error, context);
	} finally {
		signal.removeEventListener('abort', closeEnds);
		opened.close();
	}
	await endRun(parts, context, { run, row, end });
}

function isExpected(error: unknown): boolean {
	return error instanceof HostRestsError || (error as Error | null)?.name === 'ServiceError';
}

type Context = RunContext & { readonly ownerId: EndOwner['ownerId'] };

async function contextOf(
	{ accounts }: RunParts,
	run: RunRow,
	row: RouteRow,
	{ daemonId, signal }: { readonly daemonId: string; readonly signal: AbortSignal },
): Promise<Context | undefined> {
	const account = await accounts.findById(run.account_id);
	if (!account || account.disabledAt !== null || account.isBroken) return undefined;
	const route = routeOf(row);
	const own = row.own_options === null ? undefined : (JSON.parse(row.own_options) as Record<string, unknown>);
	const pgp = messageOptionsOf(route.do);
	const options = { ...route.do.options, ...(pgp && { pgp }), ...own };
	return {
		id: run.id,
		daemonId,
		routeId: row.id,
		route,
		signal,
		accountId: account.id,
		ownerId: account.parentId ?? account.id,
		userId: account.userId,
		options: Object.keys(options).length === 0 ? undefined : options,
		subject: routeSubject(account.userId, row.name),
		actor: `route ${row.name}`,
	};
}

/** Opens each end when it is first needed, once, and closes both. An end whose connection is lost is opened anew. */
function openedEnds(parts: EndParts, owner: EndOwner, { route }: RunContext): RunEnds & { close(): void } {
	let source: Promise<Source> | undefined;
	let target: Promise<Target> | undefined;
	const alive = async <E extends Source | Target>(end: Promise<E> | undefined, open: () => Promise<E>): Promise<E> => {
		if (end && (await end).isAlive) return end;
		return open();
	};
	return {
		source: () => (source = alive(source, () => openSource(parts, owner, route.from.place))),
		target: () => (target = alive(target, () => openTarget(parts, owner, route.to.place))),
		close() {
			for (const end of [source, target]) void end?.then((each) => each.close()).catch(() => {});
		},
	};
}

/** Looks for files and processes them; returns when the next look is worth while. */
async function workThrough(parts: RunParts, run: Context, ends: RunEnds): Promise<RunEnd> {
	const { database, clock } = parts;
	let readyAt: number | undefined;
	let left: readonly LeftFile[] = [];
	for (let looks = 1; looks <= 2; looks++) {
		// A timer may end a millisecond before its time by the clock, and a clock may be set back meanwhile. The second look has
		// waited for its files to become ready all the same.
		const now = Math.max(clock.now().getTime(), readyAt ?? 0);
		const seen = await survey(await ends.source(), run.route, { database, routeId: run.routeId, now });
		await claimAll(parts, run, seen);
		left = seen.left;
		readyAt = seen.readyAt;
		await processDue(parts, run, ends);
		const waitMs = (readyAt ?? 0) - clock.now().getTime();
		// A second look follows at once where files only have to stay unchanged. What is not ready then, waits.
		if (readyAt === undefined || waitMs > run.route.from.ready.unchangedMs + 1_000 || looks === 2) break;
		await sleep(Math.max(waitMs, 0), undefined, { signal: run.signal });
	}
	for (const { path, size, ...each } of left) {
		const columns = { ...whyColumns(each), job_id: null, tries: 0 };
		const row = { run_id: run.id, path, size, state: 'skipped' as const, ...columns };
		await runStore(database.knex).putFile({ ...row, cards: null, refused: null, delivered_as: null });
	}
	return { readyAt };
}

/** Claims the files that are ready for this run, and the hopeless ones, to give them up. */
async function claimAll(parts: RunParts, run: Context, { ready, hopeless }: Survey): Promise<void> {
	const claimed_at = parts.clock.now().getTime();
	const files = [
		...ready.map(({ row }) => ({ id: row!.id, hopeless: null })),
		...hopeless.map(({ row, reason, told }) => ({ id: row!.id, hopeless: { reason, told } })),
	];
	if (files.length === 0) return;
	await transact(parts.database, async (transaction) => {
		if (!(await runStore(transaction).isOurs(run.id, run.daemonId))) throw new RunLostError();
		const first = await routeStore(transaction).countFiles(run.routeId, files.length);
		for (const [nth, { id, hopeless }] of files.entries()) {
			await ledgerStore(transaction).claim(id, {
				run_id: run.id,
				claimed_at,
				seq: first + nth,
				...whyColumns(hopeless),
			});
		}
	});
}

/**
 * Takes the claimed files whose time has come through their steps, some at once. None of them is under way any more when this
 * settles, because this daemon may take the run again.
 */
async function processDue(parts: RunParts, run: Context, ends: RunEnds): Promise<void> {
	const due = await ledgerStore(parts.database.knex).listDue(run.routeId, parts.clock.now().getTime());
	let failure: unknown;
	const lane = async () => {
		for (let row = due.shift(); row && failure === undefined; row = due.shift()) {
			if (run.signal.aborted) failure = new RunLostError();
			else {
				await processFile(parts, run, ends, row).catch((error) => {
					failure ??= error;
				});
			}
		}
	};
	await Promise.all(Array.from({ length: LANES }, lane));
	if (failure !== undefined) throw failure;
}
