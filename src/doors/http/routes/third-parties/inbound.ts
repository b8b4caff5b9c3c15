import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Database } from '../../../../base/database/open.ts';
import { badInput } from '../../../../base/errors.ts';
import type { Profiles } from '../../../../work/relay/profiles/profiles.ts';
import type { ThirdParties } from '../../../../work/relay/third-parties.ts';
import { ROUND_TRIP_MS } from '../../../../work/relay/third-party-call.ts';
import { CREDENTIAL_PARAMETERS } from '../../access/credentials.ts';
import { type Call, defineCall } from '../../calls/call.ts';
import { notingSent } from '../../idempotency/effects.ts';
import { checkSender } from '../../requests/card-request-order.ts';
import { pathAsSent } from '../../server/path-as-sent.ts';
import type { HttpSettings } from '../../settings.ts';
import { anyBody, CALLS_OUT, thirdPartyAnswers } from '../../third-parties/schemas.ts';
import { getProfile, passOn, rawBody } from '../../third-parties/third-party.ts';
import { tokenUri } from '../../tokens/token-uri.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;
const PATH = Type.Object({
	userId: Type.String({ description: 'User ID of the account the call is for; that of the credential.' }),
	profileName: Type.String({ description: 'Profile of the account, with a targetUri.' }),
	'*': Type.Optional(Type.String({ description: 'Appended to the path of the target.' })),
});

const PATHS = [
	{ path: '/api/inbound/:userId/:profileName', name: 'inboundGateway' },
	{ path: '/api/inbound/:userId/:profileName/*', name: 'inboundGatewayBelow' },
] as const;

/**
 * Defines the inbound gateway, to which a third party sends messages with cards; the account gets them with tokens
 * instead (shapes §4, §11).
 */
export function inboundCalls(parts: {
	database: Database;
	profiles: Profiles;
	thirdParties: ThirdParties;
	settings: Pick<HttpSettings, 'baseUrl'>;
}): Call[] {
	const { settings, thirdParties } = parts;
	return PATHS.map(({ path, name }) =>
		defineCall(METHODS, path, {
			name,
			summary: 'Inbound gateway',
			description:
				'For a third party that pushes cards: the request is tokenized and passed on to the target of the profile, with token URIs in X-service-cardUri.',
			tag: 'third parties',
			needs: { permission: 'Tokenize', isBillable: true },
			hasKeysOfOthers: true,
			takesAnyQuery: true,
			intake: 'raw',
			params: PATH,
			body: anyBody(false),
			answers: thirdPartyAnswers(),
			failures: ['sender-mismatch', ...CALLS_OUT],
			handler: async (request, reply) => {
				const deadlineAt = performance.now() + ROUND_TRIP_MS;
				const { userId, profileName, '*': rest } = request.params;
				const { principal, id: requestId, raw } = request;
				checkSender(principal, userId, 'userId');
				checkHasNoBody(request);
				const profile = await getProfile(parts, request, profileName);
				const answered = await thirdParties.inbound({
					principal,
					requestId,
					profile,
					deadlineAt,
					...notingSent(parts, request),
					method: request.method as (typeof METHODS)[number],
					headers: raw.rawHeaders,
					body: rawBody(request),
					rest: rest === undefined ? '' : `/${restAsSent(request.url)}`,
					query: queryAsSent(request.url),
					cameFrom: { address: request.ip, scheme: request.protocol, port: request.raw.socket.localPort ?? 0 },
					uriOf: (token) => tokenUri(settings.baseUrl, token),
				});
				return passOn(request, reply, answered);
			},
		}),
	);
}

/**
 * Refuses a GET or HEAD request with a body, because the body would not be read and so would be lost.
 * @throws ServiceError
 */
function checkHasNoBody({ method, headers }: FastifyRequest): void {
	if (method !== 'GET' && method !== 'HEAD') return;
	if (headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0) return;
	throw badInput('body', 'expected none, because GET and HEAD are passed on without a body');
}

/**
 * Returns the part of the path that follows the profile's name, exactly as it was sent, because its escapes may have a
 * meaning for the target.
 */
function restAsSent(url: string): string {
	return pathAsSent(url).split('/').slice(5).join('/');
}

/** Returns the query as it was sent, but without the credentials for this service, which the target must not see. */
function queryAsSent(url: string): string {
	const at = url.indexOf('?');
	if (at === -1) return '';
	const parts = url.slice(at + 1).split('&');
	return parts.filter((part) => !isCredential(part)).join('&');
}

/**
 * Returns whether a part of the query is a credential. Its name may be escaped, so it is decoded in the same way as
 * when the credential of a request is read.
 */
function isCredential(part: string): boolean {
	for (const [name] of new URLSearchParams(part)) return CREDENTIAL_PARAMETERS.has(name.toLowerCase());
	return false;
}
