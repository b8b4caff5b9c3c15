import type { Knex } from 'knex';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import { queryRows } from '../database/sql.ts';
import type { Ban, Report, Standing } from './defender.ts';

/** The listeners. Each has its own scores and bans. */
export type Door = 'sftp' | 'http';

interface ScoreRow {
	readonly door: Door;
	readonly address: string;
	readonly window_start: number;
	readonly window_ms: number;
	readonly score: number;
	readonly previous_score: number;
	readonly banned_until: number;
	readonly banned_at: number;
	readonly told_at: number;
	readonly expires_at: number;
}

const COLUMNS = [
	...(['door', 'address', 'window_start', 'window_ms', 'score'] as const),
	...(['previous_score', 'banned_until', 'banned_at', 'told_at', 'expires_at'] as const),
];

/**
 * Returns the SQL expression for the new value of a column when a report (`excluded`) is added to the stored row
 * (`known`). The expression moves the window of the score forward in the same way as `slide` in defender.ts.
 */
function merged(outcome: Record<'onBan' | 'whileBanned' | 'sameWindow' | 'nextWindow' | 'later', string>): string {
	return `case
		when excluded.banned_until > 0 then ${outcome.onBan}
		when known.banned_until > excluded.told_at then ${outcome.whileBanned}
		when excluded.window_start < known.window_start + excluded.window_ms then ${outcome.sameWindow}
		when excluded.window_start < known.window_start + 2 * excluded.window_ms then ${outcome.nextWindow}
		else ${outcome.later} end`;
}

/** Returns the SQL expression for the new value of a column that changes only if the report contains a ban. */
const onBan = (sql: string, column: string) => `case when excluded.banned_until > 0 then ${sql} else ${column} end`;
const laterBan =
	'case when excluded.banned_until > known.banned_until then excluded.banned_until else known.banned_until end';

/**
 * The SQL assignments that add a report to the stored row. A ban resets the score. Events of a banned address that were
 * reported by a daemon that does not know of the ban yet are not counted.
 */
const MERGE = Object.entries({
	window_start: merged({
		onBan: 'excluded.window_start',
		whileBanned: 'known.window_start',
		sameWindow: 'known.window_start',
		nextWindow: 'known.window_start + excluded.window_ms',
		later: 'excluded.window_start',
	}),
	window_ms: 'excluded.window_ms',
	score: merged({
		onBan: '0',
		whileBanned: 'known.score',
		sameWindow: 'known.score + excluded.score',
		nextWindow: 'excluded.score',
		later: 'excluded.score',
	}),
	previous_score: merged({
		onBan: '0',
		whileBanned: 'known.previous_score',
		sameWindow: 'known.previous_score',
		nextWindow: 'known.score',
		later: '0',
	}),
	banned_until: onBan(laterBan, 'known.banned_until'),
	banned_at: onBan('excluded.banned_at', 'known.banned_at'),
	told_at: 'excluded.told_at',
	expires_at: merged({
		onBan: 'case when excluded.expires_at > known.expires_at then excluded.expires_at else known.expires_at end',
		whileBanned: 'known.expires_at',
		sameWindow: 'known.window_start + 2 * excluded.window_ms',
		nextWindow: 'known.window_start + 3 * excluded.window_ms',
		later: 'excluded.expires_at',
	}),
})
	.map(([column, sql]) => `${column} = ${sql}`)
	.join(', ');

/** Each method is a single statement over `defender_scores`. */
export function scoreStore(knex: Knex) {
	return {
		/**
		 * Adds reports of different addresses to the stored rows in one statement, and returns the new scores, which
		 * count the reports of all daemons.
		 */
		async add(
			door: Door,
			reports: readonly Report[],
			{ nowMs, windowMs }: { readonly nowMs: number; readonly windowMs: number },
		): Promise<Standing[]> {
			if (reports.length === 0) return [];
			// All daemons write addresses in the same order, because otherwise two daemons that write at the same time would
			// deadlock.
			const sorted = reports.toSorted((a, b) => (a.address < b.address ? -1 : 1));
			const rows = sorted.map((report) => rowOf(door, report, nowMs, windowMs));
			const tuple = `(${COLUMNS.map(() => '?').join(', ')})`;
			const result = await queryRows<ScoreRow>(
				knex,
				`insert into defender_scores as known (${COLUMNS.join(', ')}) values ${rows.map(() => tuple).join(', ')}
				on conflict (door, address) do update set ${MERGE} returning *`,
				rows.flatMap((row) => COLUMNS.map((column) => row[column])),
			);
			return result.map(standingOf);
		},
		/** Finds bans decided or lifted since a time, the latest `limit` of them, in the order of the decisions. */
		async findDecisions(sinceMs: number, limit: number): Promise<(Ban & { readonly door: Door })[]> {
			const rows = await knex<ScoreRow>('defender_scores')
				.where('banned_at', '>', 0)
				.andWhere('banned_at', '>=', sinceMs)
				.orderBy('banned_at', 'desc')
				.limit(limit);
			return rows.reverse().map((row) => ({ door: row.door, ...standingOf(row) }));
		},
		/** Lists banned addresses, the latest first. */
		async listBans(nowMs: number): Promise<(Ban & { readonly door: Door })[]> {
			const rows = await knex<ScoreRow>('defender_scores')
				.where('banned_until', '>', nowMs)
				.orderBy([{ column: 'banned_at', order: 'desc' }, 'address']);
			return rows.map((row) => ({ door: row.door, ...standingOf(row) }));
		},
		/**
		 * Ends the bans of an address and of its users, resets their scores, and returns the listeners on which there
		 * was such a ban. The daemons learn of the end of a ban in the same way as of a new ban.
		 */
		async lift(address: string, nowMs: number): Promise<Door[]> {
			const lifted = await knex<ScoreRow>('defender_scores')
				.where((one) => one.where('address', address).orWhere('address', 'like', `${address} %`))
				.andWhere('banned_until', '>', nowMs)
				.update({ banned_until: 0, banned_at: nowMs, score: 0, previous_score: 0 })
				.returning('door');
			return [...new Set(lifted.map(({ door }) => door))];
		},
		/** Deletes at most `limit` addresses whose score and ban have expired, and returns how many. */
		async deleteExpired(nowMs: number, limit: number): Promise<number> {
			const expired = knex('defender_scores').where('expires_at', '<=', nowMs).select('door', 'address').limit(limit);
			return knex('defender_scores').whereIn(['door', 'address'], expired).andWhere('expires_at', '<=', nowMs).delete();
		},
	};
}

function rowOf(door: Door, report: Report, nowMs: number, windowMs: number): ScoreRow {
	const { address, points, sinceMs, bannedUntilMs } = report;
	const isBan = bannedUntilMs > 0;
	return {
		door,
		address,
		window_start: isBan ? nowMs : sinceMs,
		window_ms: windowMs,
		score: isBan ? 0 : points,
		previous_score: 0,
		banned_until: bannedUntilMs,
		banned_at: isBan ? nowMs : 0,
		told_at: nowMs,
		expires_at: Math.max(sinceMs + 2 * windowMs, bannedUntilMs),
	};
}

function standingOf(row: ScoreRow): Standing {
	return {
		address: row.address,
		windowStartMs: row.window_start,
		current: row.score,
		previous: row.previous_score,
		untilMs: row.banned_until,
		decidedAtMs: row.banned_at,
	};
}

/**
 * Rows are deleted in steps of this many, because after a flood there are many and nothing else can use the embedded
 * database meanwhile.
 */
const PURGED_AT_ONCE = 1000;

/** Removes all addresses whose score and ban have expired, and returns how many. */
export async function purgeScores(parts: { readonly database: Database; readonly clock: Clock }): Promise<number> {
	const { database, clock } = parts;
	const store = scoreStore(database.knex);
	let purged = 0;
	for (;;) {
		const count = await store.deleteExpired(clock.now().getTime(), PURGED_AT_ONCE);
		purged += count;
		if (count < PURGED_AT_ONCE) return purged;
	}
}
