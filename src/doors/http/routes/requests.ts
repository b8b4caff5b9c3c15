import { Type } from '@sinclair/typebox';
import { type Call, defineCall } from '../calls/call.ts';
import { answerOf, listOf } from '../calls/content.ts';
import { DEFAULT_NUM, nullable } from '../calls/fields.ts';
import { CREATED } from '../calls/samples.ts';
import { type CallLog, KEPT_CALLS, OUTCOMES } from '../server/call-log.ts';
import { FROM } from '../tokens/schemas.ts';

export const REQUESTS_PATH = '/api/requests';

const QUERY = Type.Object({
	from: FROM,
	num: Type.Optional(Type.Integer({ minimum: 1, maximum: KEPT_CALLS, default: DEFAULT_NUM })),
});
const LOGGED_CALL = answerOf('Request', 'LoggedCall', {
	id: [Type.String({ description: '`X-Request-Id` of the answer.' }), '3f1c9a52-6d0e-4f0b-9a51-0f6f6f7c2b1d'],
	time: [Type.String({ format: 'date-time', description: 'When the answer ended.' }), CREATED],
	method: [Type.String(), 'GET'],
	route: [Type.String({ description: 'With the names of its parameters.' }), '/api/payments/paycard/meta'],
	status: [Type.Integer(), 200],
	outcome: [
		Type.Union([...OUTCOMES.map((name) => Type.Literal(name)), Type.Null()], {
			description:
				'How the answer ended; `broken-off` if a streamed answer ended early, `caller-gone` if the caller left before its end.',
		}),
		'complete',
	],
	message: [nullable('Of the error, also of one that broke off a streamed answer.'), null],
	moreInfo: [nullable('Of the error.'), null],
	credential: [nullable('Id of the key that was used.'), 'api-key 1'],
});

/** Defines the call that lists the last calls of the account, for developers who are looking for an error. */
export function requestCalls({ callLog }: { callLog: Pick<CallLog, 'list'> }): Call {
	return defineCall('GET', REQUESTS_PATH, {
		summary: 'List requests',
		description: `The last ${KEPT_CALLS} calls of the account within 30 days, youngest first, but for those of this list: how they ended, and nothing that was sent.`,
		tag: 'service',
		needs: { permission: 'QueryTokens' },
		query: QUERY,
		returns: listOf(LOGGED_CALL),
		handler: async (request) => {
			const { from = 0, num = DEFAULT_NUM } = request.query;
			return callLog.list(request.principal.accountId, { from, num });
		},
	});
}
