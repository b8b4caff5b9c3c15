// Shows the latest calls of an account over HTTP and how they ended, as its developers ask `GET /api/requests`.

import type { ListPage } from '../../../../../base/database/list-page.ts';
import { html } from '../../../../../base/pages/html.ts';
import { KEPT_CALLS, type LoggedCall } from '../../../server/call-log.ts';
import { allOr } from '../../kinds/form-part.ts';
import { TRAIL } from '../../kinds/history-link.ts';
import { fileOf, type PagedRows, paged } from '../../kinds/paged-rows.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { badge, count, time } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { accessGroup } from './owner.ts';

export const CALLS = '/portal/calls';
const PER_PAGE = 50;

/** How calls ended, as the list is narrowed. `failed` has every error, `cut` what was not sent whole. */
const ENDS = ['good', 'failed', 'cut'] as const;
type End = (typeof ENDS)[number];

/** What the file of the list has of each call, as `GET /api/requests` names it. */
const FILE = fileOf<LoggedCall>(
	...(['id', 'time', 'method', 'route', 'status', 'outcome', 'message', 'moreInfo', 'credential'] as const),
);

function endsAs({ status, outcome }: LoggedCall): End {
	if (outcome === 'broken-off' || outcome === 'caller-gone') return 'cut';
	return status >= 400 ? 'failed' : 'good';
}

/** Returns a page of a list that is all there, by the ids of calls, newest first. */
function pageIn(calls: readonly LoggedCall[], { after, before, limit }: ListPage<string>): readonly LoggedCall[] {
	const at = (id: string) => calls.findIndex((call) => call.id === id);
	if (before !== undefined) return calls.slice(Math.max(0, at(before) - limit), Math.max(0, at(before)));
	const from = after === undefined ? 0 : at(after) + 1;
	return calls.slice(from, from + limit);
}

export function callPages({ calls }: Pick<PortalParts, 'calls'>): PortalPage[] {
	/** Reads the log once; list, count and batches are parts of it. */
	const ask: PagedRows<LoggedCall>['ask'] = async (call, { end, text }) => {
		const logged = await calls.list(principalOf(call).accountId, { from: 0, num: KEPT_CALLS });
		const fitting = logged.filter((each) => {
			const { id, method, route, status, message, moreInfo, credential } = each;
			const said = [id, `${method} ${route}`, String(status), message, moreInfo, credential];
			return (
				(end === undefined || endsAs(each) === end) && (text === undefined || said.some((one) => one?.includes(text)))
			);
		});
		return { list: async (page) => pageIn(fitting, page), count: async () => fitting.length };
	};
	const rows: PagedRows<LoggedCall> = { length: PER_PAGE, ask, keyOf: ({ id }) => id, readKey: (text) => text };
	return accessGroup.list<LoggedCall>(CALLS, 'access.see', {
		title: 'calls.title',
		...paged(rows, FILE),
		above: ({ say, language }) => html`<p>${say('calls.explain', { most: count(KEPT_CALLS, language) })}</p>
`,
		search: {
			submit: 'words.narrow',
			noNumber: 'cards.noNumber',
			filters: [
				{
					name: 'end',
					label: 'calls.end',
					choices: ({ say }) => allOr(say('calls.all'), ENDS, (end) => say(`calls.ends.${end}`)),
				},
				{
					name: 'text',
					label: 'calls.text',
					hint: 'calls.textHint',
					type: 'search',
					maxLength: 255,
					autocomplete: 'off',
				},
			],
		},
		caption: 'calls.caption',
		columns: [
			['words.time', (each, { language }) => time(each.time, language)],
			['calls.call', ({ method, route }) => html`<code>${method} ${route}</code>`],
			[
				'calls.end',
				(each, { say }) => badge(TONES[endsAs(each)], `${each.status} ${say(`calls.ends.${endsAs(each)}`)}`),
			],
			['calls.said', ({ message, moreInfo }) => [message, moreInfo].filter(Boolean).join(': ')],
			['words.key', ({ credential }) => credential],
			['calls.id', idOf],
		],
		none: 'calls.none',
	});
}

const TONES = { good: 'good', failed: 'bad', cut: 'plain' } as const;

/** Leads to the entries of the trail that the call has caused, for those who may read them. */
function idOf({ id }: LoggedCall, { viewer }: PortalCall) {
	const shown = html`<code>${id}</code>`;
	return viewer.has('trail.see') ? html`<a href="${TRAIL}?about=call&amp;name=${id}">${shown}</a>` : shown;
}
