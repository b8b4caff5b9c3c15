// Compares the clock of this daemon with that of the database. Leases, schedules and retention compare times that
// several daemons have written, so a daemon whose clock is wrong would take the jobs of others or lose its own, and would
// delete what is not due.

import type { Clock } from '../../base/clock.ts';
import { readClockOffset } from '../../base/database/checks.ts';
import type { Database } from '../../base/database/open.ts';

const LOOK_EVERY_MS = 10_000;
/** Two daemons may then differ by ten seconds, which is what the rotation of keys is made for. */
const MOST_OFFSET_MS = 5_000;

interface ClockLogger {
	info(details: object, message: string): void;
	error(details: object, message: string): void;
}

export type ClockWatch = Awaited<ReturnType<typeof openClockWatch>>;

/**
 * Compares the clocks now and from time to time. SQLite has no clock of its own, and only one daemon.
 * @throws Error if the clock of this machine differs by more than a third of the lease, or by more than five seconds
 */
export async function openClockWatch(options: {
	readonly database: Database;
	readonly clock: Clock;
	readonly logger: ClockLogger;
	readonly leaseMs: number;
	readonly everyMs?: number;
}) {
	const { database, clock, logger, leaseMs, everyMs = LOOK_EVERY_MS } = options;
	// A daemon renews its leases when a third of their time is over, so two thirds are left then. That is enough for
	// another daemon not to see them run out, even if its clock is ahead by a third and that of the first behind by a third.
	const mostMs = Math.min(MOST_OFFSET_MS, leaseMs / 3);
	const wrongBy = async (): Promise<number | undefined> => {
		const offset = (await readClockOffset(database, () => clock.now().getTime())) ?? 0;
		return Math.abs(offset) > mostMs ? offset : undefined;
	};
	let wrongMs = await wrongBy();
	if (wrongMs !== undefined) {
		throw new Error(
			`${described(wrongMs)}; they may differ by ${mostMs / 1000} s. Daemons with different clocks take each other's jobs ` +
				'and delete what is not due, so this one does not start: let both machines take their time from NTP',
		);
	}
	let isLooking = false;
	const look = async () => {
		if (isLooking) return;
		isLooking = true;
		try {
			const before = wrongMs;
			wrongMs = await wrongBy();
			if (wrongMs !== undefined && before === undefined) {
				const message =
					'the clock differs from that of the database: this daemon begins no jobs and no scheduled tasks';
				logger.error({ databaseAheadMs: wrongMs, mostMs }, message);
			}
			if (wrongMs === undefined && before !== undefined) logger.info({}, 'the clock is right: this daemon works again');
		} catch {
			// The database did not answer. Jobs and tasks are claimed there, so none is begun until it answers again.
		} finally {
			isLooking = false;
		}
	};
	const timer = database.dialect === 'sqlite' ? undefined : setInterval(() => void look(), everyMs);
	timer?.unref();
	return {
		/** Returns whether this daemon may begin work: claim and take over jobs, and run scheduled tasks. */
		isRight: () => wrongMs === undefined,
		/** Returns what is wrong, for `/readyz`; undefined if nothing is. */
		warning: () =>
			wrongMs === undefined
				? undefined
				: `${described(wrongMs)}: this daemon begins no jobs and no scheduled tasks until it is right`,
		close: () => clearInterval(timer),
	};
}

/** @param offsetMs by how much the clock of the database is ahead */
function described(offsetMs: number): string {
	const seconds = Math.round(Math.abs(offsetMs) / 1000);
	return `the clock of this machine is ${seconds} s ${offsetMs < 0 ? 'ahead of' : 'behind'} that of the database`;
}
