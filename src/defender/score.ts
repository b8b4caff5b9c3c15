/**
 * Holds the score of an address. The window slides: the score of the previous window is added in proportion to the part
 * of it that is still inside the sliding window. This needs two numbers for an address and no list of events.
 */
export interface Score {
	readonly windowStartMs: number;
	readonly current: number;
	readonly previous: number;
}

/** Returns the score with its window moved up to now. */
export function slide(score: Score | undefined, nowMs: number, windowMs: number): Score {
	if (score === undefined) return { windowStartMs: nowMs, current: 0, previous: 0 };
	const windows = Math.floor((nowMs - score.windowStartMs) / windowMs);
	// The number of windows is negative if another daemon's clock is ahead.
	if (windows <= 0) return score;
	const previous = windows === 1 ? score.current : 0;
	return { windowStartMs: score.windowStartMs + windows * windowMs, current: 0, previous };
}

/** Returns the current total of a score whose window was moved up to now. */
export function total({ windowStartMs, current, previous }: Score, nowMs: number, windowMs: number): number {
	return current + previous * (1 - Math.max(0, nowMs - windowStartMs) / windowMs);
}
