// Lists, creates and cancels card requests, and shows the state of each.

import type { Html } from '../../../../../base/pages/html.ts';
import { html } from '../../../../../base/pages/html.ts';
import { findToken } from '../../../../../vault/tokens/token.ts';
import type { CardRequest } from '../../../../../work/cardholders/requests/card-request.ts';
import {
	CARD_REQUEST_STATUSES,
	type CardRequestPlan,
	type CardRequestState,
	type PastRequest,
} from '../../../../../work/cardholders/requests/card-request.ts';
import { Members } from '../../../input/members.ts';
import { readCardRequest } from '../../../requests/card-request-order.ts';
import { CARD_REQUEST_BODY } from '../../../requests/card-request-schema.ts';
import type { HttpRooms } from '../../../rooms.ts';
import type { Tone } from '../../parts.ts';
import {
	badge,
	choiceField,
	definitions,
	emptyState,
	field,
	form,
	notice,
	pager,
	searchForm,
	table,
	tickField,
	time,
} from '../../parts.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere, principalOf, refusalsOf } from './own.ts';

const PATH = '/portal/requests';
const HELP = '/docs/portal#card-requests';
const PER_PAGE = 25;
const STATES: readonly CardRequestState[] = [...CARD_REQUEST_STATUSES, 'Cancelled'];
const TONES: Readonly<Record<CardRequestState, Tone>> = {
	...{ MessageQueued: 'busy', MessageSent: 'busy', FormViewed: 'busy', CardStored: 'good' },
	...{ MessageFailed: 'bad', StoreFailed: 'bad', LinkExpired: 'plain', Cancelled: 'plain' },
};
/** The fields of the form, as the HTTP interface names them. */
const FIELDS = [
	...(['RecipientName', 'RecipientEmail', 'RecipientPhone', 'CreatorReference', 'Language'] as const),
	...(['ExpirationMinutes', 'RequireCvv'] as const),
];

export function requestPages(rooms: HttpRooms): PortalPage[] {
	const { cardRequests } = rooms;
	const findOwn = async (call: PortalCall): Promise<PastRequest> => {
		const found = await cardRequests.findPast(principalOf(call), call.params.id);
		if (!found) throw notThere();
		return found;
	};
	return [
		{ path: PATH, method: 'GET', right: 'requests.see', handle: (call) => listPage(rooms, call) },
		{
			path: `${PATH}/new`,
			method: 'GET',
			right: 'requests.make',
			handle: async (call) => newPage(rooms, call),
		},
		{ path: `${PATH}/new`, method: 'POST', right: 'requests.make', handle: (call) => make(rooms, call) },
		{
			path: `${PATH}/:id`,
			method: 'GET',
			right: 'requests.see',
			handle: async (call) => requestPage(call, await findOwn(call)),
		},
		{
			path: `${PATH}/:id/cancel`,
			method: 'POST',
			right: 'requests.make',
			async handle(call) {
				const { id } = await findOwn(call);
				const isDone = await cardRequests.cancel(principalOf(call), id);
				const words = call.texts.cards.requests;
				return { redirectTo: `${PATH}/${id}`, notice: isDone ? words.cancelled : words.isOver };
			},
		},
	];
}

async function listPage({ cardRequests }: HttpRooms, call: PortalCall): Promise<PortalAnswer> {
	const words = call.texts.cards.requests;
	const { after } = call.query;
	const state = STATES.find((each) => each === call.query.state);
	const found = await cardRequests.list(principalOf(call), { state, after, limit: PER_PAGE + 1 });
	const shown = found.slice(0, PER_PAGE);
	const rows = shown.map((each) => [
		html`<a href="${PATH}/${each.id}">${each.reference}</a>`,
		...[each.recipient.name ?? each.recipient.email, stateBadge(call, each.status)],
		...[time(each.createdAt, call.language), time(each.expiresAt, call.language)],
	]);
	const head = [words.reference, words.recipient, words.state, words.made, words.ends];
	const states = [['', words.all] as const, ...STATES.map((each) => [each, words.states[each]] as const)];
	const listed = rows.length > 0 ? table({ caption: words.caption, head, rows }) : emptyState(words.none);
	const next = found.length > PER_PAGE ? shown[PER_PAGE - 1].id : undefined;
	const body = html`${call.viewer.has('requests.make') && html`<p class="actions"><a class="button" href="${PATH}/new">${words.make}</a></p>`}
${searchForm({
	action: PATH,
	submit: words.filter,
	body: choiceField({ name: 'state', label: words.state, value: state ?? '', options: states }),
})}${listed}${pager(call, PATH, { state, after }, next)}`;
	return { page: { title: call.texts.frame.sections.requests, section: 'requests', body, help: HELP } };
}

function stateBadge({ texts }: PortalCall, state: CardRequestState): Html {
	return badge(TONES[state], texts.cards.requests.states[state]);
}

/**
 * Returns the card whose CVV is requested, from the URL or the form of the page; undefined if a whole card is
 * requested.
 */
async function findAskedCard({ vault }: HttpRooms, call: PortalCall): Promise<CardRequestPlan['card']> {
	const text = call.form.card || call.query.card;
	if (!text) return undefined;
	const principal = principalOf(call);
	const token = findToken(text);
	const found = token && (await vault.find(principal.ownerId, token));
	if (!token || !found?.isOwner || found.record.kind !== 'card' || !principal.cvvRetention) throw notThere();
	return { token, lastDigits: found.record.digits.toString('latin1', found.record.digits.length - 4) };
}

async function newPage(
	rooms: HttpRooms,
	call: PortalCall,
	refusals: Readonly<Record<string, string>> = {},
): Promise<PortalAnswer> {
	const { mails } = rooms;
	const { requests: words } = call.texts.cards;
	const card = await findAskedCard(rooms, call);
	const of = (name: (typeof FIELDS)[number]) => ({ name, value: call.form[name], problem: refusals[name] });
	const body = html`${refusals[''] !== undefined && notice('bad', refusals[''])}
<p>${mails.isOpen ? words.isMailed : words.isNotMailed}</p>
${card && html`<p>${words.what}: ${words.forCvv}, …${card.lastDigits}</p>`}
${form(call, {
	action: `${PATH}/new`,
	submit: words.make,
	body: html`${card && html`<input type="hidden" name="card" value="${card.token}">`}${field({ ...of('RecipientName'), label: words.name, maxLength: 100, autocomplete: 'off' })}
${field({ ...of('RecipientEmail'), label: words.email, type: 'email', autocomplete: 'off' })}
${field({ ...of('RecipientPhone'), label: words.phone, type: 'tel', maxLength: 25, autocomplete: 'off' })}
${field({ ...of('CreatorReference'), label: words.reference, hint: words.referenceHint, maxLength: 255 })}
${field({ ...of('Language'), label: words.language, hint: words.languageHint, maxLength: 8 })}
${field({ ...of('ExpirationMinutes'), label: words.minutes, type: 'number', hint: words.minutesHint })}
${!card && principalOf(call).cvvRetention && tickField({ ...of('RequireCvv'), label: words.requireCvv, value: 'true' }, call.form.RequireCvv === 'true')}`,
})}`;
	const status = Object.keys(refusals).length > 0 ? 400 : 200;
	return { page: { title: words.make, section: 'requests', body, help: HELP }, status };
}

/** Creates a card request. Its link is shown in this answer, because no other page shows it. */
async function make(rooms: HttpRooms, call: PortalCall): Promise<PortalAnswer> {
	const { cardRequests, identity, settings } = rooms;
	const principal = principalOf(call);
	const given = FIELDS.flatMap((name) => (call.form[name] ? [[name, call.form[name].trim()]] : []));
	const value = { SenderID: principal.userId, ...Object.fromEntries(given) };
	const card = await findAskedCard(rooms, call);
	let made: CardRequest | undefined;
	const refusals = await refusalsOf(async () => {
		const order = Members.of({ format: 'json', value }, CARD_REQUEST_BODY);
		const plan = await readCardRequest(order, { principal, origins: identity.origins });
		made = await cardRequests.create(principal, { ...plan, card }, { baseUrl: settings.baseUrl });
	});
	if (refusals || !made) return newPage(rooms, call, refusals);
	const { requests: words } = call.texts.cards;
	const isMailed = rooms.mails.isOpen && made.recipient.email !== undefined;
	const body = html`${notice('good', isMailed ? words.mailed : words.madeNotice)}
<p id="link-text">${words.linkOnce}</p>
<pre id="link" tabindex="0" aria-describedby="link-text">${made.url}</pre>
<p><a href="${PATH}/${made.id}">${words.toRequest}</a></p>`;
	return { page: { title: words.madeTitle, section: 'requests', body, help: HELP } };
}

function requestPage(call: PortalCall, request: PastRequest): PortalAnswer {
	const { requests: words } = call.texts.cards;
	const { status, recipient, resultToken, cardToken } = request;
	const shownTime = (date: Date | undefined) => date && time(date, call.language);
	const token = resultToken ?? cardToken;
	const isOpen = request.endedAt === undefined;
	const by = request.portalUserId === undefined ? '' : ` (${words.inPortal} ${request.portalUserId})`;
	const body = html`${definitions([
		[words.state, stateBadge(call, status)],
		[words.what, request.kind === 'cvv' ? words.forCvv : words.forCard],
		[words.name, recipient.name],
		[words.email, recipient.email],
		[words.phone, recipient.phone],
		[words.reference, request.reference],
		[words.by, `${request.senderId}${by}`],
		[words.made, shownTime(request.createdAt)],
		[words.ends, shownTime(request.expiresAt)],
		[words.reminded, shownTime(request.remindedAt) ?? words.notReminded],
		[words.ended, shownTime(request.endedAt)],
		[words.card, token && html`<a href="/portal/cards/${token}">${token}</a>`],
	])}
<p>${words.explained[status]}</p>
${isOpen && call.viewer.has('requests.make') && form(call, { action: `${PATH}/${request.id}/cancel`, submit: words.cancel, tone: 'danger', body: html`` })}`;
	return { page: { title: `${words.one} ${request.reference}`, section: 'requests', body, help: HELP } };
}
