// The start page of the portal: what happened in the last hours, days or months.

import { type Html, type HtmlValue, html } from '../../../../../base/pages/html.ts';
import type { Overview } from '../../../../../work/statistics/overview.ts';
import { VIEWS, type View } from '../../../../../work/statistics/periods.ts';
import { link } from '../../kinds/columns.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import type { PortalParts } from '../../parts.ts';
import { count, emptyState } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { inDays, plotsOf, wholeOf } from './overview-plots.ts';
import { type PlotParts, plotAssets, plotPart } from './plot-part.ts';

/** At most this many waiting files are counted. If there are as many, the page shows a plus sign after the number. */
const MOST_WAITING = 1_000;
const { detail } = pagesOf({ section: 'overview', help: '/docs/portal#overview' });

type Parts = Pick<PortalParts, 'figures' | 'identity' | 'jobs'>;

interface ShownOverview extends Overview {
	readonly view: View;
	readonly plots: readonly PlotParts[];
}

/** Returns the overview page, which shows the account of the viewer, or all accounts together to operators. */
export function overviewPages(parts: Parts): PortalPage[] {
	return detail<ShownOverview>('/portal', 'overview.see', {
		title: (_, { viewer, say }) => say(viewer.account ? 'frame.sections.overview' : 'numbers.installationTitle'),
		async find(call) {
			const view = VIEWS.find((each) => each === call.query.view) ?? 'days';
			const overview = await parts.figures.overview(call.viewer.account?.id, view);
			return { ...overview, view, plots: plotsOf(call, overview, view) };
		},
		body: async (overview, call) => [
			viewSwitch(call, overview.view),
			isEmpty(overview) && call.viewer.account && howToBegin(call),
			await tiles(call, parts, overview),
			overview.plots.map((plot) => plotPart(call, plot)),
			html`<p><small>${call.say('numbers.utc')}</small></p>`,
		],
		live: { id: 'overview', kinds: ['counts', 'jobs'], isMoving: () => true },
		extras: () => plotAssets(),
	});
}

function viewSwitch({ say }: PortalCall, view: View): Html {
	const linkTo = (each: View) =>
		html`<a href="/portal?view=${each}"${each === view && html` aria-current="true"`}>${say(`numbers.views.${each}`)}</a> `;
	return html`<nav class="views" aria-label="${say('numbers.period')}">${VIEWS.map(linkTo)}</nav>
`;
}

function isEmpty({ cards, files, failed, calls }: Overview): boolean {
	return cards.length === 0 && files.length === 0 && failed.sum === 0 && calls.sum === 0;
}

function howToBegin({ viewer, say }: PortalCall): Html {
	const more = html`<p class="actions">${viewer.has('files.upload') && html`<a class="button" href="/portal/files">${say('numbers.toFiles')}</a> `}<a class="button plain" href="/portal/try">${say('frame.sections.try')}</a> <a class="button plain" href="/docs/guide/cards">${say('numbers.toDocs')}</a></p>
<p>${say('numbers.emptyCards')}</p>
`;
	return emptyState(say('numbers.empty'), more);
}

async function tiles(call: PortalCall, { identity, jobs }: Parts, overview: Overview): Promise<Html> {
	const { viewer, language, say } = call;
	const { account } = viewer;
	const number = (value: number) => count(value, language);
	const linked = (value: number, href: string): HtmlValue => (account ? link(href, number(value)) : number(value));
	const sum = (series: Overview['cards']) => series.reduce((total, each) => total + each.sum, 0);
	const stored = overview.cards.filter(({ name }) => name !== 'back');
	const whole = wholeOf(overview);
	const rows: [string, HtmlValue][] = [
		[say('numbers.tiles.cards'), linked(sum(stored), inDays('/portal/cards', whole))],
		[say('numbers.tiles.files'), linked(sum(overview.files), inDays('/portal/files', whole))],
		[say('numbers.tiles.refused'), linked(sum(overview.refused), inDays('/portal/files', whole, { show: 'refused' }))],
		[say('numbers.tiles.failed'), linked(overview.failed.sum, inDays('/portal/files', whole, { show: 'failed' }))],
	];
	if (account) {
		const waiting = await jobs.countWaiting(account.id, MOST_WAITING);
		const text = number(waiting) + (waiting === MOST_WAITING ? '+' : '');
		rows.push([say('numbers.tiles.waiting'), link('/portal/files?show=waiting', text)]);
	}
	const { median, slow } = overview.overall;
	if (median !== null && slow !== null) {
		const ms = (value: number) => `${new Intl.NumberFormat(language, { maximumFractionDigits: 0 }).format(value)} ms`;
		const detail = say('numbers.ofCalls', { slow: ms(slow), calls: number(overview.calls.sum) });
		rows.push([say('numbers.tiles.times'), html`${ms(median)}<small>${detail}</small>`]);
	}
	const ofAllowance = (value: HtmlValue): HtmlValue =>
		account && viewer.has('access.see') ? link('/portal/access', value) : value;
	rows.push([say('numbers.tiles.units'), ofAllowance(number(overview.units.sum))]);
	if (account) {
		const usage = await identity.allowance.findUsage(viewer.principal?.ownerId ?? account.id);
		const left = usage
			? html`${ofAllowance(number(Math.max(0, usage.limit - usage.used)))}<small>${say('numbers.ofLimit', { limit: number(usage.limit) })}</small>`
			: ofAllowance(say('numbers.unlimited'));
		rows.push([say('numbers.tiles.allowance'), left]);
	}
	return html`<dl class="tiles">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>
`;
}
