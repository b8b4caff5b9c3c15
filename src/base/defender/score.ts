// How points of an address add up. How many points each failure has, and how many are too many, is in defender.ts.

/**
 * Holds the score of an address: the points of its events in a sliding window of time. Points are added up in fixed
 * windows, one after the other. The points of the previous fixed window count in proportion to the part of it that is
 * still inside the sliding window. So two numbers for an address are enough, and no list of events is needed.
 */
export interface Score {
	readonly windowStartMs: number;
	readonly current: number;
	readonly previous: number;
}

/** Returns the score with the start of its fixed window moved up to the present one. */
export function slide(score: Score | undefined, nowMs: number, windowMs: number): Score {
	if (score === undefined) return { windowStartMs: nowMs, current: 0, previous: 0 };
	const windows = Math.floor((nowMs - score.windowStartMs) / windowMs);
	// The number of elapsed windows is negative if the window was begun by another daemon, whose clock is ahead.
	if (windows <= 0) return score;
	const previous = windows === 1 ? score.current : 0;
	return { windowStartMs: score.windowStartMs + windows * windowMs, current: 0, previous };
}

/** Returns the points that a score has now. `slide` must have moved the window of the score up to now before. */
export function total({ windowStartMs, current, previous }: Score, nowMs: number, windowMs: number): number {
	return current + previous * (1 - Math.max(0, nowMs - windowStartMs) / windowMs);
}
