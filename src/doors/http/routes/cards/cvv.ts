import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../../base/clock.ts';
import { ServiceError } from '../../../../base/errors.ts';
import { EFFECTS, requireEffect } from '../../../../people/identity/effects.ts';
import { actorOf } from '../../../../people/identity/principal.ts';
import type { CvvPolicy } from '../../../../vault/cvvs/cvv.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { type Call, callsAbout } from '../../calls/call.ts';
import { answer } from '../../negotiation/answer.ts';
import type { HttpSettings } from '../../settings.ts';
import { getRecord } from '../../tokens/access.ts';
import { changePolicy, DESTINATION_PATH, filterOf, POLICY_PATH, TYPE_PATH } from '../../tokens/change-cvv-policy.ts';
import {
	carryUses,
	checkDestination,
	policyDocument,
	readDestinationData,
	readPolicy,
	readQuota,
	withDestination,
} from '../../tokens/cvv-policy.ts';
import {
	DESTINATION_BODY,
	POLICY_ANSWER,
	POLICY_BODY,
	POLICY_SHAPE,
	QUOTA_BODY,
} from '../../tokens/cvv-policy-schema.ts';
import { TOKEN_PATH } from '../../tokens/schemas.ts';
import { pathToken, TOKEN_IN_PATH } from '../../tokens/token-uri.ts';

const define = callsAbout('cvv', { permission: EFFECTS['changes-cvv'] });

/** The parts that both calls for setting one destination of a policy have in common. */
const SET_DESTINATION = {
	method: 'PUT',
	summary: 'Set one destination of a CVV retention policy',
	description:
		'Body: its `Quota`, 1 to 50, and `DestinationData` where the path has none; without either it is any of the type. Only the owner of the card may.',
	answers: POLICY_ANSWER,
	failures: ['cvv-retention-not-set-up'],
} as const;

/**
 * Defines the calls that clear the CVV of a card, and those that set how long it is kept and where it may go
 * (spec §2.4, shapes §3, §11).
 */
export function cvvCalls(parts: {
	vault: Vault;
	clock: Clock;
	settings: Pick<HttpSettings, 'environment' | 'allowLongCvv'>;
}): Call[] {
	const { vault, clock } = parts;
	/** Answers with the policy, or with an empty body if the CVV was removed in the meantime. */
	const answerPolicy = (request: FastifyRequest, reply: FastifyReply, policy: CvvPolicy | undefined) =>
		policy ? answer(request, reply, policyDocument(policy), POLICY_SHAPE) : reply.send();
	const setDestination = async (
		request: FastifyRequest,
		reply: FastifyReply,
		wanted: { data: string; quota: number },
	) => {
		const destination = { ...wanted, type: filterOf(request).type!, used: 0 };
		checkDestination('destinationData', destination);
		const policy = await changePolicy(parts, request, (current) => withDestination(current, destination));
		return answerPolicy(request, reply, policy);
	};

	return [
		define({
			method: 'DELETE',
			path: `/api/payments/paycard/${TOKEN_IN_PATH}/cvv`,
			name: 'clearTheCvvOfACard',
			summary: 'Clear the CVV of a card',
			description:
				'Repeating it changes nothing. Takes the card too where its policy says so; then only the owner of the card may, with the permission `DeleteToken`.',
			params: TOKEN_PATH,
			handler: async (request, reply) => {
				const actor = actorOf(request.principal);
				const token = pathToken(request.params);
				const place = await getRecord(vault, request.principal, token);
				// Other accounts that may use the card may clear its CVV. But if the policy deletes the card together with the
				// CVV, only the owner of the card may do so, and only with the permission to delete cards (shapes §11).
				if ((await vault.cvvs.findPolicy(place))?.deletesCard) {
					if (!place.isOwner) throw new ServiceError('token-not-accessible');
					requireEffect(request.principal, 'deletes');
				}
				const { takesCard } = await vault.cvvs.destroy(place, { actor, action: 'cvv.clear', token });
				if (takesCard) await vault.removeAt(place.page.id, place.slot, { actor, action: 'card.delete' });
				return reply.send();
			},
		}),
		define({
			method: 'PUT',
			path: POLICY_PATH,
			name: 'setTheCvvRetentionPolicyOfACard',
			summary: 'Set the CVV retention policy of a card',
			description:
				'At most 50 destinations, each 1 to 50 uses, at most 48 months; 7 days and one use unless said. Uses that were counted stay counted. Only the owner of the card may, and a policy that deletes the card needs the permission `DeleteToken` as well.',
			params: TOKEN_PATH,
			body: POLICY_BODY,
			answers: POLICY_ANSWER,
			failures: ['cvv-retention-not-set-up'],
			handler: async (request, reply, readBody) => {
				const wanted = readPolicy(readBody(), clock.now());
				if (wanted.deletesCard) requireEffect(request.principal, 'deletes');
				const policy = await changePolicy(parts, request, (current) => carryUses(wanted, current));
				return answerPolicy(request, reply, policy);
			},
		}),
		define({
			...SET_DESTINATION,
			path: `${POLICY_PATH}/:destinationType`,
			name: 'setOneDestinationOfACvvRetentionPolicy',
			params: TYPE_PATH,
			body: DESTINATION_BODY,
			handler: async (request, reply, readBody) => {
				// Errors in the path are reported before errors in the body, so the path is checked first.
				filterOf(request);
				const body = readBody();
				return setDestination(request, reply, { data: readDestinationData(body), quota: readQuota(body) });
			},
		}),
		define({
			...SET_DESTINATION,
			path: `${POLICY_PATH}/:destinationType/:destinationData`,
			name: 'setOneDestinationOfACvvRetentionPolicyByDestinationData',
			params: DESTINATION_PATH,
			body: QUOTA_BODY,
			handler: async (request, reply, readBody) => {
				const { data = '' } = filterOf(request);
				return setDestination(request, reply, { data, quota: readQuota(readBody()) });
			},
		}),
	];
}
