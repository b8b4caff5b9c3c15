// Where an account wants to be told of events: URLs that are called, and mailboxes.

import { EVENT_NAMES } from '../../../../../base/outbox/event-types.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import type { EndpointWithSecret, StoredEndpoint } from '../../../../../work/events/endpoints.ts';
import { parseEventTime } from '../../../../../work/events/history.ts';
import { testEndpoint } from '../../../../../work/events/test-endpoint.ts';
import { whyPart } from '../../failure-words.ts';
import { link } from '../../kinds/columns.ts';
import type { Field } from '../../kinds/form-part.ts';
import type { PortalParts } from '../../parts.ts';
import { definitions, notice, tickField } from '../../pieces.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere, type Refusal, RefusedFormError } from '../../refusals.ts';
import {
	ENDPOINTS,
	EVENTS,
	endpointBadge,
	endpointPath,
	isOfPrimary,
	NEW_ENDPOINT,
	NEW_MAILBOX,
	ownerOfCall,
	pages,
} from './events-group.ts';

type Parts = Pick<PortalParts, 'clock' | 'endpoints' | 'eventHistory' | 'mails' | 'outbound'>;

const NAME: Field<null> = {
	name: 'name',
	label: 'words.name',
	hint: 'events.nameHint',
	autocomplete: 'off',
	maxLength: 64,
};
const MAIL: Field<null> = { name: 'to', label: 'events.mailbox', type: 'email', autocomplete: 'off' };
const TICKED = 'type-';

function urlField<Thing extends StoredEndpoint | null>(): Field<Thing> {
	return {
		name: 'url',
		label: 'events.url',
		hint: 'events.urlHint',
		type: 'url',
		autocomplete: 'off',
		value: (stored) => stored?.target,
	};
}

/** Returns a box to tick for each type of events. */
function typeFields(stored: StoredEndpoint | null, { form, say }: PortalCall, refusal: Refusal | undefined): Html {
	const isTicked = (type: string) =>
		refusal ? form[TICKED + type] !== undefined : (stored?.types?.includes(type) ?? false);
	const ticks = EVENT_NAMES.map((type) => tickField({ name: TICKED + type, label: type }, isTicked(type)));
	return html`<fieldset><legend>${say('events.types')}</legend><p class="hint">${say('events.typesHint')}</p>${ticks}</fieldset>
`;
}

function typesIn({ form }: PortalCall): string[] {
	return EVENT_NAMES.filter((type) => form[TICKED + type] !== undefined);
}

export function endpointPages({ clock, endpoints, eventHistory, mails, outbound }: Parts): PortalPage[] {
	const put = async (call: PortalCall, name: string, signature: StoredEndpoint['signature']) => {
		const plan = { name, url: call.form.url?.trim() ?? '', types: typesIn(call), signature: signature ?? 'v1' };
		return secretPage(call, await endpoints.put(ownerOfCall(call), plan, call.viewer.actor));
	};
	return [
		...pages.form<null>(NEW_ENDPOINT, 'events.change', {
			title: 'events.newEndpoint',
			find: async (call) => (isOfPrimary(call) ? null : undefined),
			above: (_, { say }) => html`<p>${say('events.newText')}</p>`,
			more: typeFields,
			fields: [NAME, urlField<null>()],
			submit: 'events.add',
			async act(_, call) {
				const name = call.form.name?.trim() ?? '';
				const { accountId } = ownerOfCall(call);
				if ((await endpoints.list(accountId)).some((each) => each.name === name)) {
					throw new RefusedFormError({ name: call.say('events.nameTaken') });
				}
				return put(call, name, 'v1');
			},
		}),
		...pages.form<null>(NEW_MAILBOX, 'events.change', {
			title: 'events.newMailbox',
			find: async (call) => (isOfPrimary(call) ? null : undefined),
			above: (_, { say }) => (mails.isOpen ? html`` : notice('plain', say('events.noMailServer'))),
			more: typeFields,
			fields: [MAIL],
			submit: 'events.add',
			async act(_, call) {
				const plan = { to: call.form.to?.trim() ?? '', types: typesIn(call) };
				const { name } = await endpoints.putMail(ownerOfCall(call), plan, call.viewer.actor);
				return { redirectTo: endpointPath(name), notice: call.say('events.saved') };
			},
		}),
		...pages.detail<StoredEndpoint>(`${ENDPOINTS}/:name`, 'events.change', {
			title: ({ name }, { say }) => `${say('events.endpoint')} ${name}`,
			find: async (call) =>
				(await endpoints.list(ownerOfCall(call).accountId)).find(({ name }) => name === call.params.name),
			facts: [
				['words.state', ({ state }, call) => endpointBadge(call, state)],
				['words.reason', ({ failure }, call) => whyPart(call, failure) ?? undefined],
				['words.target', ({ target }) => target],
				['events.types', ({ types }, { say }) => types?.join(', ') ?? say('words.all')],
				['events.signature', ({ signature }) => signature ?? undefined],
				['words.changed', ({ updatedAt }) => updatedAt],
			],
			body: ({ kind }, call, { facts, place }) => {
				const { say } = call;
				const title = (key: 'events.replay' | 'words.change' | 'words.remove') => html`<h2>${say(key)}</h2>`;
				return html`${facts}<div class="actions">${place('test')}${place('pause')}${place('resume')}${place('rotate')}</div>
${title('events.replay')}${place('replay')}${title('words.change')}${place(kind === 'mail' ? 'types' : 'change')}
${title('words.remove')}${place('remove')}<p>${link(EVENTS, say('events.back'))}</p>`;
			},
			actions: {
				test: {
					submit: 'events.test',
					tone: 'plain',
					shows: 'partners',
					isOffered: ({ kind }) => kind === 'webhook',
					async act({ name }, call) {
						const tested = await testEndpoint({ endpoints, outbound, clock }, ownerOfCall(call), name);
						if (tested.received) return 'events.isReceived';
						const why = whyPart(call, tested.failure);
						throw new RefusedFormError({ '': html`${call.say('events.notReceived')} ${why}` });
					},
				},
				pause: {
					submit: 'words.pause',
					tone: 'plain',
					isOffered: ({ state }) => state === 'active' || state === 'failing',
					async act({ name }, call) {
						await endpoints.pause(ownerOfCall(call), name, call.viewer.actor);
						return 'events.paused';
					},
				},
				resume: {
					submit: 'words.resume',
					tone: 'plain',
					isOffered: ({ state }) => state === 'paused',
					async act({ name }, call) {
						await endpoints.resume(ownerOfCall(call), name, call.viewer.actor);
						return 'events.resumed';
					},
				},
				rotate: {
					submit: 'events.rotate',
					tone: 'plain',
					isOffered: ({ kind }) => kind === 'webhook',
					act: async ({ name }, call) =>
						secretPage(call, await endpoints.rotate(ownerOfCall(call), name, call.viewer.actor)),
				},
				replay: {
					text: 'events.replayHint',
					fields: [
						{ name: 'from', label: 'events.from', type: 'date' },
						{ name: 'until', label: 'events.until', type: 'date' },
					],
					submit: 'events.replay',
					shows: 'refusals',
					tone: 'plain',
					isOffered: ({ state }) => state !== 'disabled',
					async act({ name }, call) {
						const fromMs = parseEventTime(call.form.from ?? '');
						if (fromMs === undefined) throw new RefusedFormError({ from: call.say('events.aDay') });
						const lastMs = parseEventTime(call.form.until ?? '');
						const toMs = lastMs === undefined ? undefined : lastMs + DAY_MS;
						const plan = { fromMs, toMs, endpoint: name };
						const added = await eventHistory.replay(ownerOfCall(call), plan, call.viewer.actor);
						return added === 0 ? 'events.nothingAdded' : 'events.replayed';
					},
				},
				change: {
					more: typeFields,
					fields: [urlField<StoredEndpoint>()],
					text: 'events.changeText',
					submit: 'words.keep',
					isOffered: ({ kind }) => kind === 'webhook',
					act: ({ name, signature }, call) => put(call, name, signature),
				},
				types: {
					more: typeFields,
					submit: 'words.keep',
					isOffered: ({ kind }) => kind === 'mail',
					async act({ target }, call) {
						await endpoints.putMail(ownerOfCall(call), { to: target, types: typesIn(call) }, call.viewer.actor);
						return 'events.saved';
					},
				},
				remove: {
					text: 'events.removeText',
					submit: 'words.remove',
					tone: 'danger',
					async act({ name }, call) {
						if (!(await endpoints.remove(ownerOfCall(call), name, call.viewer.actor))) throw notThere();
						return { redirectTo: EVENTS, notice: call.say('events.isRemoved') };
					},
				},
			},
		}),
	];
}

const DAY_MS = 86_400_000;

/** Returns the page with a new secret, the only answer that contains it. */
function secretPage(call: PortalCall, { endpoint, secret }: EndpointWithSecret): PortalAnswer {
	const { say } = call;
	const facts = definitions([
		[say('words.name'), endpoint.name],
		[say('events.secret'), html`<code id="new-secret">${secret.reveal()}</code>`],
	]);
	const back = html`<p>${link(endpointPath(endpoint.name), `${say('events.endpoint')} ${endpoint.name}`)}</p>`;
	return pages.page({
		title: say('events.secretTitle'),
		body: html`${notice('good', say('events.once'))}${facts}${back}`,
	});
}
