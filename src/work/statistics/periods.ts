// Defines the hours and days for which counts are kept, and the periods that a view shows. All of them are in UTC.

import type { Span } from './statistics-store.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const SPANS = { hour: 0, day: 1 } as const satisfies Record<string, Span>;
const LENGTHS: Readonly<Record<Span, number>> = { 0: HOUR_MS, 1: DAY_MS };

/** Counts by hour are kept for 8 days, and counts by day for 13 months. */
const KEPT_MS: Readonly<Record<Span, number>> = { 0: 8 * DAY_MS, 1: 396 * DAY_MS };

/** The views of the overview: the last 24 hours, 30 days or 12 months. */
export const VIEWS = ['hours', 'days', 'months'] as const;
export type View = (typeof VIEWS)[number];

/** Returns the beginning of the hour or day in which a time lies. */
export function startOf(span: Span, atMs: number): number {
	return atMs - (atMs % LENGTHS[span]);
}

export function keptSince(span: Span, nowMs: number): number {
	return startOf(span, nowMs - KEPT_MS[span]);
}

/**
 * One point of a plot. Its value is the sum over one or more hours or days for which counts are stored; `starts` has
 * their beginnings.
 */
export interface Period {
	readonly fromMs: number;
	readonly toMs: number;
	readonly starts: readonly number[];
}

export interface Periods {
	readonly span: Span;
	/** The periods, oldest first. The last one has not ended yet. */
	readonly list: readonly Period[];
}

export function periodsOf(view: View, nowMs: number): Periods {
	if (view === 'months') return { span: SPANS.day, list: months(nowMs) };
	const span = view === 'hours' ? SPANS.hour : SPANS.day;
	const count = view === 'hours' ? 24 : 30;
	const last = startOf(span, nowMs);
	const list = Array.from({ length: count }, (_, index) => {
		const fromMs = last - (count - 1 - index) * LENGTHS[span];
		return { fromMs, toMs: fromMs + LENGTHS[span], starts: [fromMs] };
	});
	return { span, list };
}

function months(nowMs: number): Period[] {
	const now = new Date(nowMs);
	const month = (offset: number) => Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + offset, 1);
	return Array.from({ length: 12 }, (_, index) => {
		const [fromMs, toMs] = [month(index - 11), month(index - 10)];
		const starts = Array.from({ length: (toMs - fromMs) / DAY_MS }, (_, day) => fromMs + day * DAY_MS);
		return { fromMs, toMs, starts };
	});
}
