import type {} from '@fastify/swagger';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyPluginAsync } from 'fastify';
import { answer } from '../negotiation/answer.ts';
import { type CallLog, KEPT_CALLS } from '../server/call-log.ts';
import { FROM } from '../tokens/schemas.ts';

export const REQUESTS_PATH = '/api/requests';
const DEFAULT_NUM = 100;

const QUERY = Type.Object({
	from: FROM,
	num: Type.Optional(Type.Integer({ minimum: 1, maximum: KEPT_CALLS, default: DEFAULT_NUM })),
});
const nullable = (description: string) => Type.Union([Type.String(), Type.Null()], { description });
export const LOGGED_CALL = Type.Object({
	id: Type.String({ description: '`X-Request-Id` of the answer.' }),
	time: Type.String({ format: 'date-time', description: 'When it was answered.' }),
	method: Type.String(),
	route: Type.String({ description: 'With the names of its parameters.' }),
	status: Type.Integer(),
	message: nullable('Of the error.'),
	moreInfo: nullable('Of the error.'),
	credential: nullable('Id of the key that was used.'),
});

/** Returns the last calls of the account, for developers who look for what went wrong. */
export function requestRoutes(calls: Pick<CallLog, 'list'>): FastifyPluginAsync {
	return async (app) => {
		app.get(
			REQUESTS_PATH,
			{
				config: { permission: 'QueryTokens' },
				schema: {
					summary: 'List requests',
					description: `The last ${KEPT_CALLS} calls of the account within 30 days, youngest first, but for those of this list: how they ended, and nothing that was sent.`,
					tags: ['service'],
					querystring: QUERY,
					response: { 200: Type.Array(LOGGED_CALL) },
				},
			},
			async (request, reply) => {
				const { from = 0, num = DEFAULT_NUM } = request.query as Static<typeof QUERY>;
				const listed = await calls.list(request.principal.accountId, { from, num });
				return answer(request, reply, listed, { root: 'Request' });
			},
		);
	};
}
