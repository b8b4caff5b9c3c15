import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../../../base/database/open.ts';
import { badInput } from '../../../../base/errors.ts';
import type { Token } from '../../../../vault/tokens/token.ts';
import type { Profiles } from '../../../../work/relay/profiles/profiles.ts';
import type { ThirdParties } from '../../../../work/relay/third-parties.ts';
import { type Call, defineCall } from '../../calls/call.ts';
import { notingSent } from '../../idempotency/effects.ts';
import {
	anyBody,
	CALLS_OUT,
	HTTP_METHOD,
	PROFILE_NAME,
	RELAY_HEADERS,
	TARGET_URI,
	TIMEOUT,
	thirdPartyAnswers,
} from '../../third-parties/schemas.ts';
import {
	checkContentType,
	deadlineFor,
	findHttpMethod,
	getProfile,
	passOn,
	rawBody,
} from '../../third-parties/third-party.ts';
import { findTokenOfUri } from '../../tokens/token-uri.ts';

const QUERY = Type.Object({
	profileName: PROFILE_NAME,
	targetUri: TARGET_URI,
	httpMethod: HTTP_METHOD,
	timeout: TIMEOUT,
	cardToken: Type.Optional(
		Type.String({
			description: 'Token, or several separated by commas. Without it the header X-service-cardUri has their URIs.',
		}),
	),
});

/** A call may list so many tokens. If there are several, each goes into a container of its own in the body. */
const MAX_TOKENS = 100;

/** Defines the calls that replace tokens by cards in a request to a third party (spec §4.1). */
export function relayCalls(parts: { database: Database; profiles: Profiles; thirdParties: ThirdParties }): Call {
	return defineCall('POST', '/api/payments/paycard/relay', {
		summary: 'Relay a request with cards in place of tokens',
		description:
			'The body is the request for the third party. The profile says where cards go; the answer is what the third party says, without the numbers that went out.',
		tag: 'third parties',
		needs: { permission: 'Relay', isBillable: true },
		intake: 'raw',
		query: QUERY,
		headers: RELAY_HEADERS,
		body: anyBody(true),
		answers: thirdPartyAnswers(),
		failures: ['token-not-accessible', 'uri-not-found', ...CALLS_OUT],
		handler: async (request, reply) => {
			const { query } = request;
			const deadlineAt = deadlineFor(query.timeout);
			const body = rawBody(request);
			if (body === null) throw badInput('body', 'is empty');
			checkContentType(request);
			const method = findHttpMethod(query.httpMethod);
			const profile = await getProfile(parts, request, query.profileName);
			const tokens = readTokens(request, query.cardToken);
			const { targetUri } = query;
			const { principal, id: requestId, raw } = request;
			const call = { principal, requestId, profile, tokens, targetUri, method, body, deadlineAt };
			const sending = notingSent(parts, request);
			return passOn(request, reply, await parts.thirdParties.relay({ ...call, ...sending, headers: raw.rawHeaders }));
		},
	});
}

/**
 * Reads the tokens from the query or the header, of which only one may have any, because they could mean different
 * cards. In the query, a text that is no token is answered like a token that does not exist; in the header it is a bad
 * input (spec §7.4).
 */
function readTokens({ headers }: FastifyRequest, cardToken: string | undefined): (Token | null)[] {
	const header = headers['x-service-carduri'];
	const text = Array.isArray(header) ? header.join(',') : header;
	if (cardToken) {
		if (text)
			throw badInput(
				'X-service-cardUri',
				'expected none beside cardToken: name the tokens in the query or in the header',
			);
		return listed('cardToken', cardToken).map((part) => findTokenOfUri(part) ?? null);
	}
	if (!text) throw badInput('X-service-cardUri', 'is required');
	return listed('X-service-cardUri', text).map((uri) => {
		const token = findTokenOfUri(uri);
		if (token === undefined) throw badInput('X-service-cardUri', 'expected token URIs');
		return token;
	});
}

/**
 * Splits a list of tokens at its commas. None of them may be empty (spec §4.1).
 * @throws ServiceError
 */
function listed(name: string, text: string): string[] {
	const parts = text.split(',').map((part) => part.trim());
	if (parts.includes('')) throw badInput(name, 'a token of the list is empty');
	if (parts.length > MAX_TOKENS) {
		throw badInput(name, `expected at most ${MAX_TOKENS} tokens`);
	}
	return parts;
}
