// Defines the lines in the plots of the overview, and the pages to which their numbers link.

import { type HtmlValue, html } from '../../../../../base/pages/html.ts';
import type { Overview, Series } from '../../../../../work/statistics/overview.ts';
import type { Period, View } from '../../../../../work/statistics/periods.ts';
import { count } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';
import { dayText, lastDayText, type PlotLine, type PlotParts } from './plot-part.ts';

export function plotsOf(call: PortalCall, overview: Overview, view: View): PlotParts[] {
	const { texts, language, viewer } = call;
	const words = texts.numbers;
	const number = (value: number) => count(value, language);
	const hasLinks = viewer.account !== undefined;
	/**
	 * Returns a line whose numbers link to the things that they count. Operators get no links, because the linked
	 * pages belong to accounts.
	 */
	const line = (series: Series, label: string, href: (period?: Period) => string): PlotLine => ({
		...{ label, values: series.values },
		sum: hasLinks ? html`<a href="${href()}">${number(series.sum)}</a>` : number(series.sum),
		cell: (value, period): HtmlValue =>
			hasLinks ? html`<a href="${href(period)}">${number(value)}</a>` : number(value),
	});
	const toCards = (period?: Period) =>
		period ? `/portal/cards?since=${dayText(period.fromMs)}&until=${lastDayText(period)}` : '/portal/cards';
	const lines: Record<keyof typeof words.plots, PlotLine[]> = {
		cards: overview.cards.map((series) =>
			line(series, named(words.ways, series.name), (period) =>
				series.name === 'back' ? '/portal/files' : toCards(period),
			),
		),
		files: [
			...overview.files.map((series) => {
				const [direction, filter] = series.name.split('/', 2);
				const label = `${filter}, ${named(words.directions, direction)}`;
				return line(series, label, () => `/portal/files?${new URLSearchParams({ filter })}`);
			}),
			...(overview.failed.sum > 0 ? [line(overview.failed, words.failed, () => '/portal/files?show=failed')] : []),
		],
		refused: overview.refused.map((series) =>
			line(series, named(words.refusals, series.name), () => '/portal/files?show=refused'),
		),
		times:
			overview.calls.sum === 0
				? []
				: [
						{ label: words.median, values: overview.median },
						{ label: words.slow, values: overview.slow },
					],
		units:
			overview.units.sum === 0
				? []
				: [{ label: words.tiles.units, values: overview.units.values, sum: number(overview.units.sum) }],
	};
	return Object.entries(lines).map(([id, each]) => ({
		...{ id, lines: each, view, periods: overview.periods.list },
		title: words.plots[id as keyof typeof words.plots],
	}));
}

/** Returns the label for a name of the statistics, or the name itself if `texts` has no label for it. */
function named(texts: Readonly<Record<string, string>>, name: string): string {
	return Object.hasOwn(texts, name) ? texts[name] : name;
}
