import type { Expectation } from '../document/route.ts';
import { nextRunAt } from './next-run-at.ts';

const WEEK_MS = 8 * 86_400_000;

/**
 * Returns the first time after `after` by which files are expected, and the time before it, from which on files count for
 * it.
 */
export function expectedTimes(expect: Expectation, after: Date): { readonly at: number; readonly from: number } {
	const { byMinutes, days, timeZone } = expect;
	const cron = `${byMinutes % 60} ${Math.floor(byMinutes / 60)} * * ${days.join(',')}`;
	const next = (from: Date) => nextRunAt({ cron, timeZone }, from)!;
	const at = next(after);
	let from = next(new Date(at.getTime() - WEEK_MS));
	for (let later = next(from); later < at; later = next(later)) from = later;
	return { at: at.getTime(), from: Math.min(from.getTime(), at.getTime() - 1) };
}
