import type { Clock } from '../../../../base/clock.ts';
import { EFFECTS } from '../../../../people/identity/effects.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { type Call, callsAbout } from '../../calls/call.ts';
import type { HttpSettings } from '../../settings.ts';
import { getRecord } from '../../tokens/access.ts';
import {
	changePolicy,
	DESTINATION_PATH,
	filterOf,
	hasAny,
	noCvv,
	POLICY_PATH,
	TYPE_PATH,
} from '../../tokens/change-cvv-policy.ts';
import { policyDocument, withoutDestinations } from '../../tokens/cvv-policy.ts';
import { POLICY_SHAPE } from '../../tokens/cvv-policy-schema.ts';
import { TOKEN_PATH } from '../../tokens/schemas.ts';
import { pathToken } from '../../tokens/token-uri.ts';

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

/** Defines the calls that read and remove CVV retention policies, or some of their destinations (shapes §3). */
export function cvvPolicyCalls(parts: {
	vault: Vault;
	clock: Clock;
	settings: Pick<HttpSettings, 'environment' | 'allowLongCvv'>;
}): Call[] {
	const { vault, clock } = parts;
	return PATHS.flatMap(({ path, params, ending }) => [
		define({
			method: 'GET',
			path,
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
		define({
			method: 'DELETE',
			path,
			name: `removeACvvRetentionPolicyOrDestinationsOfIt${ending}`,
			summary: 'Remove a CVV retention policy, or destinations of it',
			description:
				'What is left without any is under the default policy: 7 days and one use. Only the owner of the card may.',
			params,
			handler: async (request, reply) => {
				const filter = filterOf(request);
				await changePolicy(parts, request, (current) => {
					if (!hasAny(current, filter)) throw noCvv();
					return withoutDestinations(current, filter, clock.now());
				});
				return reply.send();
			},
		}),
	]);
}
