import { badInput } from '../../base/errors.ts';
import { told } from '../../base/failures.ts';

const DAY_MS = 24 * 3_600_000;

/** Holds the start and end of a day, from midnight to midnight, UTC. */
export interface Day {
	readonly fromMs: number;
	readonly toMs: number;
}

/**
 * Reads `2026-05-31`, `today` or `yesterday`, in UTC.
 * @throws ServiceError if the text is none of these
 */
export function parseDay(text: string, now: Date): Day {
	const today = Math.floor(now.getTime() / DAY_MS) * DAY_MS;
	const named = text === 'today' ? today : text === 'yesterday' ? today - DAY_MS : undefined;
	const fromMs = named ?? (/^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN);
	// JavaScript reads an impossible date such as 31 June as 1 July, so the date is written out again and compared.
	if (Number.isNaN(fromMs) || (named === undefined && new Date(fromMs).toISOString().slice(0, 10) !== text)) {
		throw badInput('day', 'expected YYYY-MM-DD, today or yesterday', told('day-malformed'));
	}
	return { fromMs, toMs: fromMs + DAY_MS };
}
