// Defines the lines in the plots of the overview, and the pages to which their numbers link.

import { type HtmlValue, html } from '../../../../../base/pages/html.ts';
import type { Overview, Series } from '../../../../../work/statistics/overview.ts';
import type { Period, View } from '../../../../../work/statistics/periods.ts';
import { count } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';
import { isTextKey, type Say } from '../../texts.ts';
import { dayText, lastDayText, type PlotLine, type PlotParts } from './plot-part.ts';

type Plot = 'cards' | 'files' | 'refused' | 'times' | 'units';

export function plotsOf(call: PortalCall, overview: Overview, view: View): PlotParts[] {
	const { say, language, viewer } = call;
	const number = (value: number) => count(value, language);
	const hasLinks = viewer.account !== undefined;
	/**
	 * Returns a line whose numbers link to the things that they count. Operators get no links, because the linked
	 * pages belong to accounts.
	 */
	const line = (series: Series, label: string, href: (period: Span) => string): PlotLine => ({
		label,
		values: series.values,
		sum: hasLinks ? html`<a href="${href(wholeOf(overview))}">${number(series.sum)}</a>` : number(series.sum),
		cell: (value, period): HtmlValue =>
			hasLinks ? html`<a href="${href(period)}">${number(value)}</a>` : number(value),
	});
	const toFiles = (show: string) => (period: Span) => inDays('/portal/files', period, { show });
	const lines: Record<Plot, PlotLine[]> = {
		cards: overview.cards.map((series) =>
			line(series, named(say, 'ways', series.name), (period) =>
				inDays(series.name === 'back' ? '/portal/files' : '/portal/cards', period),
			),
		),
		files: [
			...overview.files.map((series) => {
				const [direction, filter] = series.name.split('/', 2);
				const label = `${filter}, ${named(say, 'directions', direction)}`;
				return line(series, label, (period) => inDays('/portal/files', period, { filter }));
			}),
			...(overview.failed.sum > 0 ? [line(overview.failed, say('numbers.failed'), toFiles('failed'))] : []),
		],
		refused: overview.refused.map((series) => line(series, named(say, 'refusals', series.name), toFiles('refused'))),
		times:
			overview.calls.sum === 0
				? []
				: [
						{ label: say('numbers.median'), values: overview.median },
						{ label: say('numbers.slow'), values: overview.slow },
					],
		units:
			overview.units.sum === 0
				? []
				: [{ label: say('numbers.tiles.units'), values: overview.units.values, sum: number(overview.units.sum) }],
	};
	const periods = overview.periods.list;
	const begin = beginOf(Object.values(lines).flat(), periods.length);
	return (Object.keys(lines) as Plot[]).map((id) => ({
		id,
		title: say(`numbers.plots.${id}`),
		lines: lines[id],
		periods,
		view,
		begin,
	}));
}

type Span = Pick<Period, 'fromMs' | 'toMs'>;

export function wholeOf({ periods: { list } }: Pick<Overview, 'periods'>): Span {
	return { fromMs: list[0].fromMs, toMs: list[list.length - 1].toMs };
}

/** Returns the address of a list, narrowed to the days of a period, so that it shows what is counted there. */
export function inDays(path: string, period: Span, more: Readonly<Record<string, string>> = {}): string {
	const days = { since: dayText(period.fromMs), until: lastDayText(period) };
	return `${path}?${new URLSearchParams({ ...more, ...days })}`;
}

/** A line needs two points at least. */
const FEWEST_POINTS = 2;

/** Returns the index of the first period in which any line has something. */
function beginOf(lines: readonly PlotLine[], count: number): number {
	const firsts = lines.map(({ values }) => values.findIndex((value) => value !== null && value !== 0));
	const found = firsts.filter((first) => first >= 0);
	return Math.max(0, Math.min(count - FEWEST_POINTS, ...found));
}

/** Returns the label for a name of the statistics, or the name itself if there is no text for it. */
function named(say: Say, group: 'ways' | 'directions' | 'refusals', name: string): string {
	const key = `numbers.${group}.${name}`;
	return isTextKey(key) ? say(key) : name;
}
