const FIRST_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 5 * 60_000;

/** Returns the time to wait after this many attempts: 5 s, 20 s, 80 s, and then always five minutes. */
export function backoffMs(attempts: number): number {
	return Math.min(FIRST_BACKOFF_MS * 4 ** (attempts - 1), MAX_BACKOFF_MS);
}
