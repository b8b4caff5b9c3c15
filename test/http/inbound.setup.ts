// What inbound.test.ts and inbound.slow.test.ts share.

import type { ExecutionContext } from 'ava';
import type { InjectOptions } from 'fastify';
import { VISA } from '../helpers/card-calls.ts';
import type { Call } from '../helpers/http-app.ts';
import { LIST_PROFILE, openPartnership, type PartnerOptions } from '../helpers/third-party.ts';

export const JSON_TYPE = { 'content-type': 'application/json' };
export const CARD = `{"cards":[{"number":"${VISA}","month":"04","year":"2030","brand":"Visa","cvv":"123"}]}`;

/** Opens a partnership in which the target of pushed requests is the account's own server, at `/base?key=1`. */
export async function openInbound(t: ExecutionContext<unknown>, more = '', options: PartnerOptions = {}) {
	const partnership = await openPartnership(t, { ...options, profiles: [] });
	const { parts, caller, party } = partnership;
	const profile = `${LIST_PROFILE}targetUri: ${party.url}/base/?key=1\n${more}`;
	await parts.profiles.put(caller.account.id, profile);
	const push = (rest = '', { headers, ...call }: Call = {}, method: InjectOptions['method'] = 'POST') =>
		caller.inject(method, `/api/inbound/merchant/Several${rest}`, {
			payload: method === 'GET' || method === 'HEAD' ? undefined : CARD,
			headers: { ...JSON_TYPE, accept: 'application/json', ...headers },
			...call,
		});
	return { ...partnership, push };
}
