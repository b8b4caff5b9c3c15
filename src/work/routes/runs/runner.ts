// Carries out the runs of routes in one daemon. Routes and runs are in the database, and any number of daemons may take
// runs from it.

import { setTimeout as sleep } from 'node:timers/promises';
import { type FailureLog, oncePerMinute } from '../../../base/log/repeated.ts';
import type { PoolLogger } from '../../jobs/queue/pool.ts';
import { openSource } from '../places/open-ends.ts';
import { beginDueRuns } from './begin-runs.ts';
import { carryOut, type RunParts } from './carry-out.ts';
import { RunLostError } from './run-errors.ts';
import { type RunRow, runStore } from './run-store.ts';

export interface RunnerOptions {
	readonly parts: RunParts;
	readonly daemonId: string;
	/** Runs of a daemon that sends no sign of life for this long are taken over by another one. */
	readonly leaseMs: number;
	readonly pollMs?: number;
	readonly logger?: PoolLogger;
	readonly mayBegin?: () => boolean;
}

/** Whoever asks for a run waits for as long as this until it begins. */
const POLL_MS = 250;
/** One daemon carries out at most so many runs at once, because each has connections and buffers. */
const MAX_RUNS = 16;

export class RouteRunner {
	readonly #options: RunnerOptions;
	readonly #failures: FailureLog | undefined;
	readonly #running = new Map<string, { readonly stop: AbortController; readonly done: Promise<void> }>();
	readonly #loop: Promise<void>;
	readonly #closing = new AbortController();
	#renewedAtMs = 0;

	constructor(options: RunnerOptions) {
		this.#options = options;
		this.#failures = options.logger && oncePerMinute(options.logger);
		this.#loop = this.#watch();
	}

	/** Takes no more runs, and gives back those under way, with which another daemon or the next start goes on. */
	async close(): Promise<void> {
		this.#closing.abort();
		await this.#loop;
		for (const { stop } of this.#running.values()) stop.abort(new RunLostError());
		await Promise.all([...this.#running.values()].map(({ done }) => done));
	}

	async #watch(): Promise<void> {
		const { pollMs = POLL_MS, mayBegin = () => true } = this.#options;
		while (!this.#closing.signal.aborted) {
			try {
				await this.#renew();
				if (mayBegin()) await this.#take();
			} catch (error) {
				this.#failures?.warn({ err: error }, 'the routes that are due cannot be read');
			}
			await sleep(pollMs, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {});
		}
	}

	async #take(): Promise<void> {
		const { parts, leaseMs, daemonId } = this.#options;
		const store = runStore(parts.database.knex);
		const now = parts.clock.now().getTime();
		const lease = { daemonId, leaseUntil: now + leaseMs };
		const most = MAX_RUNS - this.#running.size;
		if (most <= 0) return;
		for (const run of await store.listUnclaimed(now, most)) {
			if (!this.#running.has(run.id) && (await store.take(run, lease))) this.#start(run);
		}
		if (this.#running.size >= MAX_RUNS) return;
		for (const run of await beginDueRuns(this.#beginParts(), lease)) this.#start(run);
	}

	#beginParts() {
		const { parts } = this.#options;
		return {
			database: parts.database,
			clock: parts.clock,
			openSource: async (...[row, route]: Parameters<Parameters<typeof beginDueRuns>[0]['openSource']>) => {
				const owner = { accountId: row.account_id, ownerId: row.account_id, signal: this.#closing.signal };
				return openSource(parts.ends, { ...owner, isAsked: false }, route.from.place);
			},
		};
	}

	#start(run: RunRow): void {
		const { parts, daemonId, logger } = this.#options;
		const stop = new AbortController();
		const about = { run: run.id, route: run.route_id, trigger: run.trigger };
		const done = carryOut(parts, run, daemonId, stop.signal)
			.then(() => logger?.info(about, 'run of a route ended'))
			.catch(async (error) => {
				if (!(error instanceof RunLostError)) logger?.error({ ...about, err: error }, 'a run of a route broke off');
				// Another daemon goes on with it, or this one if it can be read again.
				await runStore(parts.database.knex)
					.release(run.id, daemonId)
					.catch(() => {});
			})
			.finally(() => this.#running.delete(run.id));
		this.#running.set(run.id, { stop, done });
	}

	async #renew(): Promise<void> {
		const { parts, leaseMs, daemonId } = this.#options;
		const now = parts.clock.now().getTime();
		if (now - this.#renewedAtMs < leaseMs / 3 || this.#running.size === 0) return;
		this.#renewedAtMs = now;
		const ids = [...this.#running.keys()];
		const kept = await runStore(parts.database.knex).renew(ids, { daemonId, leaseUntil: now + leaseMs });
		for (const id of ids) if (!kept.has(id)) this.#running.get(id)?.stop.abort(new RunLostError());
	}
}
