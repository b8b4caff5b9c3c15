import type {} from '@fastify/swagger';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyPluginAsync } from 'fastify';
import { Cvv } from '../../card/cvv-code.ts';
import { storedBy } from '../../identity/principal.ts';
import { copyOf } from '../../vault/new-card.ts';
import { storeOnce } from '../idempotency/effects.ts';
import { checkCvv, cvvToKeep, findReferenceValue } from '../input/query-values.ts';
import type { HttpRooms } from '../rooms.ts';
import { getRecord } from '../tokens/access.ts';
import { CARD_URI, MASKED_CARD, MERCHANT, REF } from '../tokens/schemas.ts';
import { answerStored, maskedOf } from '../tokens/stored-answer.ts';
import { getQueryToken } from '../tokens/token-uri.ts';

const QUERY = Type.Object({
	cardUri: CARD_URI,
	cvv: Type.Optional(Type.String({ description: 'CVV of the new token; that of the old one is never carried over.' })),
	ref: REF,
	merchantId: MERCHANT,
});

/** Makes a second token for a card (shapes §3). */
export function duplicateRoutes({ vault, identity, settings }: HttpRooms): FastifyPluginAsync {
	return async (app) => {
		app.post(
			'/api/payments/paycard/duplicate',
			{
				config: { permission: 'Tokenize', isBillable: true },
				schema: {
					summary: 'Duplicate a token',
					description: 'A new token, owned by the caller, for the same card.',
					tags: ['tokens'],
					querystring: QUERY,
					response: { 201: MASKED_CARD },
				},
			},
			async (request, reply) => {
				const { principal } = request;
				const { cardUri, cvv, ref, merchantId: merchant } = request.query as Static<typeof QUERY>;
				if (cvv) checkCvv('cvv', cvv);
				const reference = findReferenceValue('ref', ref);
				const merchantId = merchant ? await identity.resolveAssociationTarget(principal, merchant) : undefined;
				const { record, isOwner } = await getRecord(vault, principal, getQueryToken('cardUri', cardUri));
				const fields = copyOf(record);
				// The record is read before it is stored, because storing wipes it.
				const masked = maskedOf({ fields });
				const { token } = await storeOnce(request, (alongside) =>
					vault.storeRecord({
						action: 'card.duplicate',
						...storedBy(principal),
						...{ fields, reference, merchantId, alongside, isOfOthers: !isOwner },
						cvv: cvvToKeep(cvv ? new Cvv(cvv) : undefined, principal, undefined),
					}),
				);
				return answerStored(request, reply, { baseUrl: settings.baseUrl, token, masked });
			},
		);
	};
}
