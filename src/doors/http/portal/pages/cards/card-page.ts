// Shows everything that is stored of a card except its number and CVV, with forms for the changes that the viewer may
// make.

import { type Html, type HtmlValue, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import type { CvvPolicy } from '../../../../../vault/cvvs/cvv.ts';
import { CVV_DESTINATION_TYPES } from '../../../../../vault/cvvs/cvv-store.ts';
import type { TokenMetadata } from '../../../../../vault/tokens/token-metadata.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { choiceField, definitions, field, form, notice, table, tickField, time } from '../../parts.ts';
import type { PortalAnswer, PortalCall } from '../../portal-page.ts';
import { expiryText, maskedNumber } from './card-list.ts';
import { notThere, principalOf, tokenOf } from './own.ts';
import { namesOf } from './search.ts';

const DAY_MS = 86_400_000;

export type Refusals = Readonly<Record<string, string>>;

/**
 * Returns the page of a card. `refusals` are the error messages for a form that was sent from it, by the names of its
 * fields.
 */
export async function cardPage(rooms: HttpRooms, call: PortalCall, refusals: Refusals = {}): Promise<PortalAnswer> {
	const token = tokenOf(call);
	const { ownerId } = principalOf(call);
	const card = await rooms.vault.findMetadata(ownerId, token);
	if (!card || card.kind === 'data-block') throw notThere();
	const words = call.texts.cards.card;
	const isOwner = card.accountId === ownerId;
	const names = await namesOf(rooms, [card]);
	const { viewer } = call;
	const mayAskCvv = isOwner && card.kind === 'card' && viewer.has('requests.make') && principalOf(call).cvvRetention;
	const body = html`${refusals[''] !== undefined && notice('bad', refusals[''])}
${await facts(rooms, call, card, names)}
${isOwner && associations(call, card, names, refusals)}
${await policyPart(rooms, call, { token, isOwner, refusals })}
${mayAskCvv && html`<p><a class="button plain" href="/portal/requests/new?card=${token}">${call.texts.cards.cvv.ask}</a></p>`}
${viewer.has('files.numbers') && html`<h2>${words.number}</h2><p>${words.display}</p><pre tabindex="0">${rooms.settings.baseUrl}/api/payments/displaycard/${token}</pre>`}
${isOwner && viewer.has('cards.delete') && html`<h2>${words.remove}</h2><p><a class="button plain" href="/portal/cards/${token}/delete">${words.removeThis}</a></p>`}`;
	const title = `${words.title} ${maskedNumber(card)}`;
	const status = Object.keys(refusals).length > 0 ? 400 : 200;
	return { page: { title, section: 'cards', body, help: '/docs/portal#cards' }, status };
}

async function facts({ identity }: HttpRooms, call: PortalCall, card: TokenMetadata, names: (id: never) => string) {
	const { card: words, list } = call.texts.cards;
	const account = await identity.accounts.findById(card.accountId);
	const days = account?.cardsRetentionDays ?? null;
	const end = days === null ? words.forever : time(card.createdAt.getTime() + days * DAY_MS, call.language);
	const rows: [name: string, value: HtmlValue][] = [
		[words.token, html`<code>${card.token}</code>`],
		[list.card, maskedNumber(card)],
		[list.type, card.cardType ?? list.unknown],
		[list.expiry, expiryText(card.expiry)],
		[words.name, card.nameOnCard],
		[list.reference, card.reference],
		[words.owner, card.owner],
		[words.issue, card.issueNumber],
		[list.stored, time(card.createdAt, call.language)],
		[list.by, names(card.creatorId as never)],
		[words.kept, end],
	];
	return definitions(rows.filter(([, value]) => value !== null && value !== ''));
}

function associations(call: PortalCall, card: TokenMetadata, names: (id: never) => string, refusals: Refusals): Html {
	const { card: words } = call.texts.cards;
	const path = `/portal/cards/${card.token}`;
	const mayChange = call.viewer.has('cards.give');
	// Clerks and managers may give cards away, but only after they signed in with a second factor.
	const lacksFactor = !mayChange && call.viewer.has('cards.change');
	const remove = (userId: string) =>
		form(call, {
			action: `${path}/dissociate`,
			tone: 'plain',
			submit: words.dissociate,
			body: html`<input type="hidden" name="merchantId" value="${userId}">`,
		});
	const rows = card.merchantIds.map((id) => names(id as never)).map((name) => [name, mayChange && remove(name)]);
	const head = [words.account, words.change];
	return html`<h2>${words.others}</h2>
${rows.length > 0 ? table({ caption: words.othersCaption, head, rows }) : html`<p>${words.nobody}</p>`}${lacksFactor && html`<p class="hint">${words.needsFactor}</p>`}
${
	mayChange &&
	form(call, {
		action: `${path}/associate`,
		submit: words.associate,
		body: field({
			...{ name: 'merchantId', label: words.account, hint: words.accountHint, isRequired: true, maxLength: 64 },
			problem: refusals.merchantId,
		}),
	})
}`;
}

interface PolicyFacts {
	readonly token: string;
	readonly isOwner: boolean;
	readonly refusals: Refusals;
}

async function policyPart({ vault }: HttpRooms, call: PortalCall, { token, isOwner, refusals }: PolicyFacts) {
	const words = call.texts.cards.cvv;
	const place = await vault.find(principalOf(call).ownerId, token as never);
	const policy = place && (await vault.cvvs.findPolicy(place));
	if (!policy) return html`<h2>${words.title}</h2><p>${words.none}</p>`;
	const uses = (count: number) => fillText(words.uses, { count });
	const facts = definitions([
		[words.end, time(policy.endsAt, call.language)],
		[words.deletesCard, policy.deletesCard ? words.yes : words.no],
		...(policy.destinations.length === 0 ? [[words.left, uses(policy.usesLeft)] as const] : []),
	]);
	const mayChange = isOwner && call.viewer.has('cards.change');
	return html`<h2>${words.title}</h2>${facts}${destinations(call, token, policy, mayChange)}${mayChange && policyForms(call, token, policy, refusals)}`;
}

function destinations(call: PortalCall, token: string, { destinations: rows }: CvvPolicy, mayChange: boolean): Html {
	const words = call.texts.cards.cvv;
	if (rows.length === 0) return html``;
	const remove = (type: string, data: string) =>
		form(call, {
			action: `/portal/cards/${token}/cvv/remove`,
			tone: 'plain',
			submit: words.remove,
			body: html`<input type="hidden" name="type" value="${type}"><input type="hidden" name="data" value="${data}">`,
		});
	return table({
		caption: words.destinations,
		head: [words.where, words.kind, words.used, words.change],
		rows: rows.map(({ type, data, quota, used }) => [
			...[data || words.any, type, `${used} / ${quota}`],
			mayChange && remove(type, data),
		]),
	});
}

function policyForms(call: PortalCall, token: string, policy: CvvPolicy, refusals: Refusals): Html {
	const words = call.texts.cards.cvv;
	const path = `/portal/cards/${token}/cvv`;
	const end = policy.endsAt.toISOString().slice(0, 10);
	const kinds = CVV_DESTINATION_TYPES.map((type) => [type, type] as const);
	return html`${form(call, {
		action: `${path}/policy`,
		submit: words.save,
		body: html`${field({ name: 'CvvEndRetentionDate', label: words.end, type: 'date', value: end, problem: refusals.CvvEndRetentionDate })}
${call.viewer.has('cards.delete') && tickField({ name: 'DeleteCardUponCvvCleanup', label: words.deletesCard, value: 'true' }, policy.deletesCard)}`,
	})}
<h3>${words.allow}</h3>
${form(call, {
	action: `${path}/allow`,
	submit: words.allow,
	body: html`${choiceField({ name: 'type', label: words.kind, options: kinds, problem: refusals.destinationType })}
${field({ name: 'data', label: words.where, hint: words.whereHint, maxLength: 255, problem: refusals.destinationData })}
${field({ name: 'quota', label: words.quota, type: 'number', value: '1', problem: refusals.Quota })}`,
})}
${form(call, { action: `${path}/clear`, submit: words.clear, tone: 'danger', body: html`<p>${words.clearText}</p>` })}`;
}
