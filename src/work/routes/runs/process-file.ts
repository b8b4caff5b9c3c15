// Takes one file through the steps of its route: it is collected, processed as a job, delivered, and its source is cleared
// up. Each step is noted before the next one begins, and a file goes on where it was left.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { JobId } from '../../../base/database/ids.ts';
import type { Reason } from '../../../base/errors.ts';
import { told as failureTold, readWhy, type Why, why, whyColumns } from '../../../base/failures.ts';
import { CARD_IN_NAME } from '../../drops/drop-names.ts';
import { findFailure, type JobRow } from '../../jobs/job.ts';
import { jobStore } from '../../jobs/job-store.ts';
import { collect } from '../delivery/collect.ts';
import { deliver, factsOf } from '../delivery/deliver.ts';
import { deliverToDrop } from '../delivery/deliver-to-drop.ts';
import { type DeliveryParts, note, type RunContext } from '../delivery/delivery-parts.ts';
import { removeHeld } from '../delivery/held-content.ts';
import { fillPlaceholders, nameBeside } from '../document/placeholders.ts';
import type { Aftermath } from '../document/route.ts';
import { type LedgerRow, ledgerStore } from '../ledger/ledger-store.ts';
import type { Source, Target } from '../places/place.ts';
import { retryWaitMs } from '../times/retry-wait.ts';
import type { Teller } from './end-run.ts';
import { HopelessError, isAboutHost, PassingError, RunLostError, whyOf } from './run-errors.ts';
import { type RunFileRow, runStore } from './run-store.ts';

/** The ends of a run, which are opened when they are first needed. */
export interface RunEnds {
	source(): Promise<Source>;
	target(): Promise<Target>;
}

export interface ProcessParts extends DeliveryParts {
	readonly teller: Teller;
	/** Processes a job in this process; absent where workers take it from the queue. */
	readonly processJob?: (id: JobId) => Promise<void>;
	/** Makes ready for a job that is about to come, while its file is collected. */
	readonly prepareJob?: () => void;
	/** Tells about an error that is a bug. */
	onUnexpected(error: unknown, run: RunContext): void;
}

/** A job is looked at again after a part of the time that it has taken so far, so that its end is not noticed late. */
const LOOK_AGAIN = 0.05;
const SHORTEST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 500;

/**
 * Takes a file as far as it goes, and notes what became of it in this run.
 * @throws the error of an end that cannot be reached, and RunLostError; the file then waits for another run
 */
export async function processFile(
	parts: ProcessParts,
	run: RunContext,
	ends: RunEnds,
	claimed: LedgerRow,
): Promise<RunFileRow['state']> {
	const stored = readWhy(claimed);
	if (stored !== null && claimed.next_try_at === null) {
		const given = { reason: stored.reason, told: stored.told ?? failureTold('system-error') };
		await giveUp(parts, run, { ...claimed, tries: 1 }, { given, source: ends.source });
		return 'dead';
	}
	let row = claimed;
	try {
		if (row.delivered_at === null) {
			if (row.job_id === null && row.held_id === null) {
				if (run.route.do.operation !== 'none') parts.prepareJob?.();
				const collected = await collect(parts, run, await ends.source(), row);
				if ('needless' in collected) return await leave(parts, run, row, collected);
				row = collected.row;
			}
			if (row.job_id !== null) await untilProcessed(parts, run, row.job_id);
			row =
				run.route.to.place.kind === 'drop'
					? await deliverToDrop(parts, run, row)
					: await deliver(parts, run, await ends.target(), row);
		}
	} catch (error) {
		// What a step has noted before it failed is in the ledger.
		const now = await ledgerStore(parts.database.knex).findById(row.id);
		if (now?.state !== 'claimed' || error instanceof RunLostError || run.signal.aborted)
			throw run.signal.aborted ? new RunLostError() : error;
		await fail(parts, run, ends, now, error);
		if (isAboutHost(error)) throw error;
		return 'failed';
	}
	return finish(parts, run, ends, row);
}

/** Clears up the source after a delivery, and ends the file. */
async function finish(
	parts: ProcessParts,
	run: RunContext,
	ends: RunEnds,
	row: LedgerRow,
): Promise<RunFileRow['state']> {
	const { afterwards } = run.route.from;
	let left: Why | null = null;
	let movedTo: string | undefined;
	if (afterwards !== 'keep') {
		try {
			movedTo = await carryOutAftermath(run, await ends.source(), row, afterwards);
		} catch (error) {
			const tries = row.tries + 1;
			const reason = `it is delivered, but its source could not be cleared up: ${whyOf(error).reason}`;
			left = why(reason, 'source-not-cleared');
			// A delivered file is never given up. It is tried again until its tries are used up, and then stays where it is.
			if (error instanceof RunLostError || run.signal.aborted) throw new RunLostError();
			if (tries < run.route.retry.tries) {
				const next_try_at = parts.clock.now().getTime() + retryWaitMs(run.route, tries);
				await note(parts, run, row, { tries, next_try_at, ...whyColumns(left) }, told(run, 'delivered', left));
				if (isAboutHost(error)) throw error;
				return 'delivered';
			}
		}
	}
	const ended = { state: 'done' as const, ended_at: parts.clock.now().getTime(), next_try_at: null };
	const changes = { ...ended, ...whyColumns(left), ...(movedTo !== undefined && { moved_to: movedTo }) };
	const { alongside } = told(run, 'delivered', left);
	const replaced: LedgerRow[] = [];
	const done = await note(parts, run, row, changes, {
		async alongside(transaction, noted) {
			await alongside(transaction, noted);
			replaced.push(...(await ledgerStore(transaction).removeReplaced(noted)));
		},
	});
	for (const each of [done, ...replaced]) await removeHeld(parts, each);
	return 'delivered';
}

/** Ends a file that need not be delivered. One that changed while it was read is listed again as a new one. */
async function leave(
	parts: ProcessParts,
	run: RunContext,
	row: LedgerRow,
	{ needless, isChanging }: { readonly needless: Why; readonly isChanging?: true },
): Promise<RunFileRow['state']> {
	const ended_at = parts.clock.now().getTime();
	const changes = isChanging
		? { state: 'seen' as const, run_id: null, seen_at: ended_at }
		: { state: 'done' as const, ended_at, next_try_at: null, ...whyColumns(needless) };
	await note(parts, run, row, changes, told(run, 'skipped', needless));
	return 'skipped';
}

/** Notes a failed try. After the last one, or if no other would help, the file is given up. */
async function fail(parts: ProcessParts, run: RunContext, ends: RunEnds, row: LedgerRow, error: unknown) {
	const isOfHost = isAboutHost(error);
	const given = whyOf(error);
	if (!isKnown(error)) parts.onUnexpected(error, run);
	const tries = row.tries + 1;
	const now = parts.clock.now().getTime();
	const isDead = error instanceof HopelessError || tries >= run.route.retry.tries;
	if (!isDead) {
		const next_try_at = now + retryWaitMs(run.route, tries);
		await note(parts, run, row, { tries, next_try_at, ...whyColumns(given) }, told(run, 'failed', given));
		return;
	}
	await giveUp(parts, run, { ...row, tries }, { given, source: isOfHost ? undefined : ends.source });
}

/** Gives a file up: it stays in the ledger, and `route retry` takes it again. */
async function giveUp(
	parts: ProcessParts,
	run: RunContext,
	row: LedgerRow,
	{ given, source }: { readonly given: Why; readonly source: (() => Promise<Source>) | undefined },
): Promise<void> {
	const { onFailure } = run.route.from;
	const { reason } = given;
	let movedTo: string | undefined;
	// A file whose name is stored masked is not found at its source by that name.
	if (onFailure !== 'keep' && source && reason !== CARD_IN_NAME) {
		// The reason why the file was given up counts for more than that it could not be moved.
		movedTo = await source()
			.then((end) => carryOutAftermath(run, end, row, onFailure))
			.catch(() => undefined);
	}
	const changes = {
		state: 'dead' as const,
		tries: row.tries,
		...whyColumns(given),
		next_try_at: null,
		ended_at: parts.clock.now().getTime(),
		...(movedTo !== undefined && { moved_to: movedTo }),
	};
	const details = { path: row.path, size: row.size, reason, tries: row.tries };
	await note(parts, run, row, changes, {
		entry: { action: 'route.file_dead', details },
		async alongside(transaction, dead) {
			await told(run, 'dead', given).alongside(transaction, dead);
			const { accountId, userId, route } = run;
			const event = { accountId, userId, route: route.name, details: { run: run.id, ...details } };
			await parts.teller.tell(transaction, 'route.file_dead', event);
		},
	});
}

/**
 * Says in the history of the run what became of a file, in the transaction in which that happens: if the daemon ends after it,
 * the run goes on without the file, and its end tells of every file in the history.
 */
function told(run: RunContext, state: RunFileRow['state'], given: Why | null) {
	return {
		async alongside(transaction: Knex.Transaction, row: LedgerRow): Promise<void> {
			const job = row.job_id === null ? undefined : await jobStore(transaction).findById(row.job_id);
			await runStore(transaction).putFile({
				run_id: run.id,
				path: row.path,
				size: row.size,
				state,
				...whyColumns(given),
				job_id: row.job_id,
				cards: job?.cards ?? null,
				refused: job?.refused ?? null,
				delivered_as: row.delivered_as,
				tries: row.tries + (state === 'delivered' && row.state === 'done' ? 1 : 0),
			});
		},
	};
}

/** Waits until a job has ended. One that failed at an earlier try for no fault of its file is processed again first. */
async function untilProcessed({ database, intake, processJob }: ProcessParts, run: RunContext, id: JobId) {
	const before = await jobStore(database.knex).findById(id);
	if (before?.state === 'failed' && mayPass(before)) await intake.retry(before);
	await processJob?.(id);
	const since = performance.now();
	for (;;) {
		const job = await jobStore(database.knex).findById(id);
		if (job?.state === 'done') return;
		if (job === undefined) throw new HopelessError('its job is gone', failureTold('job-gone'));
		if (job.state === 'failed') throw failureOf(job);
		const waitMs = Math.min(Math.max((performance.now() - since) * LOOK_AGAIN, SHORTEST_WAIT_MS), LONGEST_WAIT_MS);
		await sleep(waitMs, undefined, { signal: run.signal });
	}
}

/** Somebody grants new units or lifts a block at any time, and stores that are away come back. */
const PASSING: ReadonlySet<string | null> = new Set<Reason>([
	'allowance-exceeded',
	'key-store-unavailable',
	'database-unavailable',
	'drop-store-unavailable',
]);

function mayPass({ error_reason }: JobRow): boolean {
	return PASSING.has(error_reason);
}

/** The queue has tried a job again by itself where that could help soon, so any other failed one is the fault of the file. */
function failureOf(job: JobRow): Error {
	const { error_reason, error_message, error_line, error_record } = job;
	const place =
		error_line !== null ? ` (line ${error_line})` : error_record !== null ? ` (record ${error_record})` : '';
	const text = `${error_message || error_reason || 'its job failed'}${place}`;
	const { code, parameters } = findFailure(job)!;
	const failure = { code, parameters };
	return mayPass(job) ? new PassingError(text, failure) : new HopelessError(text, failure);
}

function isKnown(error: unknown): boolean {
	const { name } = (error ?? {}) as { name?: unknown };
	const isOurs = error instanceof HopelessError || error instanceof PassingError;
	return isOurs || name === 'ServiceError' || name === 'UploadError' || isAboutHost(error);
}

/**
 * Deletes or moves a file at its source, together with its done-file, which would otherwise stand beside the next file of
 * the name. It may be repeated after a crash: a file that is gone counts as deleted. Returns where a moved file is now.
 */
async function carryOutAftermath(run: RunContext, source: Source, row: LedgerRow, aftermath: Aftermath) {
	if (aftermath === 'keep' || row.moved_to !== null) return undefined;
	const { doneFile } = run.route.from.ready;
	const beside = doneFile === undefined ? [] : [nameBeside(doneFile, row.path)];
	if (aftermath === 'delete') {
		for (const name of [row.path, ...beside]) await source.remove(name);
		return undefined;
	}
	const folder = fillPlaceholders(aftermath.move, factsOf(run, row));
	const movedTo = await source.move(row.path, folder);
	for (const name of beside) await source.remove(name);
	return movedTo;
}
