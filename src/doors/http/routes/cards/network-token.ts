import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CardNumber } from '../../../../base/card/card-number.ts';
import { isExpired, monthOf } from '../../../../base/card/expiry.ts';
import type { Clock } from '../../../../base/clock.ts';
import { badInput, ServiceError } from '../../../../base/errors.ts';
import { mayCause } from '../../../../people/identity/effects.ts';
import { storedBy } from '../../../../people/identity/principal.ts';
import { copyOf, fieldsOf } from '../../../../vault/cards/new-card.ts';
import type { NetworkTokenProvider } from '../../../../vault/tokens/network-tokens.ts';
import { sandboxNetworkTokens } from '../../../../vault/tokens/network-tokens.ts';
import type { Token } from '../../../../vault/tokens/token.ts';
import type { Vault } from '../../../../vault/vault.ts';
import { type Call, defineCall } from '../../calls/call.ts';
import { jsonOrXml } from '../../calls/content.ts';
import { findMade, storeOnce } from '../../idempotency/effects.ts';
import { findReferenceValue } from '../../input/query-values.ts';
import type { HttpSettings } from '../../settings.ts';
import { getRecord } from '../../tokens/access.ts';
import { CARD_URI, type MaskedCard, REF } from '../../tokens/schemas.ts';
import { answerStored, maskedOf, storedExample } from '../../tokens/stored-answer.ts';
import { getQueryToken } from '../../tokens/token-uri.ts';

const QUERY = Type.Object({ cardUri: CARD_URI, ref: REF });

/** The example shows a masked number that the card network issued. */
const MADE = storedExample('411111******0000');

/** Defines the call that makes a network token for a stored card: Network Tokenize from Token (shapes §3). */
export function networkTokenCalls(parts: {
	vault: Vault;
	clock: Clock;
	settings: Pick<HttpSettings, 'environment' | 'baseUrl'>;
	networkTokens?: NetworkTokenProvider;
}): Call {
	const { vault, clock, settings, networkTokens } = parts;
	const provider = networkTokens ?? (settings.environment === 'sandbox' ? sandboxNetworkTokens : undefined);
	const answerMade = (request: FastifyRequest, reply: FastifyReply, token: Token, masked: MaskedCard) => {
		const shown = mayCause(request.principal, 'shows') ? masked : undefined;
		return answerStored(request, reply, { baseUrl: settings.baseUrl, token, masked: shown });
	};
	return defineCall('POST', '/api/payments/paycard/networkToken', {
		summary: 'Make a network token of a card',
		description:
			'A new token that holds what the network issued, which is answered masked if the credential has the permission `QueryTokens`. 403 where no provider is set up.',
		tag: 'tokens',
		needs: { permission: 'Tokenize', isBillable: true },
		withholds: 'shows',
		query: QUERY,
		answers: { 201: { content: jsonOrXml(MADE) } },
		handler: async (request, reply) => {
			const { principal } = request;
			const { cardUri, ref } = request.query;
			const reference = findReferenceValue('ref', ref);
			const made = findMade(request, 'token', 'earlier-token');
			if (made !== undefined) {
				// The call was made before with the same idempotency key, so the answer has the same network token again. The
				// provider is not called, because it would issue another one.
				const { record: issued } = await getRecord(vault, principal, made.id, ['network-token']);
				return answerMade(request, reply, made.id, maskedOf(copyOf(issued)));
			}
			const { record } = await getRecord(vault, principal, getQueryToken(cardUri));
			if (!provider) {
				throw new ServiceError('permission-denied', { moreInfo: 'No network token provider is set up' });
			}
			const { expiry, type } = record;
			if (isExpired(expiry, monthOf(clock.now()))) {
				throw badInput('cardUri', 'Expired card');
			}
			const number = new CardNumber(record.digits.toString('latin1'));
			const text = (bytes: Buffer | null) => bytes?.toString('utf8');
			const { name, issueNumber, owner } = record;
			const beside = { name: text(name), issueNumber: text(issueNumber), owner: text(owner) };
			const issued = await provider.provision({ number, expiry, type });
			const fields = { ...fieldsOf({ ...issued, ...beside, type }), kind: 'network-token' as const };
			// The masked card for the answer is made before the record is stored, because storing the record wipes
			// it from memory.
			const masked = maskedOf(fields);
			const { token } = await storeOnce(request, (alongside) =>
				vault.storeRecord({ action: 'card.network-token', ...storedBy(principal), fields, reference, alongside }),
			);
			return answerMade(request, reply, token, masked);
		},
	});
}
