import type {} from '@fastify/swagger';
import { Type } from '@sinclair/typebox';
import type { FastifyPluginAsync, FastifyRequest } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { requirePermission } from '../../identity/permissions.ts';
import { actorOf } from '../../identity/principal.ts';
import type { CvvPolicy } from '../../vault/cvv.ts';
import { Members } from '../input/members.ts';
import type { RequestBody } from '../input/request-body.ts';
import { answer } from '../negotiation/answer.ts';
import type { HttpRooms } from '../rooms.ts';
import { getOwnRecord, getRecord } from '../tokens/access.ts';
import {
	carryUses,
	checkDestination,
	checkShort,
	type DestinationFilter,
	matches,
	POLICY_SHAPE,
	parseDestinationData,
	parseDestinationType,
	policyDocument,
	readDestinationData,
	readPolicy,
	readQuota,
	withDestination,
	withoutDestinations,
} from '../tokens/cvv-policy.ts';
import { CVV_POLICY, TOKEN_PATH } from '../tokens/schemas.ts';
import { pathToken, TOKEN_IN_PATH } from '../tokens/token-uri.ts';

const CARD = `/api/payments/paycard/${TOKEN_IN_PATH}`;
const POLICY = `${CARD}/cvvRetentionPolicy`;
const DESTINATION_PATH = Type.Object({
	...TOKEN_PATH.properties,
	destinationType: Type.Optional(Type.String()),
	destinationData: Type.Optional(Type.String()),
});
const CONFIG = { permission: 'Tokenize' } as const;

/** The CVV of a card: taking it away, and how long and where to it is kept (spec §2.4, shapes §3, §11). */
export function cvvRoutes({ vault, clock, settings }: HttpRooms): FastifyPluginAsync {
	const change = async (request: FastifyRequest, by: (current: CvvPolicy) => CvvPolicy) => {
		const token = pathToken(request.params);
		// A policy binds the accounts that may use the card (shapes §3): it would not if they could set it themselves.
		const place = await getOwnRecord(vault, request.principal, token);
		if (request.method === 'PUT' && !request.principal.cvvRetention) {
			throw new ServiceError('cvv-retention-not-set-up', { moreInfo: 'the account keeps no CVV' });
		}
		const told = { actor: actorOf(request.principal), action: 'cvv.policy', token } as const;
		const mayBeLong = settings.environment === 'sandbox' || settings.allowLongCvv || request.method !== 'PUT';
		const checked = (current: CvvPolicy) => {
			const wanted = by(current);
			if (!mayBeLong) checkShort(wanted, clock.now());
			return wanted;
		};
		if (!(await vault.cvvs.changePolicy(place, checked, told))) throw noCvv();
		return vault.cvvs.findPolicy(place);
	};

	return async (app) => {
		app.delete(
			`${CARD}/cvv`,
			{
				config: CONFIG,
				schema: {
					summary: 'Clear the CVV of a card',
					description:
						'Repeating it changes nothing. Takes the card too where its policy says so; then only the owner of the card may.',
					tags: ['cvv'],
					params: TOKEN_PATH,
				},
			},
			async (request, reply) => {
				const actor = actorOf(request.principal);
				const token = pathToken(request.params);
				const place = await getRecord(vault, request.principal, token);
				// Who may use a card is done with its CVV some time; nobody but its owner deletes it (shapes §11).
				if (!place.isOwner && (await vault.cvvs.findPolicy(place))?.deletesCard) {
					throw new ServiceError('token-not-accessible');
				}
				const { takesCard } = await vault.cvvs.destroy(place, { actor, action: 'cvv.clear', token });
				if (takesCard) await vault.removeAt(place.page.id, place.slot, { actor, action: 'card.delete' });
				return reply.send();
			},
		);
		app.put(
			POLICY,
			{
				config: CONFIG,
				schema: {
					summary: 'Set the CVV retention policy of a card',
					description:
						'At most 50 destinations, each 1 to 50 uses, at most 48 months; 7 days and one use unless said. Uses that were counted stay counted. Only the owner of the card may, and a policy that deletes the card needs the permission `DeleteToken` as well.',
					tags: ['cvv'],
					params: TOKEN_PATH,
					response: { 200: CVV_POLICY },
				},
			},
			async (request, reply) => {
				const body = Members.of(request.body as RequestBody | undefined, POLICY_SHAPE.root);
				const wanted = readPolicy(body, clock.now());
				// A card can be taken from under its CVV at once, so that this is as good as deleting it.
				if (wanted.deletesCard) requirePermission(request.principal, 'DeleteToken');
				const policy = await change(request, (current) => carryUses(wanted, current));
				if (!policy) return reply.send();
				return answer(request, reply, policyDocument(policy), POLICY_SHAPE);
			},
		);
		for (const path of [`${POLICY}/:destinationType`, `${POLICY}/:destinationType/:destinationData`]) {
			app.put(
				path,
				{
					config: CONFIG,
					schema: {
						summary: 'Set one destination of a CVV retention policy',
						description:
							'Body: its `Quota`, 1 to 50, and `DestinationData` where the path has none; without either it is any of the type. Only the owner of the card may.',
						tags: ['cvv'],
						params: DESTINATION_PATH,
						response: { 200: CVV_POLICY },
					},
				},
				async (request, reply) => {
					const { type, data } = filterOf(request);
					const body = Members.of(request.body as RequestBody | undefined, 'CvvRetentionPolicyDestination');
					const destination = { type: type!, data: data ?? readDestinationData(body), quota: readQuota(body), used: 0 };
					checkDestination('destinationData', destination);
					const policy = await change(request, (current) => withDestination(current, destination));
					if (!policy) return reply.send();
					return answer(request, reply, policyDocument(policy), POLICY_SHAPE);
				},
			);
		}
		for (const path of [POLICY, `${POLICY}/:destinationType`, `${POLICY}/:destinationType/:destinationData`]) {
			const params = path === POLICY ? TOKEN_PATH : DESTINATION_PATH;
			app.get(
				path,
				{
					config: CONFIG,
					schema: {
						summary: 'Read the CVV retention policy of a card',
						description: 'With what was used; a path names one destination, or all of a type.',
						tags: ['cvv'],
						params,
						response: { 200: CVV_POLICY },
					},
				},
				async (request, reply) => {
					const filter = filterOf(request);
					const place = await getRecord(vault, request.principal, pathToken(request.params));
					const policy = await vault.cvvs.findPolicy(place);
					if (!policy || !hasAny(policy, filter)) throw noCvv();
					return answer(request, reply, policyDocument(policy, filter), POLICY_SHAPE);
				},
			);
			app.delete(
				path,
				{
					config: CONFIG,
					schema: {
						summary: 'Remove a CVV retention policy, or destinations of it',
						description:
							'What is left without any is under the default policy: 7 days and one use. Only the owner of the card may.',
						tags: ['cvv'],
						params,
					},
				},
				async (request, reply) => {
					const filter = filterOf(request);
					await change(request, (current) => {
						if (!hasAny(current, filter)) throw noCvv();
						return withoutDestinations(current, filter, clock.now());
					});
					return reply.send();
				},
			);
		}
	};
}

function filterOf({ params }: FastifyRequest): DestinationFilter {
	const { destinationType, destinationData } = params as { destinationType?: string; destinationData?: string };
	return {
		type: destinationType === undefined ? undefined : parseDestinationType('destinationType', destinationType),
		data: destinationData === undefined ? undefined : parseDestinationData('destinationData', destinationData),
	};
}

/** A path that names no destination names the policy as it is. */
function hasAny({ destinations }: CvvPolicy, filter: DestinationFilter): boolean {
	return filter.type === undefined || destinations.some((each) => matches(each, filter));
}

function noCvv(): ServiceError {
	return new ServiceError('uri-not-found', { moreInfo: 'no CVV is kept for the card, or not for this destination' });
}
