// Adds up counts for the figures and plots on the overview page of the portal.

import type { Knex } from 'knex';
import type { AccountId } from '../../base/database/ids.ts';
import { BUCKETS_MS, splitKind, UNITS } from './kinds.ts';
import { type Periods, periodsOf, type View } from './periods.ts';
import { type ALL_ACCOUNTS, type CountRow, statisticsStore } from './statistics-store.ts';

/** One line of a plot: a number for each period. */
export interface Series {
	/** The second part of the kind that is counted, such as `http`, `tokenize/GBT` or `luhn`. */
	readonly name: string;
	readonly values: readonly number[];
	readonly sum: number;
}

export type Overview = ReturnType<typeof overviewOf>;

const SLOW_SHARE = 0.95;

export async function readOverview(
	{ knex }: { readonly knex: Knex },
	accountId: AccountId | typeof ALL_ACCOUNTS,
	view: View,
	nowMs: number,
) {
	const periods = periodsOf(view, nowMs);
	const starts = periods.list.flatMap((period) => period.starts);
	const rows = await statisticsStore(knex).listOf(accountId, periods.span, starts);
	return overviewOf(periods, rows);
}

/** Adds up rows of counts, so that there is one number for each period and kind. */
export function overviewOf(periods: Periods, rows: readonly CountRow[]) {
	const indexes = new Map(periods.list.flatMap(({ starts }, index) => starts.map((start) => [start, index] as const)));
	const none = () => Array.from(periods.list, () => 0);
	const areas: Record<string, Map<string, number[]>> = {};
	for (const { at, what, count } of rows) {
		const index = indexes.get(at);
		if (index === undefined) continue;
		const [area, name] = splitKind(what);
		const series = (areas[area] ??= new Map());
		let values = series.get(name);
		if (!values) series.set(name, (values = none()));
		values[index] += count;
	}
	const seriesOf = (area: string) => {
		const all = [...(areas[area] ?? [])].map(([name, values]) => ({ name, values, sum: sumOf(values) }));
		return all.sort((a, b) => b.sum - a.sum || (a.name < b.name ? -1 : 1));
	};
	const one = (area: string): Series => seriesOf(area)[0] ?? { name: '', values: none(), sum: 0 };
	const buckets = Array.from(
		{ length: BUCKETS_MS.length + 1 },
		(_, bucket) => areas.call?.get(String(bucket)) ?? none(),
	);
	const callsOf = (index: number) => buckets.map((values) => values[index]);
	const calls = periods.list.map((_, index) => sumOf(callsOf(index)));
	const all = buckets.map(sumOf);
	return {
		periods,
		cards: seriesOf('cards'),
		files: seriesOf('file'),
		refused: seriesOf('refused'),
		failed: one('failed'),
		units: one(UNITS),
		calls: { name: '', values: calls, sum: sumOf(calls) },
		/** The median response time of the calls of each period in milliseconds; null for a period without calls. */
		median: periods.list.map((_, index) => timeOf(callsOf(index), 0.5)),
		/** The time within which 95 % of the calls of each period were answered. */
		slow: periods.list.map((_, index) => timeOf(callsOf(index), SLOW_SHARE)),
		overall: { median: timeOf(all, 0.5), slow: timeOf(all, SLOW_SHARE) },
	};
}

/**
 * Returns the response time within which a share of the calls was answered, estimated from the number of calls in each
 * class of response times; null if there were no calls.
 */
export function timeOf(counts: readonly number[], share: number): number | null {
	const total = sumOf(counts);
	if (total === 0) return null;
	let missing = total * share;
	for (const [bucket, count] of counts.entries()) {
		if (count >= missing && count > 0) {
			const from = bucket === 0 ? 0 : BUCKETS_MS[bucket - 1];
			// The last class of response times has no upper end, so its lower end is returned.
			const to = BUCKETS_MS[bucket] ?? from;
			return from + (to - from) * (missing / count);
		}
		missing -= count;
	}
	return BUCKETS_MS.at(-1)!;
}

function sumOf(values: readonly number[]): number {
	return values.reduce((sum, value) => sum + value, 0);
}
