// A plot with its legend, and below it a table of the same numbers for readers who cannot see the plot.

import { getAsset, readStyles } from '../../../../../base/pages/assets.ts';
import { type Html, type HtmlValue, html } from '../../../../../base/pages/html.ts';
import { getVendorAsset, readVendorStyle } from '../../../../../base/pages/vendor-assets.ts';
import type { Period, View } from '../../../../../work/statistics/periods.ts';
import { table } from '../../pieces.ts';
import type { PortalCall, ShownPage } from '../../portal-page.ts';

/** A plot shows at most this many lines; the table below it has all of them. */
const MOST_LINES = 6;

export interface PlotLine {
	readonly label: string;
	readonly values: readonly (number | null)[];
	/** The sum of the values, as the table shows it. If it is absent, the table shows a dash in its place. */
	readonly sum?: HtmlValue;
	/** Returns the table cell for a value, usually a link to the things that it counts. */
	readonly cell?: (value: number, period: Period) => HtmlValue;
}

export interface PlotParts {
	readonly id: string;
	readonly title: string;
	readonly lines: readonly PlotLine[];
	readonly periods: readonly Period[];
	readonly view: View;
	/** The index of the first period with any number on the page. The plots begin there, each at the same time. */
	readonly begin: number;
}

export function plotPart({ say, language }: PortalCall, plot: PlotParts): Html {
	const { id, title, lines, periods, view } = plot;
	const heading = html`<h2 id="${id}-title">${title}</h2>
`;
	if (lines.length === 0)
		return html`${heading}<p>${say('numbers.nothing')}</p>
`;
	const number = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
	const shown = (value: number | null, line: PlotLine, period: Period): HtmlValue => {
		if (value === null) return '–';
		return value !== 0 && line.cell ? line.cell(value, period) : number.format(value);
	};
	const textOf = periodText(view, language);
	// In the table, the latest period comes first.
	const rows = periods
		.map((period, index) => [textOf(period), ...lines.map((line) => shown(line.values[index], line, period))])
		.reverse();
	const sums = [say('numbers.sum'), ...lines.map(({ sum }) => sum ?? '–')];
	return html`${heading}<ul class="legend" aria-hidden="true">${lines.slice(0, MOST_LINES).map(({ label }) => html`<li>${label}</li>`)}</ul>
<div class="plot" id="${id}-plot" data-plot="${id}" data-numbers="${plotNumbers(plot)}" aria-hidden="true"></div>
<details><summary>${say('numbers.inNumbers')}: ${title}</summary>
${table({ caption: title, head: [say('numbers.period'), ...lines.map(({ label }) => label)], rows: [sums, ...rows], figures: new Set(sums.keys().drop(1)) })}</details>
`;
}

/** Returns what the script draws, as JSON: times in seconds since 1970, and the values of the lines. */
function plotNumbers({ lines, periods, view, begin }: PlotParts): string {
	return JSON.stringify({
		times: periods.slice(begin).map(({ fromMs }) => fromMs / 1000),
		series: lines.slice(0, MOST_LINES).map(({ values }) => ({ values: values.slice(begin) })),
		isDaily: view !== 'hours',
	});
}

export function plotAssets(): Pick<ShownPage, 'scripts' | 'style'> {
	return {
		scripts: [getVendorAsset('uplot.js'), getAsset('portal-plots.js')],
		style: readVendorStyle('uplot.css') + numbersStyle(),
	};
}

export function numbersStyle(): string {
	return readStyles('portal-numbers.css');
}

function periodText(view: View, language: string): (period: Period) => Html {
	const shapes = {
		hours: { dateStyle: 'medium', timeStyle: 'short' },
		days: { dateStyle: 'medium' },
		months: { month: 'long', year: 'numeric' },
	} as const;
	const format = new Intl.DateTimeFormat(language, { ...shapes[view], timeZone: 'UTC' });
	return ({ fromMs }) =>
		html`<time data-utc datetime="${new Date(fromMs).toISOString()}">${format.format(fromMs)}</time>`;
}

/** Returns the date of a time in UTC, such as `2026-11-30`. */
export function dayText(ms: number): string {
	return new Date(ms).toISOString().slice(0, 10);
}

export function lastDayText({ toMs }: Pick<Period, 'toMs'>): string {
	return dayText(toMs - 1);
}
