// Changes the CVV policy of a card. Also finds which destinations of the policy (those to which the CVV may go) are
// named by the path of a request.

import { type Static, Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import { ServiceError } from '../../../base/errors.ts';
import { requireEffect } from '../../../people/identity/effects.ts';
import { actorOf, type Principal } from '../../../people/identity/principal.ts';
import { type CvvPolicy, isUsable } from '../../../vault/cvvs/cvv.ts';
import { CVV_DESTINATION_TYPES } from '../../../vault/cvvs/destination-types.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { Vault } from '../../../vault/vault.ts';
import { noted } from '../input/schema-notes.ts';
import type { HttpSettings } from '../settings.ts';
import { getOwnRecord } from './access.ts';
import {
	checkShort,
	type DestinationFilter,
	matches,
	parseDestinationData,
	parseDestinationType,
} from './cvv-policy.ts';
import { TOKEN_PATH } from './schemas.ts';
import { TOKEN_IN_PATH } from './token-uri.ts';

export const POLICY_PATH = `/api/payments/paycard/${TOKEN_IN_PATH}/cvvRetentionPolicy`;
const TYPE = noted(Type.String(), { shownAs: { type: 'string', enum: CVV_DESTINATION_TYPES }, example: 'HostName' });
export const TYPE_PATH = Type.Object({ ...TOKEN_PATH.properties, destinationType: TYPE });
export const DESTINATION_PATH = Type.Object({
	...TYPE_PATH.properties,
	destinationData: noted(Type.String(), { example: 'partner.example' }),
});
/** The parameters that paths of CVV policies can have. Shorter paths have fewer of them. */
type InPath = Partial<Static<typeof DESTINATION_PATH>>;

/**
 * Returns a filter that selects those destinations of a CVV policy that the path of the request names.
 * @throws ServiceError if a parameter in the path is invalid
 */
export function filterOf({ params }: FastifyRequest): DestinationFilter {
	const { destinationType, destinationData } = params as InPath;
	return {
		type: destinationType === undefined ? undefined : parseDestinationType(destinationType),
		data: destinationData === undefined ? undefined : parseDestinationData('destinationData', destinationData),
	};
}

/** A path that names none stands for the whole policy, which always exists. */
export function hasAny({ destinations }: CvvPolicy, filter: DestinationFilter): boolean {
	return filter.type === undefined || destinations.some((each) => matches(each, filter));
}

export function noCvv(): ServiceError {
	return new ServiceError('uri-not-found', { moreInfo: 'no CVV is kept for the card, or not for this destination' });
}

export interface PolicyChange {
	readonly principal: Principal;
	readonly token: Token;
	/** True if the change may widen the policy; false if it can only remove destinations. */
	readonly isSet: boolean;
}

/**
 * Changes the CVV policy of a card. Returns the changed policy, or undefined if the CVV was removed meanwhile.
 * @throws ServiceError if the caller may not make this change, or the card has no CVV
 */
export async function changePolicyOf(
	parts: { vault: Vault; clock: Clock; settings: Pick<HttpSettings, 'environment' | 'allowLongCvv'> },
	{ principal, token, isSet }: PolicyChange,
	by: (current: CvvPolicy) => CvvPolicy,
): Promise<CvvPolicy | undefined> {
	const { vault, clock, settings } = parts;
	// Only the owner may change the policy, because it limits what other accounts may do with the card.
	const place = await getOwnRecord(vault, principal, token);
	if (isSet && !principal.cvvRetention) {
		throw new ServiceError('cvv-retention-not-set-up', { moreInfo: 'the account keeps no CVV' });
	}
	const told = { actor: actorOf(principal), action: 'cvv.policy', token } as const;
	const mayBeLong = settings.environment === 'sandbox' || settings.allowLongCvv || !isSet;
	const checked = (current: CvvPolicy) => {
		const wanted = by(current);
		// If the card goes with its CVV, an earlier end of the CVV is an earlier end of the card.
		if (wanted.deletesCard && endsSooner(wanted, current)) requireEffect(principal, 'deletes');
		if (!mayBeLong) checkShort(wanted, clock.now());
		return wanted;
	};
	if (!(await vault.cvvs.changePolicy(place, checked, told))) throw noCvv();
	return vault.cvvs.findPolicy(place);
}

function endsSooner(wanted: CvvPolicy, current: CvvPolicy): boolean {
	return !current.deletesCard || wanted.endsAt < current.endsAt || !isUsable(wanted);
}
