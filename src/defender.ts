import { isIPv6 } from 'node:net';
import type { Clock } from './clock.ts';

export type DefenderEvent = 'login-failed' | 'user-unknown' | 'no-login' | 'limit-exceeded' | 'protocol-abuse';

/** Counts what an address does wrong, whatever door it came to. */
export interface Defender {
	/** A banned address is turned away before it can try anything. */
	isBanned(address: string): boolean;
	report(address: string, event: DefenderEvent): void;
}

export interface DefenderSettings {
	/** The score that bans. */
	readonly threshold: number;
	/** What happened longer ago than this no longer counts. */
	readonly windowMs: number;
	readonly banMs: number;
	/** Addresses remembered at most. */
	readonly maxAddresses: number;
	readonly scores: Readonly<Record<DefenderEvent, number>>;
	/** Addresses never banned: a balancer, a monitor. */
	readonly exempt: readonly string[];
}

export const defaultDefenderSettings: DefenderSettings = {
	threshold: 100,
	windowMs: 10 * 60_000,
	banMs: 30 * 60_000,
	maxAddresses: 10_000,
	scores: { 'login-failed': 5, 'user-unknown': 10, 'no-login': 1, 'limit-exceeded': 2, 'protocol-abuse': 20 },
	exempt: [],
};

interface Score {
	windowStartMs: number;
	current: number;
	previous: number;
}

/**
 * A defender with its scores in memory. The window slides: the last whole window counts by the part of it that is still
 * inside, which needs two numbers an address and no list of events.
 */
export function openDefender(clock: Clock, settings: DefenderSettings = defaultDefenderSettings): Defender {
	const scores = new Map<string, Score>();
	const bans = new Map<string, number>();
	const exempt = new Set(settings.exempt.map(defendedAddress));

	const isBanned = (key: string): boolean => {
		const untilMs = bans.get(key);
		if (untilMs === undefined) return false;
		if (untilMs > clock.now().getTime()) return true;
		bans.delete(key);
		return false;
	};

	return {
		isBanned: (address) => isBanned(defendedAddress(address)),
		report(address, event) {
			const key = defendedAddress(address);
			if (exempt.has(key) || isBanned(key)) return;
			const nowMs = clock.now().getTime();
			const score = slide(scores.get(key), nowMs, settings.windowMs);
			score.current += settings.scores[event];
			// Put in again so that the map stays in order of last report and the first is the one to forget.
			scores.delete(key);
			if (total(score, nowMs, settings.windowMs) >= settings.threshold) {
				remember(bans, key, nowMs + settings.banMs, settings.maxAddresses);
			} else {
				remember(scores, key, score, settings.maxAddresses);
			}
		},
	};
}

/** What one decision covers: an IPv4 address, or the /64 of an IPv6 address, since a client owns all of that. */
export function defendedAddress(address: string): string {
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
	if (mapped) return mapped[1];
	if (!isIPv6(address)) return address;
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

function slide(score: Score | undefined, nowMs: number, windowMs: number): Score {
	if (score === undefined) return { windowStartMs: nowMs, current: 0, previous: 0 };
	const windows = Math.floor((nowMs - score.windowStartMs) / windowMs);
	if (windows === 0) return score;
	const previous = windows === 1 ? score.current : 0;
	return { windowStartMs: score.windowStartMs + windows * windowMs, current: 0, previous };
}

function total({ windowStartMs, current, previous }: Score, nowMs: number, windowMs: number): number {
	return current + previous * (1 - (nowMs - windowStartMs) / windowMs);
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value, maxEntries: number): void {
	map.set(key, value);
	for (const oldest of map.keys()) {
		if (map.size <= maxEntries) break;
		map.delete(oldest);
	}
}
