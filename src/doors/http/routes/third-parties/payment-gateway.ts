import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../../../../base/clock.ts';
import { badInput } from '../../../../base/errors.ts';
import type { Principal } from '../../../../people/identity/principal.ts';
import type { Vault } from '../../../../vault/vault.ts';
import type { Credentials, GatewayDriver } from '../../../../work/payments/gateway/driver.ts';
import type { Gateway } from '../../../../work/payments/gateway/gateway.ts';
import { isOpen } from '../../../../work/payments/gateway/transaction.ts';
import { type Call, defineCall } from '../../calls/call.ts';
import { listOf } from '../../calls/content.ts';
import { GATEWAY, gatewayDocument, OPERATION, operationDocument } from '../../gateway/answer.ts';
import { getDriver, getInlineCredentials, isCredentialsId } from '../../gateway/credentials.ts';
import { readOrder, refuseNumber } from '../../gateway/order.ts';
import { type GatewayOrder, ORDER_BODY } from '../../gateway/order-schema.ts';
import type { Members } from '../../input/members.ts';
import type { HttpSettings } from '../../settings.ts';
import { getRecord } from '../../tokens/access.ts';

const PATH = '/api/paymentGateway';
const QUERY = Type.Object({
	credentialsId: Type.Optional(Type.String({ description: 'Credentials that are kept here.' })),
});
const LOCATION = { Location: { schema: { type: 'string' }, description: 'The URI of the transaction.' } };

/** Defines the calls for payment gateway operations (spec §2.7, shapes §7, §11). */
export function paymentGatewayCalls(parts: {
	vault: Vault;
	gateway: Gateway;
	clock: Clock;
	settings: Pick<HttpSettings, 'baseUrl'>;
}): Call[] {
	const { vault, gateway, clock, settings } = parts;
	/** Finds the gateway that the body names, and the credentials for it, which are either in the body or stored. */
	const getGateway = async (
		body: Members<GatewayOrder>,
		{ ownerId }: Principal,
		credentialsId: string | undefined,
	): Promise<{ driver: GatewayDriver; credentials: Credentials; credentialsId: string | undefined }> => {
		const named = body.findObject('PaymentGateway');
		if (!credentialsId) {
			if (!named) throw body.problem('PaymentGateway', 'is required unless credentialsId names credentials');
			const driver = getDriver(gateway, named);
			return { driver, credentials: getInlineCredentials(driver, named), credentialsId: undefined };
		}
		const stored = isCredentialsId(credentialsId) ? await gateway.credentials.find(ownerId, credentialsId) : undefined;
		const driver = stored && gateway.findDriver(stored.gateway);
		if (!driver) throw badInput('credentialsId', 'no such credentials');
		if (named?.has('Name') && getDriver(gateway, named) !== driver) {
			throw named.problem('Name', 'the credentials are for another gateway');
		}
		if (named?.findObject('Credentials')?.names.length) {
			throw named.problem('Credentials', 'expected either these or credentialsId, not both');
		}
		return { driver, credentials: stored.credentials, credentialsId };
	};

	return [
		defineCall('GET', PATH, {
			summary: 'List payment gateways',
			description: 'With the operations each knows and the credentials it needs.',
			tag: 'gateway',
			needs: {},
			returns: listOf(GATEWAY),
			handler: async () => gateway.drivers.map(gatewayDocument),
		}),
		defineCall('POST', PATH, {
			summary: 'Carry out a gateway operation',
			description:
				'PreAuth and Charge take a `Card` or a `CardToken`; Capture, Refund and Void the `GatewayReference` of the payment. 200 also when the gateway declines. `Location` names the transaction.',
			tag: 'gateway',
			needs: { permission: 'Gateway', isBillable: true },
			query: QUERY,
			body: ORDER_BODY,
			bodyErrors: 'as-input',
			returns: { headers: LOCATION, ...OPERATION },
			failures: ['bad-input-parameter', 'token-not-accessible', 'uri-not-found'],
			handler: async (request, reply, readBody) => {
				const { principal, idempotency } = request;
				const body = readBody();
				const operation = body.getText('OperationType');
				const chosen = await getGateway(body, principal, request.query.credentialsId);
				const { order, card, token } = readOrder(body, operation, chosen.driver, clock.now());
				await refuseNumber(order, (gatewayReference) => isKnown(gatewayReference, request));
				const stored = token && { token, found: await getRecord(vault, principal, token) };
				// While the outcome of the operation is uncertain, the journal of payments decides how a repeated call
				// is answered. So no answer, not even a refusal, is kept for the idempotency key until the outcome is
				// known.
				if (idempotency) idempotency.isProvisional = true;
				const { isReplay, ...transaction } = await gateway.operate({
					caller: principal,
					...chosen,
					order,
					card,
					stored,
					callerKey: idempotency?.key,
				});
				// This operation was carried out by an earlier call with the same idempotency key, which has paid for
				// it. So the unit of allowance that this call took is given back.
				if (isReplay) await request.charge?.giveBack();
				if (idempotency) idempotency.isProvisional = isOpen(transaction);
				reply.header('location', `${settings.baseUrl}${PATH}/transactions/${transaction.id}`);
				return operationDocument(transaction);
			},
		}),
	];

	async function isKnown(gatewayReference: string, { principal }: FastifyRequest): Promise<boolean> {
		return (await gateway.list(principal.ownerId, { gatewayReference, from: 0, num: 1 })).length > 0;
	}
}
