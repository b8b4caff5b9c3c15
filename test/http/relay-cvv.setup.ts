// What relay-cvv.test.ts and relay-cvv.slow.test.ts share.

import type { ExecutionContext } from 'ava';
import { json } from '../helpers/card-calls.ts';
import { openPartnership, type PartnerOptions } from '../helpers/third-party.ts';

export const CVV = '306';
export const WITH_CVV = { payload: '{"card":{"number":"","cvv":""}}' };
const KEEPS = { account: { cvvRetention: true } };

interface Destination {
	readonly DestinationType: string;
	readonly DestinationData?: string;
	readonly Quota?: number;
}

export async function openCvv(t: ExecutionContext<unknown>, options: PartnerOptions = {}) {
	const partnership = await openPartnership(t, { ...KEEPS, ...options });
	const { caller, party, parts, relay } = partnership;
	const cvvs = () => party.seen.map(({ text }) => (JSON.parse(text).card.cvv === CVV ? CVV : ''));
	return {
		...partnership,
		/** Returns the CVVs that arrived. */
		cvvs,
		relayTo: (host: string, cardToken: string) =>
			relay({ cardToken, targetUri: `http://${host}:${new URL(party.url).port}/` }, WITH_CVV),
		async setPolicy(token: string, list: readonly Destination[]) {
			const body = { CvvRetentionPolicyList: list };
			const url = `/api/payments/paycard/${token}/cvvRetentionPolicy`;
			const answer = await caller.inject('PUT', url, json(body));
			t.is(answer.statusCode, 200, answer.body);
		},
		async exists(token: string): Promise<boolean> {
			return (await parts.vault.findMetadata(caller.account.id, token as never))!.cvvEndsAt !== null;
		},
	};
}
