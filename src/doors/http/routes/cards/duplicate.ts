import { Type } from '@sinclair/typebox';
import { Cvv } from '../../../../base/card/clear-cvv.ts';
import { mayCause } from '../../../../people/identity/effects.ts';
import type { Identity } from '../../../../people/identity/identity.ts';
import { storedBy } from '../../../../people/identity/principal.ts';
import { copyOf } from '../../../../vault/cards/new-card.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { type Call, defineCall } from '../../calls/call.ts';
import { jsonOrXml } from '../../calls/content.ts';
import { storeOnce } from '../../idempotency/effects.ts';
import { checkCvv, cvvToKeep, findReferenceValue } from '../../input/query-values.ts';
import { noted } from '../../input/schema-notes.ts';
import type { HttpSettings } from '../../settings.ts';
import { getRecord } from '../../tokens/access.ts';
import { CARD_URI, MERCHANT, REF } from '../../tokens/schemas.ts';
import { answerStored, maskedOf, STORED } from '../../tokens/stored-answer.ts';
import { getQueryToken } from '../../tokens/token-uri.ts';

const QUERY = Type.Object({
	cardUri: CARD_URI,
	cvv: Type.Optional(
		noted(Type.String({ description: 'CVV of the new token; that of the old one is never carried over.' }), {
			shownAs: { type: 'string', pattern: '^[0-9]{3,4}$' },
		}),
	),
	ref: REF,
	merchantId: MERCHANT,
});

/** Defines the call that creates a second token for a card (shapes §3). */
export function duplicateCalls(parts: {
	identity: Identity;
	vault: Vault;
	settings: Pick<HttpSettings, 'baseUrl'>;
}): Call {
	const { vault, identity, settings } = parts;
	return defineCall('POST', '/api/payments/paycard/duplicate', {
		summary: 'Duplicate a token',
		description:
			'A new token, owned by the caller, for the same card. The answer has the masked card if the credential has the permission `QueryTokens`, and no body otherwise.',
		tag: 'tokens',
		needs: { permission: 'Tokenize', isBillable: true },
		withholds: 'shows',
		query: QUERY,
		answers: { 201: { content: jsonOrXml(STORED) } },
		failures: ['bad-input-parameter', 'association-target-invalid'],
		handler: async (request, reply) => {
			const { principal } = request;
			const { cardUri, cvv, ref, merchantId: merchant } = request.query;
			const merchantId = merchant ? await identity.resolveAssociationTarget(principal, merchant) : undefined;
			if (cvv) checkCvv('cvv', cvv);
			const reference = findReferenceValue('ref', ref);
			const { record, isOwner } = await getRecord(vault, principal, getQueryToken(cardUri));
			const fields = copyOf(record);
			// The masked card for the answer is made before the record is stored, because storing the record wipes
			// it from memory.
			const masked = maskedOf(fields);
			const { token } = await storeOnce(request, (alongside) =>
				vault.storeRecord({
					action: 'card.duplicate',
					...storedBy(principal),
					fields,
					reference,
					merchantId,
					alongside,
					isOfOthers: !isOwner,
					cvv: cvvToKeep(cvv ? new Cvv(cvv) : undefined, principal, undefined),
				}),
			);
			const shown = mayCause(principal, 'shows') ? masked : undefined;
			return answerStored(request, reply, { baseUrl: settings.baseUrl, token, masked: shown });
		},
	});
}
