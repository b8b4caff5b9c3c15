// Runs tasks at their times. Every daemon keeps the schedule, but each due run is done only by the daemon that claims
// it first.

import { createTask, type ScheduledTask, validate } from 'node-cron';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { PoolLogger } from '../../work/jobs/queue/pool.ts';
import { scheduleStore } from '../../work/jobs/schedule-store.ts';

export interface Task {
	/** The name of the task. It must be unique and never change, because runs are claimed under it. */
	readonly name: string;
	/** The times as `minute hour day month weekday`, perhaps with seconds before; in UTC unless `timezone` is given. */
	readonly cron: string;
	readonly timezone?: string;
	/** Runs the task; the result is logged. It may run on another daemon every time. */
	run(): Promise<unknown>;
}

export interface ScheduleOptions {
	readonly database: Database;
	readonly daemonId: string;
	readonly tasks: readonly Task[];
	readonly clock?: Clock;
	readonly logger?: PoolLogger;
	/** Tells whether this daemon may run tasks now; while it may not, other daemons run them. */
	readonly mayRun?: () => boolean;
}

/** The record of a run, which names the daemon that did it, is kept for this time. */
const REMEMBER_MS = 7 * 24 * 3_600_000;
const SECOND_MS = 1_000;

export type Schedule = ReturnType<typeof openSchedule>;

/** @throws if the cron expression of a task is not valid */
export function openSchedule(options: ScheduleOptions) {
	const running = new Set<Promise<unknown>>();
	const track = <T>(work: Promise<T>): Promise<T> => {
		running.add(work);
		void work.catch(() => {}).finally(() => running.delete(work));
		return work;
	};
	const scheduled = options.tasks.map((task): ScheduledTask => {
		if (!validate(task.cron)) throw new Error(`task ${task.name}: '${task.cron}' is not a cron expression`);
		// `noOverlap` keeps a slow run from overlapping with the next one on the same daemon.
		const settings = {
			name: task.name,
			timezone: task.timezone ?? 'UTC',
			noOverlap: true,
			suppressMissedWarning: true,
		};
		return createTask(task.cron, ({ date }) => track(runFire(options, task, date)), settings);
	});
	for (const task of scheduled) void task.start();
	return {
		async close(): Promise<void> {
			for (const task of scheduled) await task.destroy();
			await Promise.allSettled(running);
		},
	};
}

/** Does one run of a task, if no other daemon has claimed it. A failure is logged, and the next run tries again. */
export async function runFire(options: ScheduleOptions, task: Task, date: Date): Promise<boolean> {
	const { database, daemonId, clock = systemClock, logger, mayRun = () => true } = options;
	if (!mayRun()) return false;
	const store = scheduleStore(database.knex);
	// The clocks of daemons differ by milliseconds, so a run is identified by its second on all daemons.
	const firesAt = Math.floor(date.getTime() / SECOND_MS) * SECOND_MS;
	const fire = { task: task.name, firesAt };
	const now = () => clock.now().getTime();
	try {
		if (!(await store.claim({ ...fire, daemonId, now: now() }))) return false;
		await store.prune(task.name, firesAt - REMEMBER_MS);
	} catch (error) {
		logger?.error({ task: task.name, err: error }, 'scheduled task could not be claimed');
		return false;
	}
	let outcome = 'done';
	try {
		const result = await task.run();
		logger?.info({ task: task.name, result }, 'scheduled task done');
	} catch (error) {
		outcome = 'failed';
		logger?.error({ task: task.name, err: error }, 'scheduled task failed');
	}
	await store.finish({ ...fire, now: now(), outcome }).catch((error: unknown) => {
		logger?.warn({ task: task.name, err: error }, 'the end of a scheduled task could not be noted');
	});
	return true;
}
