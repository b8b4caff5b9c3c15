// The start page of the portal: what happened in the last hours, days or months.

import { type Html, type HtmlValue, html } from '../../../../../base/pages/html.ts';
import { allowanceStore } from '../../../../../people/identity/accounts/allowance-store.ts';
import { jobStore } from '../../../../../work/jobs/job-store.ts';
import { type Overview, readOverview } from '../../../../../work/statistics/overview.ts';
import { VIEWS, type View } from '../../../../../work/statistics/periods.ts';
import { ALL_ACCOUNTS } from '../../../../../work/statistics/statistics-store.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { count } from '../../pieces.ts';
import type { AnyPage, PortalCall } from '../../portal-page.ts';
import { plotsOf } from './overview-plots.ts';
import { plotAssets, plotData, plotPart } from './plot-part.ts';

/** At most this many waiting files are counted. If there are as many, the page shows a plus sign after the number. */
const MOST_WAITING = 1_000;

/** Returns the overview page, which shows the account of the viewer, or all accounts together to operators. */
export function overviewPages(rooms: HttpRooms): AnyPage[] {
	return [
		{
			path: '/portal',
			method: 'GET',
			right: 'overview.see',
			async handle(call) {
				const { viewer, texts, query } = call;
				const words = texts.numbers;
				const view = VIEWS.find((each) => each === query.view) ?? 'days';
				const accountId = viewer.account?.id ?? ALL_ACCOUNTS;
				const overview = await readOverview(rooms.database, accountId, view, rooms.clock.now().getTime());
				const plots = plotsOf(call, overview, view);
				const body = html`${viewSwitch(call, view)}
${isEmpty(overview) && viewer.account && howToBegin(call)}${await tiles(call, rooms, overview)}
${plots.map((plot) => plotPart(call, plot))}<p><small>${words.utc}</small></p>`;
				const title = viewer.account ? words.title : words.installationTitle;
				const facts = { section: 'overview', data: plotData(plots), help: '/docs/portal#overview' } as const;
				return { page: { title, body, ...facts, ...plotAssets() } };
			},
		},
	];
}

function viewSwitch({ texts: { numbers } }: PortalCall, view: View): Html {
	const link = (each: View) =>
		html`<a href="/portal?view=${each}"${each === view && html` aria-current="true"`}>${numbers.views[each]}</a> `;
	return html`<nav class="views" aria-label="${numbers.views.label}">${VIEWS.map(link)}</nav>`;
}

function isEmpty({ cards, files, failed, calls }: Overview): boolean {
	return cards.length === 0 && files.length === 0 && failed.sum === 0 && calls.sum === 0;
}

function howToBegin({ viewer, texts: { numbers } }: PortalCall): Html {
	return html`<div class="empty"><p>${numbers.empty}</p>
<p>${viewer.has('files.upload') && html`<a class="button" href="/portal/files">${numbers.toFiles}</a> `}<a class="button plain" href="/portal/try">${numbers.toTry}</a> <a class="button plain" href="/docs/guide/cards">${numbers.toDocs}</a></p>
<p>${numbers.emptyCards}</p></div>
`;
}

async function tiles(call: PortalCall, { database: { knex } }: HttpRooms, overview: Overview): Promise<Html> {
	const { viewer, language, texts } = call;
	const words = texts.numbers;
	const { account } = viewer;
	const number = (value: number) => count(value, language);
	const linked = (value: number, href: string): HtmlValue =>
		account ? html`<a href="${href}">${number(value)}</a>` : number(value);
	const sum = (series: Overview['cards']) => series.reduce((total, each) => total + each.sum, 0);
	const stored = overview.cards.filter(({ name }) => name !== 'back');
	const rows: [string, HtmlValue][] = [
		[words.tiles.cards, linked(sum(stored), '/portal/cards')],
		[words.tiles.files, linked(sum(overview.files), '/portal/files')],
		[words.tiles.refused, linked(sum(overview.refused), '/portal/files?show=refused')],
		[words.tiles.failed, linked(overview.failed.sum, '/portal/files?show=failed')],
	];
	if (account) {
		const waiting = await jobStore(knex).countWaiting(account.id, MOST_WAITING);
		const text = number(waiting) + (waiting === MOST_WAITING ? '+' : '');
		rows.push([words.tiles.waiting, html`<a href="/portal/files?show=waiting">${text}</a>`]);
	}
	const { median, slow } = overview.overall;
	if (median !== null && slow !== null) {
		const ms = (value: number) => `${new Intl.NumberFormat(language, { maximumFractionDigits: 0 }).format(value)} ms`;
		const detail = words.ofCalls.replace('{slow}', ms(slow)).replace('{calls}', number(overview.calls.sum));
		rows.push([words.tiles.times, html`${ms(median)}<small>${detail}</small>`]);
	}
	const ofAllowance = (value: HtmlValue): HtmlValue =>
		account && viewer.has('access.see') ? html`<a href="/portal/access">${value}</a>` : value;
	rows.push([words.tiles.units, ofAllowance(number(overview.units.sum))]);
	if (account) {
		const usage = await allowanceStore(knex).findUsage(viewer.principal?.ownerId ?? account.id);
		const left = usage
			? html`${ofAllowance(number(Math.max(0, usage.limit - usage.used)))}<small>${words.ofLimit.replace('{limit}', number(usage.limit))}</small>`
			: ofAllowance(words.unlimited);
		rows.push([words.tiles.allowance, left]);
	}
	return html`<dl class="tiles">${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>\n`)}</dl>`;
}
