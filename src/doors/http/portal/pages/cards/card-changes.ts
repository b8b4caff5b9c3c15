// The forms on the page of a card. They associate the card with accounts, change its CVV policy or delete it, and use
// the same functions as the HTTP interface.

import { ServiceError } from '../../../../../base/errors.ts';
import { html } from '../../../../../base/pages/html.ts';
import type { Right } from '../../../../../people/portal-users/rights.ts';
import { Members } from '../../../input/members.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { getOwnRecord, getRecord, PAYMENT_KINDS } from '../../../tokens/access.ts';
import { changePolicyOf } from '../../../tokens/change-cvv-policy.ts';
import {
	carryUses,
	checkDestination,
	parseDestinationData,
	parseDestinationType,
	readPolicy,
	withDestination,
	withoutDestinations,
} from '../../../tokens/cvv-policy.ts';
import { MAX_QUOTA, POLICY_BODY } from '../../../tokens/cvv-policy-schema.ts';
import { form } from '../../parts.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { maskedNumber } from './card-list.ts';
import { cardPage } from './card-page.ts';
import { notThere, principalOf, refusalsOf, tokenOf } from './own.ts';

type Work = (call: PortalCall) => Promise<unknown>;

export function cardChangePages(rooms: HttpRooms): PortalPage[] {
	const { vault, identity, clock } = rooms;
	/**
	 * Returns a page that carries out `work` and leads back to the card. If the form is refused, the page of the card
	 * shows why.
	 */
	const changing = (
		name: string,
		right: Right,
		notice: 'associated' | 'dissociated' | 'policySaved' | 'cvvCleared',
		work: Work,
	): PortalPage => ({
		path: `/portal/cards/:token/${name}`,
		method: 'POST',
		right,
		async handle(call) {
			const token = tokenOf(call);
			const refusals = await refusalsOf(() => onlyOwn(work(call)));
			if (refusals) return cardPage(rooms, call, refusals);
			return { redirectTo: `/portal/cards/${token}`, notice: call.texts.cards.card[notice] };
		},
	});
	const change = (call: PortalCall, isSet: boolean, by: Parameters<typeof changePolicyOf>[2]) =>
		changePolicyOf(rooms, { principal: principalOf(call), token: tokenOf(call), isSet }, by);

	return [
		changing('associate', 'cards.give', 'associated', async (call) => {
			const principal = principalOf(call);
			const merchant = call.form.merchantId ?? '';
			const token = tokenOf(call);
			await getOwnRecord(vault, principal, token, PAYMENT_KINDS);
			const merchantId = await identity.resolveAssociationTarget(principal, merchant);
			const by = { actor: call.viewer.actor, action: 'card.associate', merchant } as const;
			const isDone = await vault.associate(principal.ownerId, token, merchantId, by);
			if (!isDone) throw new ServiceError('token-not-accessible');
		}),
		changing('dissociate', 'cards.give', 'dissociated', async (call) => {
			const principal = principalOf(call);
			const merchant = call.form.merchantId ?? '';
			const token = tokenOf(call);
			await getOwnRecord(vault, principal, token, PAYMENT_KINDS);
			const account = await identity.accounts.find(merchant);
			if (account?.kind !== 'primary' && account?.parentId !== principal.ownerId)
				throw new ServiceError('bad-input-data', { field: 'merchantId', problem: 'no such account' });
			const by = { actor: call.viewer.actor, action: 'card.dissociate', merchant } as const;
			await vault.dissociate(principal.ownerId, token, account!.id, by);
		}),
		changing('cvv/policy', 'cards.change', 'policySaved', async (call) => {
			const { CvvEndRetentionDate, DeleteCardUponCvvCleanup = 'false' } = call.form;
			const value = { CvvEndRetentionDate, DeleteCardUponCvvCleanup };
			const wanted = readPolicy(Members.of({ format: 'json', value }, POLICY_BODY), clock.now());
			// `DeleteCardUponCvvCleanup` deletes the card when its CVV is cleared, so setting it needs the right to delete
			// cards.
			const mayDelete = call.viewer.has('cards.delete');
			await change(call, true, (current) => {
				const deletesCard = mayDelete ? wanted.deletesCard : current.deletesCard;
				return carryUses({ ...wanted, deletesCard, destinations: current.destinations }, current);
			});
		}),
		changing('cvv/allow', 'cards.change', 'policySaved', async (call) => {
			const type = parseDestinationType('destinationType', call.form.type ?? '');
			const named = parseDestinationData('destinationData', call.form.data ?? '');
			checkDestination('destinationData', { type, data: named });
			const quota = Number(call.form.quota ?? '1');
			if (!Number.isInteger(quota) || quota < 1 || quota > MAX_QUOTA)
				throw new ServiceError('bad-input-data', { field: 'Quota', problem: `expected 1 to ${MAX_QUOTA}` });
			await change(call, true, (current) => withDestination(current, { type, data: named, quota, used: 0 }));
		}),
		changing('cvv/remove', 'cards.change', 'policySaved', async (call) => {
			const type = parseDestinationType('destinationType', call.form.type ?? '');
			const named = parseDestinationData('destinationData', call.form.data ?? '');
			await change(call, false, (current) => withoutDestinations(current, { type, data: named }, clock.now()));
		}),
		changing('cvv/clear', 'cards.change', 'cvvCleared', async (call) => {
			const token = tokenOf(call);
			const { actor } = call.viewer;
			const place = await getOwnRecord(vault, principalOf(call), token, PAYMENT_KINDS);
			if ((await vault.cvvs.findPolicy(place))?.deletesCard && !call.viewer.has('cards.delete'))
				throw new ServiceError('permission-denied', { moreInfo: call.texts.cards.card.takesCard });
			const { takesCard } = await vault.cvvs.destroy(place, { actor, action: 'cvv.clear', token });
			if (takesCard) await vault.removeAt(place.page.id, place.slot, { actor, action: 'card.delete' });
		}),
		{
			path: '/portal/cards/:token/delete',
			method: 'GET',
			right: 'cards.delete',
			async handle(call) {
				const token = tokenOf(call);
				const { ownerId } = principalOf(call);
				const card = await vault.findMetadata(ownerId, token);
				if (card?.accountId !== ownerId || card.kind === 'data-block') throw notThere();
				const { card: words } = call.texts.cards;
				const body = html`<p>${words.removeText}</p>
${form(call, { action: `/portal/cards/${token}/delete`, submit: words.removeThis, tone: 'danger', body: html`` })}
<p><a href="/portal/cards/${token}">${call.texts.frame.back}</a></p>`;
				const title = `${words.remove}: ${maskedNumber(card)}`;
				return { page: { title, section: 'cards', body, help: '/docs/portal#cards' } };
			},
		},
		{
			path: '/portal/cards/:token/delete',
			method: 'POST',
			right: 'cards.delete',
			async handle(call) {
				const { ownerId } = principalOf(call);
				const token = tokenOf(call);
				await onlyOwn(getRecord(vault, principalOf(call), token, PAYMENT_KINDS));
				const outcome = await vault.remove(ownerId, token, { actor: call.viewer.actor, action: 'card.delete' });
				if (outcome !== 'deleted') throw notThere();
				return { redirectTo: '/portal/cards', notice: call.texts.cards.card.removed };
			},
		},
	];
}

/**
 * Replaces the error for a card of another account with the one for a card that does not exist, so that nobody learns
 * which cards exist.
 */
async function onlyOwn<T>(work: Promise<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		if (error instanceof ServiceError && error.reason === 'token-not-accessible') throw notThere();
		throw error;
	}
}
