import { Type } from '@sinclair/typebox';
import type { Clock } from '../../../../base/clock.ts';
import { mayCause } from '../../../../people/identity/effects.ts';
import type { Identity } from '../../../../people/identity/identity.ts';
import { storedBy } from '../../../../people/identity/principal.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { type Call, defineCall } from '../../calls/call.ts';
import { jsonOrXml } from '../../calls/content.ts';
import { storeOnce } from '../../idempotency/effects.ts';
import { cvvToKeep, findElimination, findFlag, findReferenceValue } from '../../input/query-values.ts';
import type { RequestBody } from '../../input/request-body.ts';
import type { HttpSettings } from '../../settings.ts';
import { getCard } from '../../tokens/card-body.ts';
import { CARD_BODY } from '../../tokens/card-schema.ts';
import { FLAG, MERCHANT, REF } from '../../tokens/schemas.ts';
import { answerStored, maskedOf, STORED } from '../../tokens/stored-answer.ts';

const QUERY = Type.Object({
	ref: REF,
	merchantId: MERCHANT,
	eliminateCardDuplication: FLAG('Give back the token the account already has for the card.'),
	saveCVV: FLAG('Keep the CVV; an account that is set up for it does unless told otherwise.'),
});

const WARNINGS = {
	'X-service-Tokenization-Warnings': {
		schema: { type: 'string' },
		description: 'Absent when there is nothing to warn of.',
	},
};

/** Defines the call that stores a card and answers with its token (spec §2.3, §2.4, shapes §2, §3, §11). */
export function storeCardCalls(parts: {
	identity: Identity;
	vault: Vault;
	clock: Clock;
	settings: Pick<HttpSettings, 'baseUrl'>;
}): Call {
	const { vault, identity, clock, settings } = parts;
	return defineCall('POST', '/api/payments/paycard', {
		summary: 'Store a card',
		description:
			'Card data as JSON, or as XML with its elements in order. A card that cannot be stored is a 400 that says why.',
		tag: 'tokens',
		needs: { permission: 'Tokenize', isBillable: true },
		withholds: 'shows',
		query: QUERY,
		body: CARD_BODY,
		answers: { 201: { headers: WARNINGS, content: jsonOrXml(STORED) } },
		failures: [
			'bad-input-parameter',
			'cvv-retention-not-set-up',
			'association-target-invalid',
			'elimination-limit-passed',
		],
		handler: async (request, reply) => {
			const { principal } = request;
			const { query } = request;
			const eliminatesDuplicates = findElimination(principal, query.eliminateCardDuplication);
			const merchantId = query.merchantId
				? await identity.resolveAssociationTarget(principal, query.merchantId)
				: undefined;
			const saveCvv = findFlag('saveCVV', query.saveCVV);
			const reference = findReferenceValue('ref', query.ref);
			const { card, cvv, warning, masked } = getCard(request.body as RequestBody | undefined, clock.now());
			const beside = { reference, merchantId, cvv: cvvToKeep(cvv, principal, saveCvv) };
			const { token, isNew } = await storeOnce(
				request,
				(alongside) => vault.store({ ...storedBy(principal), card, eliminatesDuplicates, ...beside, alongside }),
				(earlier) => vault.attach(principal.ownerId, earlier, beside),
			);
			if (warning !== '') reply.header('X-service-Tokenization-Warnings', warning);
			// A token that the account already had stands for the card as it was stored then, under another name perhaps.
			// Whoever may not see stored cards sees what was sent.
			const earlier = isNew || !mayCause(principal, 'shows') ? null : await vault.find(principal.ownerId, token);
			const stored = earlier ? maskedOf(earlier.record) : masked;
			return answerStored(request, reply, { baseUrl: settings.baseUrl, token, masked: stored });
		},
	});
}
