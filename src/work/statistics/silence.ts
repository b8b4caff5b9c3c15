// Notices that an account which usually sends files has fallen silent. doctor, the portal, the metrics and the alerts ask
// here.

import type { Knex } from 'knex';
import { SPANS, startOf } from './periods.ts';
import { statisticsStore } from './statistics-store.ts';

const DAY_MS = 86_400_000;
/** Looks at the days of so many weeks, in which the habits of an account show: weekdays, weekends, the end of a month. */
const DAYS = 42;
/** An account that sent on fewer days has no habit. */
const LEAST_DAYS = 6;

/** Lists the accounts that pause longer than they did before, the longest pause first. All days are UTC. */
export async function listSilent(knex: Knex, now: number) {
	const today = startOf(SPANS.day, now) / DAY_MS;
	const sent = await statisticsStore(knex).listDaysWithFiles((today - DAYS) * DAY_MS);
	const silent = Array.from(sent, ([accountId, times]) => {
		const days = times.map((at) => at / DAY_MS);
		return { accountId, pause: pauseOf(days, today) };
	});
	return silent
		.flatMap(({ accountId, pause }) => (pause ? [{ accountId, ...pause }] : []))
		.sort((one, other) => other.days - one.days);
}

/**
 * Returns the pause of an account, given the days on which it sent and today, if it is at least two days and longer than
 * any before. `usual` is the longest before in whole days. Today is not over, so it does not count.
 */
export function pauseOf(days: readonly number[], today: number): { days: number; usual: number } | undefined {
	const sorted = [...new Set(days)].sort((one, other) => one - other);
	if (sorted.length < LEAST_DAYS) return undefined;
	const pauses = sorted.slice(1).map((day, i) => day - sorted[i] - 1);
	const usual = Math.max(...pauses);
	const pause = today - sorted.at(-1)! - 1;
	return pause >= 2 && pause > usual ? { days: pause, usual } : undefined;
}
