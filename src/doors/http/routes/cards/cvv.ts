import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../../base/clock.ts';
import { ServiceError } from '../../../../base/errors.ts';
import { EFFECTS, requireEffect } from '../../../../people/identity/effects.ts';
import { actorOf } from '../../../../people/identity/principal.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { type Call, callsAbout } from '../../calls/call.ts';
import type { HttpSettings } from '../../settings.ts';
import { getRecord } from '../../tokens/access.ts';
import {
	changePolicyOf,
	DESTINATION_PATH,
	filterOf,
	hasAny,
	noCvv,
	POLICY_PATH,
	TYPE_PATH,
} from '../../tokens/change-cvv-policy.ts';
import {
	carryUses,
	checkDestination,
	policyDocument,
	readDestinationData,
	readPolicy,
	readQuota,
	withDestination,
	withoutDestinations,
} from '../../tokens/cvv-policy.ts';
import { DESTINATION_BODY, POLICY_BODY, POLICY_SHAPE, QUOTA_BODY } from '../../tokens/cvv-policy-schema.ts';
import { TOKEN_PATH } from '../../tokens/schemas.ts';
import { pathToken, TOKEN_IN_PATH } from '../../tokens/token-uri.ts';

const define = callsAbout('cvv', { permission: EFFECTS['changes-cvv'] });

/**
 * The paths of a CVV policy: for the whole policy, for all its destinations of one type, and for a single destination.
 * `ending` is appended to the call's name in generated clients.
 */
const PATHS = [
	{ path: POLICY_PATH, params: TOKEN_PATH, ending: '' },
	{ path: `${POLICY_PATH}/:destinationType`, params: TYPE_PATH, ending: 'ByDestinationType' },
	{
		path: `${POLICY_PATH}/:destinationType/:destinationData`,
		params: DESTINATION_PATH,
		ending: 'ByDestinationData',
	},
] as const;

/** The parts that both calls for setting one destination of a policy have in common. */
const SET_DESTINATION = {
	summary: 'Set one destination of a CVV retention policy',
	description:
		'Body: its `Quota`, 1 to 50, and `DestinationData` where the path has none; without either it is any of the type. Only the owner of the card may.',
	returns: POLICY_SHAPE,
	failures: ['cvv-retention-not-set-up'],
} as const;

/**
 * Defines the calls that clear the CVV of a card, and those for its retention policy: how long it is kept and where it may
 * go (spec §2.4, shapes §3, §11).
 */
export function cvvCalls(parts: {
	vault: Vault;
	clock: Clock;
	settings: Pick<HttpSettings, 'environment' | 'allowLongCvv'>;
}): Call[] {
	const { vault, clock } = parts;
	const change = ({ params, principal, method }: FastifyRequest, by: Parameters<typeof changePolicyOf>[2]) =>
		changePolicyOf(parts, { principal, token: pathToken(params), isSet: method === 'PUT' }, by);
	/** Changes the policy and returns it; undefined if the CVV was removed in the meantime. */
	const changed = async (...asked: Parameters<typeof change>) => {
		const policy = await change(...asked);
		return policy && policyDocument(policy);
	};
	const setDestination = (request: FastifyRequest, wanted: { data: string; quota: number }) => {
		const destination = { ...wanted, type: filterOf(request).type!, used: 0 };
		checkDestination('destinationData', destination);
		return changed(request, (current) => withDestination(current, destination));
	};

	return [
		define('DELETE', `/api/payments/paycard/${TOKEN_IN_PATH}/cvv`, {
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
		define('PUT', POLICY_PATH, {
			summary: 'Set the CVV retention policy of a card',
			description:
				'At most 50 destinations, each 1 to 50 uses, at most 48 months; 7 days and one use unless said. Uses that were counted stay counted. Only the owner of the card may, and a policy that deletes the card needs the permission `DeleteToken` as well.',
			params: TOKEN_PATH,
			body: POLICY_BODY,
			returns: POLICY_SHAPE,
			failures: ['cvv-retention-not-set-up'],
			handler: async (request, _reply, readBody) => {
				const wanted = readPolicy(readBody(), clock.now());
				if (wanted.deletesCard) requireEffect(request.principal, 'deletes');
				return changed(request, (current) => carryUses(wanted, current));
			},
		}),
		define('PUT', `${POLICY_PATH}/:destinationType`, {
			...SET_DESTINATION,
			params: TYPE_PATH,
			body: DESTINATION_BODY,
			handler: async (request, _reply, readBody) => {
				// Errors in the path are reported before errors in the body, so the path is checked first.
				filterOf(request);
				const body = readBody();
				return setDestination(request, { data: readDestinationData(body), quota: readQuota(body) });
			},
		}),
		define('PUT', `${POLICY_PATH}/:destinationType/:destinationData`, {
			...SET_DESTINATION,
			name: 'setOneDestinationOfACvvRetentionPolicyByDestinationData',
			params: DESTINATION_PATH,
			body: QUOTA_BODY,
			handler: async (request, _reply, readBody) => {
				const { data = '' } = filterOf(request);
				return setDestination(request, { data, quota: readQuota(readBody()) });
			},
		}),
		...PATHS.flatMap(({ path, params, ending }) => [
			define('GET', path, {
				name: `readTheCvvRetentionPolicyOfACard${ending}`,
				summary: 'Read the CVV retention policy of a card',
				description: 'With what was used; a path names one destination, or all of a type.',
				params,
				returns: POLICY_SHAPE,
				handler: async (request) => {
					const filter = filterOf(request);
					const place = await getRecord(vault, request.principal, pathToken(request.params));
					const policy = await vault.cvvs.findPolicy(place);
					if (!policy || !hasAny(policy, filter)) throw noCvv();
					return policyDocument(policy, filter);
				},
			}),
			define('DELETE', path, {
				name: `removeACvvRetentionPolicyOrDestinationsOfIt${ending}`,
				summary: 'Remove a CVV retention policy, or destinations of it',
				description:
					'What is left without any is under the default policy: 7 days and one use. Only the owner of the card may.',
				params,
				handler: async (request, reply) => {
					const filter = filterOf(request);
					await change(request, (current) => {
						if (!hasAny(current, filter)) throw noCvv();
						return withoutDestinations(current, filter, clock.now());
					});
					return reply.send();
				},
			}),
		]),
	];
}
