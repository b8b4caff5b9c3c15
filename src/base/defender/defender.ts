import { isIPv6 } from 'node:net';
import type { Clock } from '../clock.ts';

export type DefenderEvent = 'login-failed' | 'no-login' | 'limit-exceeded' | 'protocol-abuse';

/** Keeps a score of the misbehaviour of each address on one listener, and bans addresses with a high score. */
export type Defender = Pick<SharedDefender, 'isBanned' | 'report'>;

export interface DefenderSettings {
	/** An address that reaches this score is banned. */
	readonly scoreLimit: number;
	/** The length of the window in which events count: older events are no longer part of the score. */
	readonly windowMs: number;
	readonly banMs: number;
	readonly maxAddresses: number;
	readonly scores: Readonly<Record<DefenderEvent, number>>;
	/** These addresses are never banned, for example those of a load balancer or a monitor. */
	readonly exempt: readonly string[];
}

export const defaultDefenderSettings: DefenderSettings = {
	scoreLimit: 100,
	windowMs: 10 * 60_000,
	banMs: 30 * 60_000,
	maxAddresses: 10_000,
	scores: { 'login-failed': 5, 'no-login': 1, 'limit-exceeded': 2, 'protocol-abuse': 20 },
	exempt: [],
};

/** Holds the events of an address that were reported to this daemon and are not yet known to other daemons. */
export interface Report {
	readonly address: string;
	readonly points: number;
	/** The time when the first event of this report happened. */
	readonly sinceMs: number;
	/** The time until which the events of this report banned the address; 0 if they did not ban it. */
	readonly bannedUntilMs: number;
}

/** Holds what all daemons together know of an address: its score and its latest ban, if any. */
export interface Standing extends Score, Ban {}

/** Describes a ban that any daemon has decided or lifted. */
export interface Ban {
	readonly address: string;
	readonly decidedAtMs: number;
	/** The end of the ban; 0 if it was lifted. */
	readonly untilMs: number;
}

/** This is a defender whose scores can be combined with those of other daemons. */
export type SharedDefender = ReturnType<typeof openDefender>;

/** Opens a defender that keeps its scores in memory. */
export function openDefender(clock: Clock, settings: DefenderSettings = defaultDefenderSettings) {
	const scores = new Map<string, Score>();
	const bans = new Map<string, Omit<Ban, 'address'>>();
	const untold = new Map<string, Report>();
	const exempt = new Set(settings.exempt.map(defendedAddress));
	const { windowMs, banMs, scoreLimit, maxAddresses } = settings;
	const now = () => clock.now().getTime();

	const isBanned = (key: string): boolean => {
		const known = bans.get(key);
		if (known === undefined) return false;
		if (known.untilMs > now()) return true;
		bans.delete(key);
		return false;
	};
	const ban = ({ address, decidedAtMs, untilMs }: Ban): void => {
		scores.delete(address);
		remember(bans, address, { decidedAtMs, untilMs }, maxAddresses);
	};
	/**
	 * Bans the address if its score has reached the limit, and otherwise keeps the score. Returns whether it was banned.
	 */
	const judge = (key: string, score: Score): boolean => {
		const nowMs = now();
		if (total(score, nowMs, windowMs) < scoreLimit) {
			remember(scores, key, score, maxAddresses);
			return false;
		}
		ban({ address: key, decidedAtMs: nowMs, untilMs: nowMs + banMs });
		return true;
	};
	const tell = (report: Report): void => {
		const { address } = report;
		remember(untold, address, together(untold.get(address), report), maxAddresses);
	};

	/** Counts an event, and returns a report of it, unless the address is banned already or exempt. */
	const count = (address: string, event: DefenderEvent): Report | undefined => {
		const key = defendedAddress(address);
		if (exempt.has(key) || isBanned(key)) return undefined;
		const nowMs = now();
		const points = settings.scores[event];
		const score = slide(scores.get(key), nowMs, windowMs);
		const isOver = judge(key, { ...score, current: score.current + points });
		return { address: key, points, sinceMs: nowMs, bannedUntilMs: isOver ? nowMs + banMs : 0 };
	};

	return {
		/** Tells whether an address is banned. A banned address is refused before it can attempt anything. */
		isBanned: (address: string) => isBanned(defendedAddress(address)),
		report(address: string, event: DefenderEvent): void {
			const report = count(address, event);
			if (report) tell(report);
		},
		/** Counts an event that was reported to another process of this daemon, which also tells the other daemons. */
		note: (address: string, event: DefenderEvent) => void count(address, event),
		/**
		 * Returns the events reported since the last call, as reports on at most `max` addresses. Addresses that were
		 * banned come first.
		 */
		takeReports(max: number): Report[] {
			const all = [...untold.values()];
			if (all.length > max) all.sort((a, b) => b.bannedUntilMs - a.bannedUntilMs);
			const taken = all.slice(0, max);
			for (const { address } of taken) untold.delete(address);
			return taken;
		},
		/** Takes reports back that could not be sent, so that they are sent later. */
		giveBack(reports: readonly Report[]): void {
			const nowMs = now();
			// A report has no effect on any daemon any more once its events are older than the window of the score and
			// its ban is over.
			const isOver = ({ sinceMs, bannedUntilMs }: Report) => nowMs >= Math.max(sinceMs + windowMs, bannedUntilMs);
			for (const report of reports) if (!isOver(report)) tell(report);
		},
		/**
		 * Replaces the score of an address by the sum of all daemons. Returns whether that led to a ban, which is then
		 * reported with the next reports.
		 */
		adopt(standing: Standing): boolean {
			const { address } = standing;
			const nowMs = now();
			// The sum changes nothing for an address that is exempt or that this daemon has banned already. Such a ban
			// reaches the other daemons with the next reports.
			if (exempt.has(address) || isBanned(address)) return false;
			if (standing.untilMs > nowMs) {
				ban(standing);
				return false;
			}
			const told = slide(standing, nowMs, windowMs);
			const points = untold.get(address)?.points ?? 0;
			const summed = { ...told, current: told.current + points };
			// Another process of this daemon may not have written yet what this one has heard from it.
			const known = slide(scores.get(address), nowMs, windowMs);
			const isMore = total(known, nowMs, windowMs) > total(summed, nowMs, windowMs);
			const isOver = judge(address, isMore ? known : summed);
			if (isOver) tell({ address, points: 0, sinceMs: nowMs, bannedUntilMs: nowMs + banMs });
			return isOver;
		},
		/** Applies a ban, or the end of a ban, that another daemon has decided. */
		heed(decision: Ban): void {
			const { address, decidedAtMs, untilMs } = decision;
			if (exempt.has(address)) return;
			const known = bans.get(address);
			if (untilMs > now()) {
				if ((known?.untilMs ?? 0) < untilMs) ban(decision);
			} else if (untilMs === 0 && known && known.decidedAtMs <= decidedAtMs) {
				bans.delete(address);
				untold.delete(address);
			}
		},
		hasBans(): boolean {
			// The map is in the order of the bans, so expired ones are found and removed first.
			for (const key of bans.keys()) if (isBanned(key)) return true;
			return false;
		},
	};
}

function together(known: Report | undefined, report: Report): Report {
	if (known === undefined) return report;
	return {
		address: report.address,
		points: known.points + report.points,
		sinceMs: Math.min(known.sinceMs, report.sinceMs),
		bannedUntilMs: Math.max(known.bannedUntilMs, report.bannedUntilMs),
	};
}

/** Texts longer than this are cut, because the database column has this length; no real address is as long. */
const MAX_ADDRESS_LENGTH = 64;

/**
 * Returns the key under which an address is scored and banned: an IPv4 address itself, or the /64 of an IPv6 address,
 * because one client usually controls all addresses of a /64.
 */
export function defendedAddress(address: string): string {
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
	if (mapped) return mapped[1];
	// A proxy may pass on any text that a client has given as its address, so the text is cut.
	if (!isIPv6(address)) return address.slice(0, MAX_ADDRESS_LENGTH);
	const [head, tail] = address.split('%')[0].toLowerCase().split('::');
	const left = head === '' ? [] : head.split(':');
	const right = tail === undefined || tail === '' ? [] : tail.split(':');
	const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
	const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
	return `${groups
		.slice(0, 4)
		.map((group) => Number.parseInt(group, 16).toString(16))
		.join(':')}::/64`;
}

/**
 * Puts an entry at the end of a map, as the newest one, and removes the oldest entries if there are more than
 * `maxEntries`.
 */
function remember<Value>(map: Map<string, Value>, key: string, value: Value, maxEntries: number): void {
	map.delete(key);
	map.set(key, value);
	for (const oldest of map.keys()) {
		if (map.size <= maxEntries) break;
		map.delete(oldest);
	}
}

/**
 * Holds the score of an address: the points of its events in a sliding window of time. Points are added up in fixed
 * windows, one after the other. The points of the previous fixed window count in proportion to the part of it that is
 * still inside the sliding window. So two numbers for an address are enough, and no list of events is needed.
 */
interface Score {
	readonly windowStartMs: number;
	readonly current: number;
	readonly previous: number;
}

/** Returns the score with the start of its fixed window moved up to the present one. */
function slide(score: Score | undefined, nowMs: number, windowMs: number): Score {
	if (score === undefined) return { windowStartMs: nowMs, current: 0, previous: 0 };
	const windows = Math.floor((nowMs - score.windowStartMs) / windowMs);
	// The number of elapsed windows is negative if the window was begun by another daemon, whose clock is ahead.
	if (windows <= 0) return score;
	const previous = windows === 1 ? score.current : 0;
	return { windowStartMs: score.windowStartMs + windows * windowMs, current: 0, previous };
}

/** Returns the points that a score has now. `slide` must have moved the window of the score up to now before. */
function total({ windowStartMs, current, previous }: Score, nowMs: number, windowMs: number): number {
	return current + previous * (1 - Math.max(0, nowMs - windowStartMs) / windowMs);
}
