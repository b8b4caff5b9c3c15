import { Type } from '@sinclair/typebox';
import { isUlid } from '../../../../base/database/ulid.ts';
import { ServiceError } from '../../../../base/errors.ts';
import type { Gateway } from '../../../../work/payments/gateway/gateway.ts';
import { type Call, callsAbout } from '../../calls/call.ts';
import { listOf } from '../../calls/content.ts';
import { DEFAULT_NUM } from '../../calls/fields.ts';
import { TRANSACTION, transactionDocument } from '../../gateway/answer.ts';
import { findSearchText } from '../../input/query-values.ts';
import { FROM } from '../../tokens/schemas.ts';

const PATH = '/api/paymentGateway/transactions';
const define = callsAbout('gateway', { permission: 'Gateway' });
const MAX_ITEMS = 1000;

const QUERY = Type.Object({
	myRef: Type.Optional(Type.String({ description: 'Those with this `MyRef`.' })),
	gatewayReference: Type.Optional(Type.String({ description: 'A payment and everything done about it.' })),
	from: FROM,
	num: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ITEMS, description: `${DEFAULT_NUM} unless given.` })),
});
const TRANSACTION_PATH = Type.Object({ transactionId: Type.String({ description: 'Last part of `Location`.' }) });

/** Defines the calls that show everything that was sent to gateways for an account (shapes §7). */
export function gatewayTransactionCalls({ gateway }: { gateway: Gateway }): Call[] {
	return [
		define('GET', PATH, {
			summary: 'List gateway transactions',
			description: "The account's own, oldest first: every operation that was sent, with what is known of it now.",
			query: QUERY,
			returns: listOf(TRANSACTION),
			handler: async (request) => {
				const { myRef, gatewayReference, from = 0, num = DEFAULT_NUM } = request.query;
				const named = { myRef: findSearchText(myRef), gatewayReference: findSearchText(gatewayReference) };
				const found = await gateway.list(request.principal.ownerId, { ...named, from, num });
				return found.map(transactionDocument);
			},
		}),
		define('GET', `${PATH}/:transactionId`, {
			summary: 'Read a gateway transaction',
			params: TRANSACTION_PATH,
			returns: TRANSACTION,
			failures: ['uri-not-found'],
			handler: async (request) => {
				const { transactionId } = request.params;
				const found = isUlid(transactionId) && (await gateway.find(request.principal.ownerId, transactionId));
				if (!found) throw new ServiceError('uri-not-found', { moreInfo: 'no such transaction' });
				return transactionDocument(found);
			},
		}),
	];
}
