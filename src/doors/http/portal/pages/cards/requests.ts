// Lists, creates and cancels card requests, and shows the state of each.

import { html } from '../../../../../base/pages/html.ts';
import { findToken } from '../../../../../vault/tokens/token.ts';
import type {
	CardRequestPlan,
	CardRequestState,
	PastRequest,
} from '../../../../../work/cardholders/requests/card-request.ts';
import { Members } from '../../../input/members.ts';
import { readCardRequest } from '../../../requests/card-request-order.ts';
import { CARD_REQUEST_BODY } from '../../../requests/card-request-schema.ts';
import { link, statesOf } from '../../kinds/columns.ts';
import { DAYS, periodOf } from '../../kinds/days.ts';
import type { Field } from '../../kinds/form-part.ts';
import { fileOf, type PagedRows, paged, ulidOf } from '../../kinds/paged-rows.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { notice } from '../../pieces.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere } from '../../refusals.ts';

const PATH = '/portal/requests';
const { list, form, detail, page } = pagesOf({ section: 'requests', help: '/docs/portal#card-requests' });
const PER_PAGE = 25;
const STATES = statesOf<'requests.states.', CardRequestState>('requests.states.', {
	MessageQueued: 'busy',
	MessageSent: 'busy',
	MessageFailed: 'bad',
	FormViewed: 'busy',
	CardStored: 'good',
	StoreFailed: 'bad',
	LinkExpired: 'plain',
	Cancelled: 'plain',
});

type Parts = Pick<PortalParts, 'cardRequests' | 'identity' | 'mails' | 'settings' | 'vault'>;

/** What is asked for: the CVV of a card, or a whole card if none is given. */
interface Wanted {
	readonly card?: CardRequestPlan['card'];
}

/** The fields of a request, as the HTTP interface names them. */
const FIELDS: readonly Field<Wanted>[] = [
	{ name: 'RecipientName', label: 'requests.name', maxLength: 100, autocomplete: 'off' },
	{ name: 'RecipientEmail', label: 'requests.email', type: 'email', autocomplete: 'off' },
	{ name: 'RecipientPhone', label: 'requests.phone', type: 'tel', maxLength: 25, autocomplete: 'off' },
	{ name: 'CreatorReference', label: 'words.reference', hint: 'requests.referenceHint', maxLength: 255 },
	{ name: 'Language', label: 'words.language', hint: 'requests.languageHint', maxLength: 8 },
	{ name: 'ExpirationMinutes', label: 'requests.minutes', type: 'number', hint: 'requests.minutesHint' },
	{
		name: 'RequireCvv',
		label: 'requests.requireCvv',
		sends: 'true',
		isTicked: () => false,
		isShown: ({ card }, call) => !card && principalOf(call).cvvRetention,
	},
];

const FILE = fileOf<PastRequest>(
	...(['id', 'reference', 'kind'] as const),
	['recipient', ({ recipient }) => recipient.name],
	['email', ({ recipient }) => recipient.email],
	['state', ({ status }) => status],
	['madeAt', ({ createdAt }) => createdAt],
	['endsAt', ({ expiresAt }) => expiresAt],
	'endedAt',
);

export function requestPages(parts: Parts): PortalPage[] {
	const { cardRequests, mails } = parts;
	const requests: PagedRows<PastRequest> = {
		length: PER_PAGE,
		ask(call, values) {
			const question = { state: values.state as CardRequestState | undefined, ...periodOf(values) };
			return {
				list: (page) => cardRequests.list(principalOf(call), question, page),
				count: (most) => cardRequests.count(principalOf(call), question, most),
			};
		},
		keyOf: ({ id }) => id,
		readKey: ulidOf,
	};
	return [
		...list<PastRequest>(PATH, 'requests.see', {
			title: 'frame.sections.requests',
			...paged(requests, FILE),
			adds: { path: `${PATH}/new`, label: 'requests.make', right: 'requests.make' },
			search: {
				filters: [{ name: 'state', label: 'requests.state', choices: STATES.choices('requests.all') }, ...DAYS],
			},
			live: { id: 'requests', kinds: ['requests'] },
			caption: 'requests.caption',
			columns: [
				['words.reference', ({ id, reference }) => link(`${PATH}/${id}`, reference)],
				['requests.recipient', ({ recipient }) => recipient.name ?? recipient.email],
				['requests.state', ({ status }, call) => STATES.badge(call, status)],
				['requests.made', ({ createdAt }) => createdAt],
				['requests.ends', ({ expiresAt }) => expiresAt],
			],
			none: 'requests.none',
		}),
		...form<Wanted>(`${PATH}/new`, 'requests.make', {
			title: 'requests.make',
			find: (call) => findWanted(parts, call),
			above: ({ card }, { say }) => html`<p>${say(mails.isOpen ? 'requests.isMailed' : 'requests.isNotMailed')}</p>
${card && html`<p>${say('requests.what')}: ${say('requests.forCvv')}, …${card.lastDigits}</p>`}`,
			hidden: ({ card }) => ({ card: card?.token }),
			fields: FIELDS,
			submit: 'requests.make',
			shows: 'refusals',
			act: (wanted, call) => make(parts, call, wanted),
		}),
		...detail<PastRequest>(`${PATH}/:id`, 'requests.see', {
			title: ({ reference }, { say }) => `${say('requests.one')} ${reference}`,
			find: (call) => cardRequests.findPast(principalOf(call), call.params.id),
			history: ({ id }) => ({ about: 'card-request', name: id }),
			facts: [
				['requests.state', ({ status }, call) => STATES.badge(call, status)],
				['requests.what', ({ kind }, { say }) => say(kind === 'cvv' ? 'requests.forCvv' : 'requests.forCard')],
				['requests.name', ({ recipient }) => recipient.name ?? null],
				['requests.email', ({ recipient }) => recipient.email ?? null],
				['requests.phone', ({ recipient }) => recipient.phone ?? null],
				['words.reference', ({ reference }) => reference],
				['requests.by', madeBy],
				['requests.made', ({ createdAt }) => createdAt],
				['requests.ends', ({ expiresAt }) => expiresAt],
				['requests.reminded', ({ remindedAt }, { say }) => remindedAt ?? say('requests.notReminded')],
				['requests.ended', ({ endedAt }) => endedAt ?? null],
				['words.token', ({ resultToken, cardToken }) => cardLink(resultToken ?? cardToken)],
			],
			body: ({ status }, { say }, { facts, place }) => html`${facts}
<p>${say(`requests.explained.${status}`)}</p>
${place('cancel')}`,
			actions: {
				cancel: {
					right: 'requests.make',
					isOffered: ({ endedAt }) => endedAt === undefined,
					submit: 'requests.cancel',
					tone: 'danger',
					act: async ({ id }, call) =>
						(await cardRequests.cancel(principalOf(call), id)) ? 'requests.cancelled' : 'requests.isOver',
				},
			},
		}),
	];
}

function madeBy({ senderId, portalUserId }: PastRequest, { say }: PortalCall): string {
	return portalUserId === undefined ? senderId : `${senderId} (${say('requests.inPortal')} ${portalUserId})`;
}

function cardLink(token: string | undefined) {
	return token === undefined ? null : link(`/portal/cards/${token}`, token);
}

/** Returns what the address or the form of the page asks for. */
async function findWanted({ vault }: Parts, call: PortalCall): Promise<Wanted> {
	const text = call.form.card || call.query.card;
	if (!text) return {};
	const principal = principalOf(call);
	const token = findToken(text);
	const found = token && (await vault.find(principal.ownerId, token));
	if (!token || !found?.isOwner || found.record.kind !== 'card' || !principal.cvvRetention) throw notThere();
	return { card: { token, lastDigits: found.record.digits.toString('latin1', found.record.digits.length - 4) } };
}

/** Creates a card request. Its link is shown in this answer, because no other page shows it. */
async function make(parts: Parts, call: PortalCall, { card }: Wanted): Promise<PortalAnswer> {
	const { cardRequests, identity, mails, settings } = parts;
	const { say } = call;
	const principal = principalOf(call);
	const given = FIELDS.flatMap(({ name }) => (call.form[name] ? [[name, call.form[name].trim()]] : []));
	const value = { SenderID: principal.userId, ...Object.fromEntries(given) };
	const order = Members.of({ format: 'json', value }, CARD_REQUEST_BODY);
	const plan = await readCardRequest(order, { principal, origins: identity.origins });
	const made = await cardRequests.create(principal, { ...plan, card }, { baseUrl: settings.baseUrl });
	const isMailed = mails.isOpen && made.recipient.email !== undefined;
	const body = html`${notice('good', say(isMailed ? 'requests.mailed' : 'requests.madeNotice'))}
<p id="link-text">${say('requests.linkOnce')}</p>
<pre id="link" tabindex="0" aria-describedby="link-text">${made.url}</pre>
<p><a href="${PATH}/${made.id}">${say('requests.toRequest')}</a></p>`;
	return page({ title: say('requests.madeTitle'), body });
}
