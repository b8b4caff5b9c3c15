/**
 * How many times slower than ours a machine may be on which the tests still pass. Limits that only keep a test from waiting
 * for ever are this many times longer than what we see.
 */
const SLOWEST = 4;

/** Returns how long to wait for something that takes at most `ms` here. It says nothing about how quick it has to be. */
export function patient(ms: number): number {
	return ms * SLOWEST;
}
