// The page of a card: everything that is stored of it except its number and CVV, and the changes that the viewer may
// make. They use the same functions as the HTTP interface.

import { shownExpiry } from '../../../../../base/card/expiry.ts';
import type { AccountId } from '../../../../../base/database/ids.ts';
import { badInput, ServiceError } from '../../../../../base/errors.ts';
import { told } from '../../../../../base/failures.ts';
import { html } from '../../../../../base/pages/html.ts';
import type { CvvPolicy } from '../../../../../vault/cvvs/cvv.ts';
import { CVV_DESTINATION_TYPES } from '../../../../../vault/cvvs/destination-types.ts';
import { findToken, type Token } from '../../../../../vault/tokens/token.ts';
import type { TokenMetadata } from '../../../../../vault/tokens/token-metadata.ts';
import { Members } from '../../../input/members.ts';
import { getOwnRecord, PAYMENT_KINDS } from '../../../tokens/access.ts';
import { changePolicyOf } from '../../../tokens/change-cvv-policy.ts';
import * as policies from '../../../tokens/cvv-policy.ts';
import { MAX_QUOTA, POLICY_BODY } from '../../../tokens/cvv-policy-schema.ts';
import { getMerchant } from '../../../tokens/related-merchant.ts';
import type { Action, Actions, Place } from '../../kinds/actions.ts';
import { factsOf, tableOf } from '../../kinds/columns.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere } from '../../refusals.ts';
import { maskedNumber, namesOf } from './search.ts';

const PATH = '/portal/cards/:token';
const DAY_MS = 86_400_000;
const { detail, question } = pagesOf({ section: 'cards', help: '/docs/portal#cards' });

type Parts = Pick<PortalParts, 'clock' | 'identity' | 'settings' | 'vault'>;

interface ShownCard extends TokenMetadata {
	/** True if the card belongs to the account of the viewer, and is not only shared with it. */
	readonly isOwn: boolean;
	readonly retentionDays: number | null;
	readonly policy: CvvPolicy | undefined;
	nameOf(id: AccountId): string;
}

export function cardPages(parts: Parts): PortalPage[] {
	const { vault, settings } = parts;
	return [
		...detail<ShownCard>(PATH, 'cards.see', {
			title: (card, { say }) => `${say('words.card')} ${maskedNumber(card)}`,
			find: (call) => findCard(parts, call),
			history: ({ token }) => ({ about: 'token', name: token }),
			facts: [
				['words.token', ({ token }) => html`<code>${token}</code>`],
				['words.card', maskedNumber],
				['cards.type', ({ cardType }, { say }) => cardType ?? say('cards.unknown')],
				['words.expiry', ({ expiry }) => shownExpiry(expiry)],
				['card.name', ({ nameOnCard }) => nameOnCard || undefined],
				['words.reference', ({ reference }) => reference || undefined],
				['card.owner', ({ owner }) => owner || undefined],
				['card.issue', ({ issueNumber }) => issueNumber || undefined],
				['cards.stored', ({ createdAt }) => createdAt],
				['cards.by', ({ creatorId, nameOf }) => nameOf(creatorId)],
				['card.kept', keptUntil],
			],
			actions: cardActions(parts),
			body(card, call, { facts, place }) {
				const { say, viewer } = call;
				const { token, kind, isOwn } = card;
				const mayAskCvv = isOwn && kind === 'card' && viewer.has('requests.make') && principalOf(call).cvvRetention;
				return html`${facts}${isOwn && sharingPart(call, card, place)}${policyPart(call, card, place)}
${mayAskCvv && html`<p><a class="button plain" href="/portal/requests/new?card=${token}">${say('cvv.ask')}</a></p>`}
${viewer.has('files.numbers') && html`<h2>${say('card.number')}</h2><p>${say('card.display')}</p><pre tabindex="0">${settings.baseUrl}/api/payments/displaycard/${token}</pre>`}
${isOwn && viewer.has('cards.delete') && html`<h2>${say('card.remove')}</h2><p><a class="button plain" href="/portal/cards/${token}/delete">${say('card.removeThis')}</a></p>`}`;
			},
		}),
		...question<ShownCard>(`${PATH}/delete`, 'cards.delete', {
			title: (card, { say }) => `${say('card.remove')}: ${maskedNumber(card)}`,
			find: async (call) => {
				const card = await findCard(parts, call);
				return card?.isOwn ? card : undefined;
			},
			says: (_, { say }) => html`<p>${say('card.removeText')}</p>`,
			submit: 'card.removeThis',
			back: ({ token }) => `/portal/cards/${token}`,
			async act({ token }, call) {
				const by = { actor: call.viewer.actor, action: 'card.delete' } as const;
				if ((await vault.remove(principalOf(call).ownerId, token, by)) !== 'deleted') throw notThere();
				return { redirectTo: '/portal/cards', notice: call.say('card.removed') };
			},
		}),
	];
}

async function findCard({ vault, identity }: Parts, call: PortalCall): Promise<ShownCard | undefined> {
	const { ownerId } = principalOf(call);
	const token = findToken(call.params.token);
	const card = token && (await vault.findMetadata(ownerId, token));
	if (!card || card.kind === 'data-block') return undefined;
	const place = await vault.find(ownerId, token);
	return {
		...card,
		isOwn: card.accountId === ownerId,
		retentionDays: (await identity.accounts.findById(card.accountId))?.cardsRetentionDays ?? null,
		policy: place && (await vault.cvvs.findPolicy(place)),
		nameOf: await namesOf(identity, [card]),
	};
}

function keptUntil({ createdAt, retentionDays }: ShownCard, { say }: PortalCall) {
	return retentionDays === null ? say('card.forever') : new Date(createdAt.getTime() + retentionDays * DAY_MS);
}

function cardActions({ vault, identity, clock, settings }: Parts): Actions<ShownCard> {
	const ownRecord = (token: Token, call: PortalCall) => getOwnRecord(vault, principalOf(call), token, PAYMENT_KINDS);
	const policyAction = (
		action: Omit<Action<ShownCard>, 'act' | 'right' | 'shows'> & { readonly isSet: boolean },
		changed: (call: PortalCall) => Parameters<typeof changePolicyOf>[2],
	): Action<ShownCard> => ({
		...action,
		right: 'cards.change',
		shows: 'refusals',
		async act({ token }, call) {
			const asked = { principal: principalOf(call), token, isSet: action.isSet };
			await changePolicyOf({ vault, clock, settings }, asked, changed(call));
			return 'card.policySaved';
		},
	});
	return {
		associate: {
			right: 'cards.give',
			shows: 'refusals',
			fields: [
				{ name: 'merchantId', label: 'card.account', hint: 'card.accountHint', isRequired: true, maxLength: 64 },
			],
			submit: 'card.associate',
			async act({ token }, call) {
				const principal = principalOf(call);
				const merchant = call.form.merchantId ?? '';
				await ownRecord(token, call);
				const merchantId = await identity.resolveAssociationTarget(principal, merchant);
				const by = { actor: call.viewer.actor, action: 'card.associate', merchant } as const;
				const isDone = await vault.associate(principal.ownerId, token, merchantId, by);
				if (!isDone) throw new ServiceError('token-not-accessible');
				return 'card.associated';
			},
		},
		dissociate: {
			right: 'cards.give',
			shows: 'refusals',
			submit: 'card.dissociate',
			tone: 'plain',
			async act({ token }, call) {
				const { ownerId } = principalOf(call);
				const merchant = call.form.merchantId ?? '';
				await ownRecord(token, call);
				const merchantId = await getMerchant(identity, { ownerId }, merchant);
				const by = { actor: call.viewer.actor, action: 'card.dissociate', merchant } as const;
				await vault.dissociate(ownerId, token, merchantId, by);
				return 'card.dissociated';
			},
		},
		'cvv/policy': policyAction(
			{
				isSet: true,
				fields: [
					{
						name: 'CvvEndRetentionDate',
						label: 'cvv.end',
						type: 'date',
						value: ({ policy }) => policy?.endsAt.toISOString().slice(0, 10),
					},
					{
						name: 'DeleteCardUponCvvCleanup',
						label: 'cvv.deletesCard',
						sends: 'true',
						isTicked: ({ policy }) => policy?.deletesCard ?? false,
						isShown: (_, { viewer }) => viewer.has('cards.delete'),
					},
				],
				submit: 'cvv.save',
			},
			({ form, viewer }) => {
				const { CvvEndRetentionDate, DeleteCardUponCvvCleanup = 'false' } = form;
				const value = { CvvEndRetentionDate, DeleteCardUponCvvCleanup };
				const wanted = policies.readPolicy(Members.of({ format: 'json', value }, POLICY_BODY), clock.now());
				// `DeleteCardUponCvvCleanup` deletes the card when its CVV is cleared, so setting it needs the right to delete
				// cards.
				return (current) => {
					const deletesCard = viewer.has('cards.delete') ? wanted.deletesCard : current.deletesCard;
					return policies.carryUses({ ...wanted, deletesCard, destinations: current.destinations }, current);
				};
			},
		),
		'cvv/allow': policyAction(
			{
				isSet: true,
				fields: [
					{
						name: 'type',
						label: 'cvv.kind',
						errorName: 'destinationType',
						choices: () => CVV_DESTINATION_TYPES.map((type) => [type, type]),
					},
					{ name: 'data', label: 'cvv.where', hint: 'cvv.whereHint', errorName: 'destinationData', maxLength: 255 },
					{ name: 'quota', label: 'cvv.quota', errorName: 'Quota', type: 'number', value: () => '1' },
				],
				submit: 'cvv.allow',
			},
			({ form }) => {
				const named = destinationOf(form);
				policies.checkDestination('destinationData', named);
				const quota = Number(form.quota ?? '1');
				if (!Number.isInteger(quota) || quota < 1 || quota > MAX_QUOTA)
					throw badInput('Quota', `expected 1 to ${MAX_QUOTA}`, told('not-in-range', { from: 1, to: MAX_QUOTA }));
				return (current) => policies.withDestination(current, { ...named, quota, used: 0 });
			},
		),
		'cvv/remove': policyAction({ isSet: false, submit: 'cvv.remove', tone: 'plain' }, ({ form }) => {
			const named = destinationOf(form);
			return (current) => policies.withoutDestinations(current, named, clock.now());
		}),
		'cvv/clear': {
			right: 'cards.change',
			shows: 'refusals',
			text: 'cvv.clearText',
			submit: 'cvv.clear',
			tone: 'danger',
			async act({ token }, call) {
				const { actor } = call.viewer;
				const place = await ownRecord(token, call);
				if ((await vault.cvvs.findPolicy(place))?.deletesCard && !call.viewer.has('cards.delete'))
					throw new ServiceError('permission-denied', { moreInfo: call.say('card.takesCard') });
				const { takesCard } = await vault.cvvs.destroy(place, { actor, action: 'cvv.clear', token });
				if (takesCard) await vault.removeAt(place.page.id, place.slot, { actor, action: 'card.delete' });
				return 'card.cvvCleared';
			},
		},
	};
}

/** Reads the destination of a CVV that a form names. @throws ServiceError */
function destinationOf({ type = '', data = '' }: PortalCall['form']) {
	return {
		type: policies.parseDestinationType(type),
		data: policies.parseDestinationData('destinationData', data),
	};
}

/** Shows the other accounts that may use the card. */
function sharingPart(call: PortalCall, { merchantIds, nameOf }: ShownCard, place: Place) {
	const { say, viewer } = call;
	// Clerks and managers may give cards away, but only after they signed in with a second factor.
	const lacksFactor = !viewer.has('cards.give') && viewer.has('cards.change');
	const others = tableOf<string>(
		call,
		{
			caption: 'card.othersCaption',
			columns: [
				['card.account', (userId) => userId],
				['words.change', (merchantId) => place('dissociate', { merchantId })],
			],
			none: () => html`<p>${say('card.nobody')}</p>`,
		},
		merchantIds.map(nameOf),
	);
	return html`<h2>${say('card.others')}</h2>
${others}${lacksFactor && html`<p class="hint">${say('card.needsFactor')}</p>`}
${place('associate')}`;
}

/** Shows how long a CVV is kept and where it may go. */
function policyPart(call: PortalCall, { isOwn, policy }: ShownCard, place: Place) {
	const { say } = call;
	if (!policy) return html`<h2>${say('cvv.title')}</h2><p>${say('cvv.none')}</p>`;
	const mayChange = isOwn && call.viewer.has('cards.change');
	const facts = factsOf<CvvPolicy>(
		call,
		[
			['cvv.end', ({ endsAt }) => endsAt],
			['cvv.deletesCard', ({ deletesCard }) => say(deletesCard ? 'words.yes' : 'words.no')],
			[
				'cvv.left',
				({ destinations, usesLeft }) => (destinations.length === 0 ? say('cvv.uses', { count: usesLeft }) : undefined),
			],
		],
		policy,
	);
	const destinations = tableOf<CvvPolicy['destinations'][number]>(
		call,
		{
			caption: 'cvv.destinations',
			columns: [
				['cvv.where', ({ data }) => data || say('cvv.any')],
				['cvv.kind', ({ type }) => type],
				['cvv.used', ({ quota, used }) => `${used} / ${quota}`],
				['words.change', ({ type, data }) => mayChange && place('cvv/remove', { type, data })],
			],
		},
		policy.destinations,
	);
	return html`<h2>${say('cvv.title')}</h2>${facts}${destinations}${
		mayChange &&
		html`${place('cvv/policy')}
<h3>${say('cvv.allow')}</h3>
${place('cvv/allow')}${place('cvv/clear')}`
	}`;
}
