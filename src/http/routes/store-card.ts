import type {} from '@fastify/swagger';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyPluginAsync } from 'fastify';
import { storedBy } from '../../identity/principal.ts';
import { storeOnce } from '../idempotency/effects.ts';
import { cvvToKeep, findElimination, findFlag, findReferenceValue } from '../input/query-values.ts';
import type { RequestBody } from '../input/request-body.ts';
import type { HttpRooms } from '../rooms.ts';
import { getCard, warningsHeader } from '../tokens/card-body.ts';
import { FLAG, MASKED_CARD, MERCHANT, REF } from '../tokens/schemas.ts';
import { answerStored } from '../tokens/stored-answer.ts';

const QUERY = Type.Object({
	ref: REF,
	merchantId: MERCHANT,
	eliminateCardDuplication: FLAG('Give back the token the account already has for the card.'),
	saveCVV: FLAG('Keep the CVV; an account that is set up for it does unless told otherwise.'),
});

/** Tokenization on request (spec §2.3, §2.4, shapes §2, §3, §11). */
export function storeCardRoutes({ vault, identity, clock, settings }: HttpRooms): FastifyPluginAsync {
	return async (app) => {
		app.post(
			'/api/payments/paycard',
			{
				config: { permission: 'Tokenize', isBillable: true },
				schema: {
					summary: 'Store a card',
					description:
						'Card data as JSON, or as XML with its elements in order. A card that cannot be stored is a 400 that says why.',
					tags: ['tokens'],
					querystring: QUERY,
					response: { 201: MASKED_CARD },
				},
			},
			async (request, reply) => {
				const { principal } = request;
				const query = request.query as Static<typeof QUERY>;
				const eliminatesDuplicates = findElimination(principal, query.eliminateCardDuplication);
				const saveCvv = findFlag('saveCVV', query.saveCVV);
				const reference = findReferenceValue('ref', query.ref);
				const { card, cvv, warnings, masked } = getCard(request.body as RequestBody | undefined, clock.now());
				const merchantId = query.merchantId
					? await identity.resolveAssociationTarget(principal, query.merchantId)
					: undefined;
				const beside = { reference, merchantId, cvv: cvvToKeep(cvv, principal, saveCvv) };
				const { token } = await storeOnce(
					request,
					(alongside) => vault.store({ ...storedBy(principal), card, eliminatesDuplicates, ...beside, alongside }),
					(earlier) => vault.attach(principal.ownerId, earlier, beside),
				);
				const header = warningsHeader([warnings]);
				if (header !== undefined) reply.header('X-service-Tokenization-Warnings', header);
				return answerStored(request, reply, { baseUrl: settings.baseUrl, token, masked });
			},
		);
	};
}
