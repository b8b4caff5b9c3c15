// The days by which lists are narrowed, in UTC.

import type { Asked, Filter } from './list.ts';

const DAY_MS = 86_400_000;

/** Returns the start of a day in UTC, or undefined if the text is not a date. */
export function dayOf(text: string | undefined): number | undefined {
	if (text === undefined || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
	const time = Date.parse(`${text}T00:00:00Z`);
	return Number.isNaN(time) || !new Date(time).toISOString().startsWith(text) ? undefined : time;
}

const aDay: Filter['check'] = (text, { say }) => (dayOf(text) === undefined ? say('frame.aDate') : undefined);

/** The fields for the first and the last day of what is looked for. */
export const DAYS: readonly Filter[] = [
	{ name: 'since', label: 'frame.since', type: 'date', check: aDay },
	{ name: 'until', label: 'frame.until', type: 'date', check: aDay },
];

/** Returns when the first day begins and when the last one is over, in milliseconds since 1970, of the values of `DAYS`. */
export function periodOf({ since, until }: Asked['values']): { fromMs: number | undefined; toMs: number | undefined } {
	const lastDay = dayOf(until);
	return { fromMs: dayOf(since), toMs: lastDay === undefined ? undefined : lastDay + DAY_MS };
}
