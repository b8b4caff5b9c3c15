import { Type } from '@sinclair/typebox';
import { type Call, defineCall } from '../calls/call.ts';
import { DEFAULT_NUM, nullable } from '../calls/fields.ts';
import { CREATED } from '../calls/samples.ts';
import { named } from '../input/schema-notes.ts';
import { type CallLog, KEPT_CALLS, OUTCOMES } from '../server/call-log.ts';
import { FROM } from '../tokens/schemas.ts';

export const REQUESTS_PATH = '/api/requests';

const QUERY = Type.Object({
	from: FROM,
	num: Type.Optional(Type.Integer({ minimum: 1, maximum: KEPT_CALLS, default: DEFAULT_NUM })),
});
const LOGGED_CALL = named(
	'LoggedCall',
	Type.Object({
		id: Type.String({ description: '`X-Request-Id` of the answer.' }),
		time: Type.String({ format: 'date-time', description: 'When the answer ended.' }),
		method: Type.String(),
		route: Type.String({ description: 'With the names of its parameters.' }),
		status: Type.Integer(),
		outcome: Type.Union([...OUTCOMES.map((name) => Type.Literal(name)), Type.Null()], {
			description:
				'How the answer ended; `broken-off` if a streamed answer ended early, `caller-gone` if the caller left before its end.',
		}),
		message: nullable('Of the error, also of one that broke off a streamed answer.'),
		moreInfo: nullable('Of the error.'),
		credential: nullable('Id of the key that was used.'),
	}),
);
const EXAMPLE = {
	id: '3f1c9a52-6d0e-4f0b-9a51-0f6f6f7c2b1d',
	time: CREATED,
	method: 'GET',
	route: '/api/payments/paycard/meta',
	status: 200,
	outcome: 'complete',
	message: null,
	moreInfo: null,
	credential: 'api-key 1',
};

/** Defines the call that lists the last calls of the account, for developers who are looking for an error. */
export function requestCalls({ callLog }: { callLog: Pick<CallLog, 'list'> }): Call[] {
	return [
		defineCall({
			method: 'GET',
			path: REQUESTS_PATH,
			name: 'listRequests',
			summary: 'List requests',
			description: `The last ${KEPT_CALLS} calls of the account within 30 days, youngest first, but for those of this list: how they ended, and nothing that was sent.`,
			tag: 'service',
			needs: { permission: 'QueryTokens' },
			query: QUERY,
			returns: { schema: Type.Array(LOGGED_CALL), example: [EXAMPLE], root: 'Request' },
			handler: async (request) => {
				const { from = 0, num = DEFAULT_NUM } = request.query;
				return callLog.list(request.principal.accountId, { from, num });
			},
		}),
	];
}
