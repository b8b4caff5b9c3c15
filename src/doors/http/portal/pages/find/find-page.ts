// The page with what one typed text finds, by kind.

import { shownExpiry } from '../../../../../base/card/expiry.ts';
import { holdsCardNumber } from '../../../../../base/card/spelling/spelled-number.ts';
import { type Html, type HtmlValue, html } from '../../../../../base/pages/html.ts';
import { nameAlone } from '../../../../../people/identity/accounts/user-id.ts';
import type { TokenMetadata } from '../../../../../vault/tokens/token-metadata.ts';
import type { JobRow } from '../../../../../work/jobs/job.ts';
import type { FoundOf, SearchAnswer } from '../../../../../work/search/search.ts';
import type { LoggedCall } from '../../../server/call-log.ts';
import { link } from '../../kinds/columns.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { emptyState, notice, time } from '../../pieces.ts';
import { get, type PortalAnswer, type PortalCall, type PortalPage, post } from '../../portal-page.ts';
import type { TextKey } from '../../texts.ts';
import { maskedNumber } from '../cards/search.ts';
import { jobBadge, jobPath } from '../files/shown-job.ts';
import { routePath } from '../routes/routes-group.ts';
import { FIND, FIND_TEXT, findableBy } from './find-field.ts';

const { page } = pagesOf({ help: '/docs/portal#find-anything' });

export function findPages({ search }: Pick<PortalParts, 'search'>): PortalPage[] {
	const show = async (call: PortalCall, text: string): Promise<PortalAnswer> => {
		const { say } = call;
		const title = say('find.title');
		// The number is neither searched for nor written back.
		if (holdsCardNumber(text)) return page({ title, status: 400, body: notice('bad', say('find.noNumber')) });
		if (text === '') return page({ title, body: emptyState(say('find.begin')) });
		const searcher = { principal: principalOf(call), may: findableBy(call.viewer) };
		const found = resultsPart(call, await search.find(searcher, text), text);
		return page({ title, body: html`<p>${say('find.asked', { text })}</p>${found}` });
	};
	return [
		get(FIND, 'signed-in', (call) => show(call, (call.query[FIND_TEXT] ?? '').trim())),
		post(FIND, 'signed-in', async (call) => {
			const text = (call.form[FIND_TEXT] ?? '').trim();
			if (holdsCardNumber(text)) return show(call, text);
			return { redirectTo: `${FIND}?${new URLSearchParams({ [FIND_TEXT]: text })}` };
		}),
	];
}

function resultsPart(call: PortalCall, found: SearchAnswer<LoggedCall>, text: string): Html {
	const { say } = call;
	const { lastFour } = found;
	const group = <Item>(title: TextKey, of: FoundOf<Item> | undefined, row: (item: Item) => HtmlValue) =>
		of !== undefined &&
		of.items.length > 0 &&
		html`<section><h2>${say(title)}</h2><ul class="found">${of.items.map((item) => html`<li>${row(item)}</li>\n`)}</ul>
${of.hasMore && html`<p class="hint">${say('find.more')}</p>`}</section>
`;
	const card = (each: TokenMetadata) => cardRow(call, each);
	const file = (each: JobRow) => fileRow(call, each);
	const groups = [
		group('find.kinds.token', found.token, card),
		group('find.kinds.reference', found.reference, card),
		group('find.kinds.lastFour', lastFour && { ...lastFour, hasMore: false }, card),
		group('frame.sections.files', found.file, file),
		group('find.kinds.job', found.job, file),
		group('frame.sections.routes', found.route, (name) => link(routePath(name), name)),
		group('frame.sections.people', found.person, ({ id, name }) => link(`/portal/people/${id}`, nameAlone(name))),
		group('calls.title', found.call, (each) => callRow(call, each)),
	].filter((each) => each !== false);
	// The list of cards goes on where the search stopped, and knows no brand.
	const digits = text.match(/\d{4}/)?.[0];
	const all =
		lastFour?.next !== undefined &&
		digits !== undefined &&
		html`<p>${link(`/portal/cards?last4=${digits}`, say('find.allCards'))}</p>`;
	return html`${groups.length > 0 ? groups : emptyState(say('find.nothing'))}${all}`;
}

function cardRow({ say, language }: PortalCall, card: TokenMetadata): HtmlValue {
	const { token, kind, cardType, expiry, reference, createdAt } = card;
	const name = maskedNumber(card);
	const facts = [cardType ?? say('cards.unknown'), shownExpiry(expiry), reference].filter(Boolean).join(' · ');
	const shown = kind === 'data-block' ? html`<code>${token}</code>` : link(`/portal/cards/${token}`, name);
	return html`${shown} <small>${facts} · ${time(createdAt, language)}</small>`;
}

function fileRow({ say, language }: PortalCall, job: JobRow): HtmlValue {
	return html`${link(jobPath(job), job.name)} ${jobBadge(job, say)} <small>/${job.operation}/${job.filter} · ${time(job.created_at, language)}</small>`;
}

function callRow({ language }: PortalCall, call: LoggedCall): HtmlValue {
	const { id, method, route, status, message, moreInfo, credential } = call;
	const facts = [credential, message, moreInfo].filter(Boolean).join(' · ');
	return html`<code>${id}</code> ${method} ${route}: ${status} <small>${facts} · ${time(call.time, language)}</small>`;
}
