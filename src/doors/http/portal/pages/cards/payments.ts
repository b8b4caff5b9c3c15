// Shows the journal of payments: the operations that were sent to gateways, beginning with those whose outcome is
// unknown.

import { isUlid } from '../../../../../base/database/ulid.ts';
import { html } from '../../../../../base/pages/html.ts';
import type { AttemptState } from '../../../../../work/payments/gateway/attempt-store.ts';
import type { Gateway } from '../../../../../work/payments/gateway/gateway.ts';
import { isOpen, type JournalEntry } from '../../../../../work/payments/gateway/transaction.ts';
import { link, statesOf, type TableKind, tableOf } from '../../kinds/columns.ts';
import { DAYS, periodOf } from '../../kinds/days.ts';
import { fileOf, type PagedRows, paged, ulidOf } from '../../kinds/paged-rows.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { notice, time } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import type { TextKey } from '../../texts.ts';

const PATH = '/portal/payments';
const { list, detail } = pagesOf({ section: 'payments', help: '/docs/portal#payments' });
const PER_PAGE = 25;
const MAX_UNKNOWN = 50;
const STATES = statesOf<'payments.states.', AttemptState>('payments.states.', {
	sent: 'busy',
	approved: 'good',
	declined: 'plain',
	failed: 'bad',
	unknown: 'bad',
});

type FoundEntry = NonNullable<Awaited<ReturnType<Gateway['findEntry']>>>;

const ENTRIES: Required<Pick<TableKind<JournalEntry>, 'columns' | 'none'>> = {
	columns: [
		['payments.sent', ({ id, createdAt }, { language }) => link(`${PATH}/${id}`, time(createdAt, language))],
		['payments.operation', ({ operation }) => operation],
		['payments.amount', amountOf],
		['words.gateway', ({ gateway }) => gateway],
		['words.outcome', ({ state }, call) => STATES.badge(call, state)],
		['words.card', ({ maskedNumber }) => maskedNumber],
		['words.reference', ({ myRef }) => myRef],
	],
	none: 'payments.none',
};

const FILE = fileOf<JournalEntry>(
	'id',
	['sentAt', ({ createdAt }) => createdAt],
	'operation',
	['amount', ({ amount }) => amount?.text],
	['currency', ({ amount }) => amount?.currency],
	'gateway',
	'state',
	['card', ({ maskedNumber }) => maskedNumber],
	'myRef',
	['by', ({ userId }) => userId],
	['knownAt', ({ settledAt }) => settledAt],
);

export function paymentPages({ gateway }: Pick<PortalParts, 'gateway'>): PortalPage[] {
	const entries: PagedRows<JournalEntry> = {
		length: PER_PAGE,
		ask(call, { ref: myRef, gatewayref: gatewayReference, ...values }) {
			const { ownerId } = principalOf(call);
			const question = {
				state: values.state as AttemptState | undefined,
				myRef,
				gatewayReference,
				...periodOf(values),
			};
			return {
				list: (page) => gateway.journal(ownerId, question, page),
				count: (most) => gateway.countJournal(ownerId, question, most),
			};
		},
		keyOf: ({ id }) => id,
		readKey: ulidOf,
	};
	return [
		...list<JournalEntry>(PATH, 'payments.see', {
			title: 'frame.sections.payments',
			...paged(entries, FILE),
			above: (call, { isNarrowed }) => !isNarrowed && unknownPart(call, gateway),
			search: {
				noNumber: 'cards.noNumber',
				filters: [
					{ name: 'state', label: 'words.outcome', choices: STATES.choices('words.all') },
					{ name: 'ref', label: 'words.reference', type: 'search', maxLength: 255, autocomplete: 'off' },
					...DAYS,
					{ name: 'gatewayref', label: 'payments.theirReference', type: 'search', maxLength: 255, autocomplete: 'off' },
				],
			},
			caption: 'payments.caption',
			...ENTRIES,
		}),
		...detail<FoundEntry>(`${PATH}/:id`, 'payments.see', {
			title: ({ entry }) => `${entry.operation} ${amountOf(entry) ?? ''}`,
			find: async (call) => {
				const { id } = call.params;
				return isUlid(id) ? gateway.findEntry(principalOf(call).ownerId, id) : undefined;
			},
			facts: [
				['words.outcome', ({ entry }, call) => STATES.badge(call, entry.state)],
				['payments.operation', ({ entry }) => entry.operation],
				['payments.amount', ({ entry }) => amountOf(entry)],
				['words.gateway', ({ entry }) => entry.gateway],
				['payments.credentials', ({ entry }) => entry.credentialsId],
				['words.card', ({ entry }) => cardOf(entry)],
				['words.reference', ({ entry }) => entry.myRef],
				['payments.by', ({ entry }) => entry.userId],
				['payments.sent', ({ entry }) => entry.createdAt],
				['payments.known', ({ entry }) => entry.settledAt],
				['payments.queries', ({ entry }) => entry.queries],
				['payments.due', ({ entry }) => (entry.settledAt ? null : entry.dueAt)],
				['payments.said', ({ entry }) => entry.outcome.description],
				['payments.theirCode', ({ entry }) => entry.outcome.gatewayResultCode],
				['payments.theirText', ({ entry }) => entry.outcome.gatewayResultDescription],
				['payments.theirReference', ({ entry }) => entry.outcome.gatewayReference],
				['payments.original', ({ entry }) => entry.originalReference],
				['payments.authorisation', ({ entry }) => entry.outcome.authorizationCode],
			],
			actions: {
				query: {
					isOffered: ({ entry }) => isOpen(entry),
					submit: 'payments.query',
					async act({ entry }, call) {
						const isSettled = await gateway.settleOne(principalOf(call).ownerId, entry.id, call.viewer.actor);
						if (isSettled) return 'payments.settled';
						return isOpen(entry) ? 'payments.stillOpen' : 'payments.isSettled';
					},
				},
			},
			body({ entry, payment }, call, { facts, place }) {
				const others = payment.filter(({ id }) => id !== entry.id);
				return html`${isOpen(entry) && notice('bad', call.say('payments.unknownText'))}${facts}${place('query')}
${others.length > 0 && entriesPart(call, others, 'payments.samePayment')}`;
			},
		}),
	];
}

async function unknownPart(call: PortalCall, gateway: Gateway) {
	const asked = { state: 'unknown' } as const;
	const unknown = await gateway.journal(principalOf(call).ownerId, asked, { limit: MAX_UNKNOWN });
	if (unknown.length === 0) return false;
	const said = notice('bad', call.say('payments.unknownText'));
	return html`${entriesPart(call, unknown, 'payments.unknownTitle', said)}<h2>${call.say('payments.allTitle')}</h2>`;
}

function entriesPart(call: PortalCall, entries: readonly JournalEntry[], caption: TextKey, said = html``) {
	return html`<h2>${call.say(caption)}</h2>${said}${tableOf(call, { ...ENTRIES, caption }, entries)}`;
}

function amountOf({ amount }: JournalEntry) {
	return amount && `${amount.text} ${amount.currency}`;
}

function cardOf({ token, maskedNumber }: JournalEntry) {
	return token ? link(`/portal/cards/${token}`, maskedNumber ?? token) : maskedNumber;
}
