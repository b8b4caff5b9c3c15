// Shares the scores of addresses between all daemons of a database. Each daemon decides from memory, so that no login
// waits for a query. Once a second it writes its new reports, reads the sums for those addresses, and learns who was
// banned elsewhere. It never reads the scores of addresses that never connect to it.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import type { Logger } from '../log/log.ts';
import { noSiblings, type Siblings } from '../siblings.ts';
import { inTime } from '../threads/in-time.ts';
import { Turns } from '../threads/turns.ts';
import {
	type Defender,
	type DefenderEvent,
	type DefenderSettings,
	openDefender,
	type SharedDefender,
} from './defender.ts';
import { type Door, scoreStore } from './score-store.ts';

export interface SharedDefendersOptions {
	readonly database: Database;
	readonly clock: Clock;
	readonly logger: Pick<Logger, 'info' | 'warn'>;
	/** The settings of each listener: what it counts and when it bans. They are the same for all daemons. */
	readonly doors: Readonly<Record<Door, DefenderSettings>>;
	/** The other processes of this daemon. They hear of each event at once. */
	readonly siblings?: Siblings;
	/** The interval between two exchanges of reports with the other daemons. */
	readonly beatMs?: number;
}

/** What a process tells the others of a daemon. */
interface Event {
	readonly door: Door;
	readonly address: string;
	readonly event: DefenderEvent;
}

const EVENT = 'misbehaviour';
const BEAT_MS = 1000;
/**
 * One statement writes at most this many addresses. During a flood further addresses wait in memory, and the oldest are
 * forgotten.
 */
const MAX_REPORTS = 500;
/**
 * A ban may become visible this long after it was decided, because clocks differ and a daemon may wait for a connection
 * to the database.
 */
const OVERLAP_MS = 15_000;
/** A log line names at most this many addresses; `ban list` has all. */
const MAX_NAMED = 20;
const LAST_WORDS_MS = 2000;

/**
 * Opens the defenders of all listeners with the bans from the database.
 * @throws if the bans cannot be read
 */
export async function openSharedDefenders(options: SharedDefendersOptions) {
	const { database, clock, logger, doors, siblings = noSiblings } = options;
	const store = scoreStore(database.knex);
	const now = () => clock.now().getTime();
	const defenders = { sftp: openDefender(clock, doors.sftp), http: openDefender(clock, doors.http) };
	const entries = Object.entries(defenders) as [Door, SharedDefender][];
	siblings.hear<Event>(EVENT, ({ door, address, event }) => defenders[door].note(address, event));
	const telling = (door: Door): Defender => ({
		...defenders[door],
		report(address, event) {
			defenders[door].report(address, event);
			siblings.tell(EVENT, { door, address, event } satisfies Event);
		},
	});
	const maxBans = entries.reduce((sum, [door]) => sum + doors[door].maxAddresses, 0);

	/**
	 * Adds the reports of a listener to the database and adopts the scores that result from all daemons. Returns whether
	 * these led to bans, which must still be written.
	 */
	const tell = async (door: Door): Promise<boolean> => {
		const reports = defenders[door].takeReports(MAX_REPORTS);
		try {
			const standings = await store.add(door, reports, { nowMs: now(), windowMs: doors[door].windowMs });
			const banned = reports.filter(({ bannedUntilMs }) => bannedUntilMs > 0).map(({ address }) => address);
			if (banned.length > 0) {
				const addresses = banned.slice(0, MAX_NAMED);
				logger.warn({ door, count: banned.length, addresses }, 'addresses were banned');
			}
			return standings.map((standing) => defenders[door].adopt(standing)).includes(true);
		} catch (error) {
			defenders[door].giveBack(reports);
			throw error;
		}
	};
	let heardUntilMs = 0;
	const hear = async (): Promise<void> => {
		const startMs = now();
		for (const ban of await store.findDecisions(heardUntilMs, maxBans)) defenders[ban.door].heed(ban);
		heardUntilMs = startMs - OVERLAP_MS;
	};

	let isAway = false;
	const beat = async (): Promise<void> => {
		try {
			// If only the sum of all daemons has led to a ban, the ban is written at once, so that other daemons do not
			// wait for it for another second.
			for (const [door] of entries) if (await tell(door)) await tell(door);
			// With an embedded database, only an operator's command changes bans besides this daemon, and it only
			// changes existing ones. So bans are read only while this daemon knows of at least one.
			if (database.dialect === 'postgres' || entries.some(([, defender]) => defender.hasBans())) await hear();
			if (isAway) logger.info('scores of addresses are shared again');
			isAway = false;
		} catch (err) {
			if (!isAway) logger.warn({ err }, 'scores of addresses cannot be shared: this daemon goes on with its own');
			isAway = true;
		}
	};
	const turns = new Turns();
	const beatInTurn = () => turns.run(beat);

	await hear();
	const stop = new AbortController();
	void beatUntil(stop.signal, options.beatMs ?? BEAT_MS, beatInTurn);
	return {
		sftp: telling('sftp'),
		http: telling('http'),
		/**
		 * Exchanges reports and bans with the other daemons at once, without waiting for the next second. If the database is
		 * unavailable, that is logged and not thrown.
		 */
		beat: beatInTurn,
		/** Writes the remaining reports, unless the database takes too long. */
		async close(): Promise<void> {
			stop.abort();
			await inTime(beatInTurn(), LAST_WORDS_MS, undefined);
		},
	};
}

async function beatUntil(signal: AbortSignal, everyMs: number, beat: () => Promise<void>): Promise<void> {
	while (!signal.aborted) {
		await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
		if (!signal.aborted) await beat();
	}
}
