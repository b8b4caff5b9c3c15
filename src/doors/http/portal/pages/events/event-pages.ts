// The events of an account, who is told of them, and what became of each telling.

import type { StoredWhy } from '../../../../../base/failures.ts';
import { EVENT_NAMES } from '../../../../../base/outbox/event-types.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import type { StoredEndpoint } from '../../../../../work/events/endpoints.ts';
import type { ShownDelivery, ShownEvent, ToldEvent } from '../../../../../work/events/history.ts';
import { whyPart } from '../../failure-words.ts';
import { link, type TableKind, tableOf } from '../../kinds/columns.ts';
import { DAYS, periodOf } from '../../kinds/days.ts';
import { allOr } from '../../kinds/form-part.ts';
import { fileOf, type PagedRows, paged } from '../../kinds/paged-rows.ts';
import type { PortalParts } from '../../parts.ts';
import { emptyState } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import {
	deliveryBadge,
	EVENTS,
	endpointBadge,
	endpointPath,
	isOfPrimary,
	NEW_ENDPOINT,
	NEW_MAILBOX,
	ownerOfCall,
	pages,
} from './events-group.ts';

const PAGE_LENGTH = 50;
const EVENT_ID = /^evt_[0-9a-hjkmnp-tv-z]{26}$/;

type Parts = Pick<PortalParts, 'endpoints' | 'eventHistory'>;

const ENDPOINT_TABLE: TableKind<StoredEndpoint> = {
	caption: 'events.endpointsCaption',
	columns: [
		['words.name', ({ name }) => link(endpointPath(name), name)],
		['words.target', ({ target }) => target],
		['events.types', ({ types }, { say }) => types?.join(', ') ?? say('words.all')],
		['words.state', ({ state }, call) => endpointBadge(call, state)],
	],
	none: 'events.noEndpoints',
};

interface ToldDelivery extends ShownDelivery {
	readonly failure: StoredWhy | null;
}

const DELIVERY_TABLE: TableKind<ToldDelivery> = {
	caption: 'events.deliveriesCaption',
	columns: [
		[
			'events.endpoint',
			({ endpoint }, { say }) => (endpoint === null ? say('events.removed') : link(endpointPath(endpoint), endpoint)),
		],
		['words.state', ({ state }, call) => deliveryBadge(call, state)],
		['words.tries', ({ tries }) => tries],
		[
			'events.answer',
			({ status, failure }, call) => whyPart(call, failure) ?? (status === null ? null : String(status)),
		],
		['events.nextTry', ({ nextTryAt }) => nextTryAt && new Date(nextTryAt)],
		['events.ended', ({ endedAt }) => endedAt && new Date(endedAt)],
	],
	none: 'events.noDeliveries',
};

const FILE = fileOf<ShownEvent>('id', 'timestamp', 'type', 'data', [
	'deliveries',
	({ deliveries }) => deliveries.map(({ endpoint, state }) => `${endpoint ?? ''} ${state}`),
]);

export function eventPages({ endpoints, eventHistory }: Parts): PortalPage[] {
	const events: PagedRows<ShownEvent> = {
		length: PAGE_LENGTH,
		ask(call, { type, ...days }) {
			const question = { type, ...periodOf(days) };
			const accountId = isOfPrimary(call) ? ownerOfCall(call).accountId : undefined;
			return {
				list: async (page) => (accountId ? eventHistory.list(accountId, { ...question, ...page }) : []),
				count: async (most) => (accountId ? eventHistory.count(accountId, question, most) : 0),
			};
		},
		keyOf: ({ id }) => id,
		readKey: (text) => (EVENT_ID.test(text) ? text : undefined),
	};
	return [
		...pages.list<ShownEvent>(EVENTS, 'events.change', {
			title: 'frame.sections.events',
			...paged(events, FILE),
			above: async (call) => (isOfPrimary(call) ? endpointPart(call, endpoints) : ''),
			search: {
				filters: [
					{
						name: 'type',
						label: 'events.type',
						choices: ({ say }) => allOr(say('words.all'), EVENT_NAMES, (type) => type),
					},
					...DAYS,
				],
			},
			live: { id: 'events', kinds: ['events'] },
			caption: 'events.caption',
			columns: [
				['events.at', ({ timestamp }) => new Date(timestamp)],
				['events.type', ({ id, type }) => link(`${EVENTS}/${id}`, type)],
				['words.account', ({ data }) => String(data.account ?? '')],
				[
					'events.deliveries',
					({ deliveries }, call) =>
						deliveries.map(
							({ endpoint, state }) => html`${endpoint ?? call.say('events.removed')} ${deliveryBadge(call, state)} `,
						),
				],
			],
			none: (call, { isNarrowed }) =>
				emptyState(call.say(!isOfPrimary(call) ? 'events.ofPrimary' : isNarrowed ? 'frame.noneFits' : 'events.none')),
		}),
		...pages.detail<ToldEvent>(`${EVENTS}/:id`, 'events.change', {
			title: ({ event }) => event.type,
			find: (call) => eventHistory.find(ownerOfCall(call).accountId, call.params.id),
			live: {
				id: 'event',
				kinds: ['events'],
				isMoving: ({ event }) => event.deliveries.some(({ state }) => state === 'waiting'),
			},
			facts: [
				['events.at', ({ event }) => new Date(event.timestamp)],
				['events.id', ({ event }) => html`<code>${event.id}</code>`],
			],
			body: (told, call, { facts, place }) => html`${facts}
<h2>${call.say('events.data')}</h2><pre tabindex="0">${JSON.stringify(told.event.data, null, 2)}</pre>
<h2>${call.say('events.deliveries')}</h2>${tableOf(call, DELIVERY_TABLE, deliveriesOf(told))}${place('replay')}
<p>${link(EVENTS, call.say('events.back'))}</p>`,
			actions: {
				replay: {
					text: 'events.replayText',
					submit: 'events.replay',
					tone: 'plain',
					shows: 'refusals',
					async act({ event: { id } }, call) {
						const added = await eventHistory.replay(ownerOfCall(call), { id }, call.viewer.actor);
						return added === 0 ? 'events.nothingAdded' : 'events.replayed';
					},
				},
			},
		}),
	];
}

function deliveriesOf({ event, failures }: ToldEvent): ToldDelivery[] {
	return event.deliveries.map((delivery, nth) => ({ ...delivery, failure: failures[nth] }));
}

async function endpointPart(call: PortalCall, endpoints: Parts['endpoints']): Promise<Html> {
	const { say } = call;
	const list = await endpoints.list(ownerOfCall(call).accountId);
	return html`<p>${say('events.intro')}</p>
<h2>${say('events.endpoints')}</h2>
<p class="actions"><a class="button" href="${NEW_ENDPOINT}">${say('events.newEndpoint')}</a> <a class="button plain" href="${NEW_MAILBOX}">${say('events.newMailbox')}</a></p>
${tableOf(call, ENDPOINT_TABLE, list)}<h2>${say('events.history')}</h2>`;
}
