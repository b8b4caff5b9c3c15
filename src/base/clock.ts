/** Tells the time. Tests pass a clock that they can set. */
export interface Clock {
	now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
