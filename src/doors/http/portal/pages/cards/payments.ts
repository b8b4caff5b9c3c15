// Shows the journal of payments: the operations that were sent to gateways, beginning with those whose outcome is
// unknown.

import { isUlid } from '../../../../../base/database/ulid.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import type { AttemptState } from '../../../../../work/payments/gateway/attempt-store.ts';
import type { JournalEntry } from '../../../../../work/payments/gateway/transaction.ts';
import { isOpen } from '../../../../../work/payments/gateway/transaction.ts';
import type { HttpRooms } from '../../../rooms.ts';
import type { Tone } from '../../parts.ts';
import {
	badge,
	choiceField,
	definitions,
	emptyState,
	form,
	notice,
	pager,
	searchForm,
	table,
	time,
} from '../../parts.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere, principalOf } from './own.ts';

const PATH = '/portal/payments';
const HELP = '/docs/portal#payments';
const PER_PAGE = 25;
const MAX_UNKNOWN = 50;
const TONES: Readonly<Record<AttemptState, Tone>> = {
	...{ sent: 'busy', approved: 'good', declined: 'plain', failed: 'bad', unknown: 'bad' },
};
const STATES = Object.keys(TONES) as AttemptState[];

export function paymentPages(rooms: HttpRooms): PortalPage[] {
	const { gateway } = rooms;
	const findOwn = async (call: PortalCall) => {
		const { id } = call.params;
		const found = isUlid(id) && (await gateway.findEntry(principalOf(call).ownerId, id));
		if (!found) throw notThere();
		return found;
	};
	return [
		{ path: PATH, method: 'GET', right: 'payments.see', handle: (call) => listPage(rooms, call) },
		{
			path: `${PATH}/:id`,
			method: 'GET',
			right: 'payments.see',
			async handle(call) {
				const { entry, payment } = await findOwn(call);
				return entryPage(call, entry, payment);
			},
		},
		{
			path: `${PATH}/:id/query`,
			method: 'POST',
			right: 'payments.see',
			async handle(call) {
				const { entry } = await findOwn(call);
				const { payments: words } = call.texts.cards;
				const isSettled = await gateway.settleOne(principalOf(call).ownerId, entry.id, call.viewer.actor);
				const said = isSettled ? words.settled : isOpen(entry) ? words.stillOpen : words.isSettled;
				return { redirectTo: `${PATH}/${entry.id}`, notice: said };
			},
		},
	];
}

async function listPage({ gateway }: HttpRooms, call: PortalCall): Promise<PortalAnswer> {
	const { payments: words } = call.texts.cards;
	const { ownerId } = principalOf(call);
	const { after } = call.query;
	const state = STATES.find((each) => each === call.query.state);
	const found = await gateway.journal(ownerId, { state, after, limit: PER_PAGE + 1 });
	const isFirst = state === undefined && !after;
	const unknown = isFirst ? await gateway.journal(ownerId, { state: 'unknown', limit: MAX_UNKNOWN }) : [];
	const shown = found.slice(0, PER_PAGE);
	const states = [['', words.all] as const, ...STATES.map((each) => [each, words.states[each]] as const)];
	const next = found.length > PER_PAGE ? shown[PER_PAGE - 1].id : undefined;
	const body = html`${
		unknown.length > 0 &&
		html`<h2>${words.unknownTitle}</h2>${notice('bad', words.unknownText)}${entries(call, unknown, words.unknownTitle)}<h2>${words.allTitle}</h2>`
	}
${searchForm({
	action: PATH,
	submit: words.filter,
	body: choiceField({ name: 'state', label: words.state, value: state ?? '', options: states }),
})}${shown.length > 0 ? entries(call, shown, words.caption) : emptyState(words.none)}${pager(call, PATH, { state, after }, next)}`;
	return { page: { title: call.texts.frame.sections.payments, section: 'payments', body, help: HELP } };
}

function entries(call: PortalCall, list: readonly JournalEntry[], caption: string): Html {
	const { payments: words } = call.texts.cards;
	const rows = list.map((each) => [
		html`<a href="${PATH}/${each.id}">${time(each.createdAt, call.language)}</a>`,
		...[each.operation, amountOf(each), each.gateway, stateBadge(call, each.state)],
		...[each.maskedNumber, each.myRef],
	]);
	const head = [words.sent, words.operation, words.amount, words.gateway, words.state, words.card, words.myRef];
	return table({ caption, head, rows });
}

const amountOf = ({ amount }: JournalEntry) => amount && `${amount.text} ${amount.currency}`;

function stateBadge({ texts }: PortalCall, state: AttemptState): Html {
	return badge(TONES[state], texts.cards.payments.states[state]);
}

function entryPage(call: PortalCall, entry: JournalEntry, payment: readonly JournalEntry[]): PortalAnswer {
	const { payments: words } = call.texts.cards;
	const { outcome, token } = entry;
	const shownTime = (date: Date | null) => date && time(date, call.language);
	const others = payment.filter(({ id }) => id !== entry.id);
	const body = html`${isOpen(entry) && notice('bad', words.unknownText)}
${definitions([
	[words.state, stateBadge(call, entry.state)],
	[words.operation, entry.operation],
	[words.amount, amountOf(entry)],
	[words.gateway, entry.gateway],
	[words.credentials, entry.credentialsId],
	[words.card, token ? html`<a href="/portal/cards/${token}">${entry.maskedNumber ?? token}</a>` : entry.maskedNumber],
	[words.myRef, entry.myRef],
	[words.by, entry.userId],
	[words.sent, shownTime(entry.createdAt)],
	[words.known, shownTime(entry.settledAt)],
	[words.queries, String(entry.queries)],
	[words.due, shownTime(entry.settledAt ? null : entry.dueAt)],
	[words.said, outcome.description],
	[words.theirCode, outcome.gatewayResultCode],
	[words.theirText, outcome.gatewayResultDescription],
	[words.theirReference, outcome.gatewayReference],
	[words.original, entry.originalReference],
	[words.authorisation, outcome.authorizationCode],
])}
${isOpen(entry) && form(call, { action: `${PATH}/${entry.id}/query`, submit: words.query, body: html`` })}
${others.length > 0 && html`<h2>${words.samePayment}</h2>${entries(call, others, words.samePayment)}`}`;
	const title = `${entry.operation} ${amountOf(entry) ?? ''}`;
	return { page: { title, section: 'payments', body, help: HELP } };
}
