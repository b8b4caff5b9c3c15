// Tasks at their times. Every daemon keeps the schedule; each fire is run by the one that claims it first.

import { createTask, type ScheduledTask, validate } from 'node-cron';
import { type Clock, systemClock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import type { PoolLogger } from './pool.ts';
import { scheduleStore } from './schedule-store.ts';

export interface Task {
	/** Stable and unique: fires are claimed under it. */
	readonly name: string;
	/** `minute hour day month weekday`, seconds before that if need be; in UTC unless `timezone` says otherwise. */
	readonly cron: string;
	readonly timezone?: string;
	/** What it returns is logged. May run on another daemon every time. */
	run(): Promise<unknown>;
}

export interface ScheduleOptions {
	readonly database: Database;
	readonly daemonId: string;
	readonly tasks: readonly Task[];
	readonly clock?: Clock;
	readonly logger?: PoolLogger;
}

export interface Schedule {
	/** Stops the clockwork and waits for what runs. */
	close(): Promise<void>;
}

/** How long it is remembered who ran a fire. */
const REMEMBER_MS = 7 * 24 * 3_600_000;
const SECOND_MS = 1_000;

/** @throws when a task's expression is not one. */
export function openSchedule(options: ScheduleOptions): Schedule {
	const running = new Set<Promise<unknown>>();
	const track = <T>(work: Promise<T>): Promise<T> => {
		running.add(work);
		void work.catch(() => {}).finally(() => running.delete(work));
		return work;
	};
	const scheduled = options.tasks.map((task): ScheduledTask => {
		if (!validate(task.cron)) throw new Error(`task ${task.name}: '${task.cron}' is not a cron expression`);
		// A slow run must not overlap with the next one on the same daemon.
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
		async close() {
			for (const task of scheduled) await task.destroy();
			await Promise.allSettled(running);
		},
	};
}

/** One fire of one task, if no other daemon has taken it. A failure is logged; the next fire tries again. */
export async function runFire(options: ScheduleOptions, task: Task, date: Date): Promise<boolean> {
	const { database, daemonId, clock = systemClock, logger } = options;
	const store = scheduleStore(database.knex);
	// Clocks differ by milliseconds; a fire is the same on all daemons by its second.
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
