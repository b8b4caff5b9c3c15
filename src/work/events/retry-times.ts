// Says when a delivery that failed is tried again.

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** How long after a failed try the next one comes (Standard Webhooks 1.0.0); after the last one there is none. */
const WAITS_MS: readonly number[] = [
	...[5 * SECOND_MS, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS],
	...[10 * HOUR_MS, 14 * HOUR_MS, 20 * HOUR_MS, 24 * HOUR_MS],
];
/** Waits are longer by up to this share, so that tries which failed together do not come together again. */
const JITTER = 0.1;
/** A receiver that asks for more time than this gets this much. */
const MAX_ASKED_MS = 24 * HOUR_MS;

/**
 * Returns how long to wait after a number of failed tries; undefined if there were enough. `random` is from 0 to 1.
 * What the receiver has asked for counts if it is longer.
 */
export function waitAfter(tries: number, askedMs: number | undefined, random: number): number | undefined {
	const wait = WAITS_MS[tries - 1];
	return wait === undefined ? undefined : Math.max(Math.round(wait * (1 + JITTER * random)), askedMs ?? 0);
}

/** Reads a header `Retry-After`, seconds or a date (RFC 9110 §10.2.3). Returns undefined if it is neither. */
export function retryAfterMs(text: string | undefined, nowMs: number): number | undefined {
	if (text === undefined) return undefined;
	const trimmed = text.trim();
	// A text without letters is no date of HTTP, but might still be read as some year.
	const ms = /^\d+$/.test(trimmed)
		? Number(trimmed) * SECOND_MS
		: /^[A-Za-z]{3,9},? /.test(trimmed)
			? Date.parse(trimmed) - nowMs
			: Number.NaN;
	return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_ASKED_MS);
}
