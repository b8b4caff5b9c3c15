// The audit trail as people ask it: who did what, when, from where, by which call. An account has its own page; operators
// see all of it among the pages of the installation.

import { type HtmlValue, html } from '../../../../../base/pages/html.ts';
import { TRAIL_COLUMNS, type TrailEntry, trailCells } from '../../../../../trail/questions/trail-entry.ts';
import { link } from '../../kinds/columns.ts';
import { TRAIL } from '../../kinds/history-link.ts';
import { type ListKind, numberOf } from '../../kinds/list.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { count } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { type ReaderOf, trailFilters, trailQuestion } from './trail-question.ts';

const PAGE_LENGTH = 50;
/** So many rows of a file are written between two looks at whether the session is still open. */
const ROWS_A_CHECK = 500;
const { list } = pagesOf({ section: 'trail', help: '/docs/portal#audit-trail' });

export function trailPages({ trail }: Pick<PortalParts, 'trail'>): PortalPage[] {
	const ofAccount: ReaderOf = (call) => {
		const { accountId, userId, ownerId } = principalOf(call);
		return trail.ofAccount({ accountId, userId, ownerId }, call.viewer.actor);
	};
	return list<TrailEntry>(TRAIL, 'trail.see', {
		...trailList(ofAccount),
		title: 'trail.title',
		above: ({ say }) => html`<p>${say('trail.hint')}</p>
`,
	});
}

export function trailList(readerOf: ReaderOf): Omit<ListKind<TrailEntry>, 'path' | 'right' | 'title'> {
	return {
		search: { submit: 'words.narrow', noNumber: 'cards.noNumber', filters: trailFilters(readerOf) },
		async find(call, asked) {
			const question = await trailQuestion(readerOf, call, asked);
			const page = { before: numberOf(asked.after), after: numberOf(asked.before), limit: PAGE_LENGTH };
			const { entries, older, newer, ...counted } = await readerOf(call).ask(question, page);
			const shown = { count: count(counted.count, call.language) };
			return {
				rows: entries,
				next: older?.toString(),
				previous: newer?.toString(),
				before: html`<p class="count">${counted.isAtLeast ? call.say('trail.atLeast', shown) : call.say('trail.count', { count: counted.count })}</p>
`,
			};
		},
		caption: 'trail.caption',
		columns: [
			['words.when', ({ at }) => new Date(at)],
			[
				'trail.who',
				({ actor, origin: { person, credential } }) => [person ?? actor, credential].filter(Boolean).join(' · '),
			],
			['trail.address', ({ origin }) => origin.address],
			['trail.call', ({ origin: { call } }) => call && html`<code>${call}</code>`],
			['trail.action', ({ action }) => action],
			['trail.subject', subjectOf],
			['trail.details', detailsOf],
		],
		none: 'trail.none',
		below: ({ say }) => html`<p class="hint">${say('trail.proof')}</p>
`,
		exported: {
			columns: TRAIL_COLUMNS,
			async *rows(call, asked, check) {
				let written = 0;
				for await (const entry of readerOf(call).readAll(await trailQuestion(readerOf, call, asked))) {
					if (written++ % ROWS_A_CHECK === 0) await check();
					yield trailCells(entry);
				}
			},
		},
	};
}

/** Returns what an entry is about, with a link for an account, which has a page about it. */
function subjectOf({ subject }: TrailEntry, { viewer }: PortalCall): HtmlValue {
	const [, kind, id] = /^(token|job|card-request) ([0-9a-z-]+)$/.exec(subject) ?? [];
	if (kind === undefined || !viewer.account) return subject;
	const folder = { token: 'cards', job: 'jobs', 'card-request': 'requests' }[kind];
	return link(`/portal/${folder}/${id}`, subject);
}

function detailsOf({ details }: TrailEntry): string {
	return Object.entries(details)
		.map(([name, value]) => `${name}: ${value}`)
		.join(', ');
}
