// Stores a card for one call, and finds out afterwards what the call did to it: from the database, from what a third party
// received, and from the answers.

import type { LightMyRequestResponse } from 'fastify';
import type { Effect } from '../../src/people/identity/effects.ts';
import { allPermissions, type Permission } from '../../src/people/identity/permissions.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { storeCard } from './card-calls.ts';
import type { Caller } from './http-app.ts';
import { callsOf as callsFor, type callsOf, type Partnership } from './third-party.ts';

/** A test number whose last four digits stand in no answer by chance, with a name that nobody else has. */
export const STORED = { Type: 'MasterCard', Number: '5555555555554444', NameOnCard: 'EVA STORED', CVV: '737' };
const SHOWN = /(?<![0-9a-f])(555555\**|•••• )4444\b|EVA(?: |%20|\+)STORED/i;

/** An effect, or that a CVV may be used less often than before, or otherwise. */
export type Seen = Effect | 'touches-cvv';

/** What a call gets: the stored card, and the caller who makes the call. */
export interface CallOnCard {
	readonly token: string;
	readonly caller: Caller;
	readonly calls: ReturnType<typeof callsOf>;
	readonly partnership: Partnership;
}

/** Returns a caller of the account `merchant` with all permissions but one. */
export async function callerWithout({ parts, caller }: Partnership, permission?: Permission): Promise<Caller> {
	const permissions = new Set([...allPermissions].filter((name) => name !== permission));
	const made = await parts.identity.apiKeys.create(caller.account, 'operator test', permissions);
	const apiKey = made.secret.reveal();
	return {
		...{ account: caller.account, apiKey },
		inject: (method, url, call = {}) =>
			parts.app.inject({ ...call, method, url, headers: { 'x-service-api-key': apiKey, ...call.headers } }),
	};
}

/** Tells what is done to the card before the call, by the account's own key. */
export interface Prepared {
	/** True if the card is associated with the account `partner`. */
	readonly isShared?: boolean;
	prepare?(on: CallOnCard): Promise<unknown>;
}

/** Makes a call on a fresh card, and returns its first answer with everything that happened to the card. */
export async function watchCall(
	partnership: Partnership,
	caller: Caller,
	send: (on: CallOnCard) => Promise<LightMyRequestResponse | readonly LightMyRequestResponse[]>,
	{ isShared = false, prepare }: Prepared = {},
): Promise<{ readonly answer: LightMyRequestResponse; readonly seen: ReadonlySet<Seen> }> {
	const { parts, party } = partnership;
	const token = await storeCard(partnership.caller, isShared ? '?merchantId=partner' : '', STORED);
	const place = (await parts.vault.locate(token as Token))!;
	const at = { page_id: place.page, slot: place.slot };
	const { knex } = parts.database;
	const on = (by: Caller) => ({ token, caller: by, calls: callsFor(by, party), partnership });
	await prepare?.(on(partnership.caller));
	const state = async () => ({
		given: (await knex('associations')).length,
		cvv: JSON.stringify([await knex('cvvs').where(at), await knex('cvv_destinations').where(at)]),
		payments: (await knex('audit').where('action', 'like', 'gateway.%').where('subject', `token ${token}`)).length,
		views: (await knex('card_views').where('card_token', token)).length,
	});
	const [before, calls] = [await state(), party.seen.length];
	const sent = await send(on(caller));
	const answers = Array.isArray(sent) ? (sent as readonly LightMyRequestResponse[]) : [sent as LightMyRequestResponse];
	const after = await state();
	const text = answers.map(({ body, headers }) => `${body}${JSON.stringify(headers)}`).join('');
	const seen = new Set<Seen>();
	const isGone = (await parts.vault.find(partnership.caller.account.id, token as Token)) === undefined;
	if (isGone) seen.add('deletes');
	if (after.given > before.given) seen.add('gives-away');
	if (after.given < before.given && !isGone) seen.add('takes-back');
	if (party.seen.slice(calls).some((each) => each.text.includes(STORED.Number))) seen.add('moves-to-third-party');
	if (after.payments > before.payments) seen.add('moves-to-gateway');
	if (after.views > before.views) seen.add('shows-number');
	else if (text.includes(STORED.Number)) seen.add('moves-to-file');
	else if (SHOWN.test(text)) seen.add('shows');
	if (answers.some(({ headers }) => String(headers.location).endsWith(token))) seen.add('tells-known');
	if (after.cvv !== before.cvv && !isGone) seen.add('touches-cvv');
	return { answer: answers[0], seen };
}
