import type {} from '@fastify/swagger';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyError, FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { isUlid } from '../../drops/ulid.ts';
import { ServiceError } from '../../errors.ts';
import type { Credentials, GatewayDriver } from '../../gateway/driver.ts';
import { isOpen } from '../../gateway/transaction.ts';
import { actorOf } from '../../identity/principal.ts';
import {
	CREDENTIALS,
	credentialsDocument,
	GATEWAY,
	GATEWAY_SHAPE,
	gatewayDocument,
	OPERATION_ANSWER,
	operationDocument,
	TRANSACTION,
	transactionDocument,
} from '../gateway/answer.ts';
import { getCredentialsBody, getDriver, getInlineCredentials, isCredentialsId } from '../gateway/credentials.ts';
import { readOperation, readOrder, refuseNumber } from '../gateway/order.ts';
import { listFields } from '../input/field-problems.ts';
import { Members } from '../input/members.ts';
import { findSearchText } from '../input/query-values.ts';
import type { RequestBody } from '../input/request-body.ts';
import { answer } from '../negotiation/answer.ts';
import type { HttpRooms } from '../rooms.ts';
import { getRecord } from '../tokens/access.ts';
import { FROM } from '../tokens/schemas.ts';

const PATH = '/api/paymentGateway';
const CONFIG = { permission: 'Gateway' } as const;
const TAGS = ['gateway'];
const DEFAULT_ITEMS = 100;
const MAX_ITEMS = 1000;

const CREDENTIALS_QUERY = Type.Object({
	credentialsId: Type.Optional(Type.String({ description: 'Credentials that are kept here.' })),
});
const CREDENTIALS_PATH = Type.Object({
	credentialsId: Type.String({ description: 'Yours; 1 to 64 letters, digits, dots, hyphens or underscores.' }),
});
const TRANSACTION_QUERY = Type.Object({
	myRef: Type.Optional(Type.String({ description: 'Those with this `MyRef`.' })),
	gatewayReference: Type.Optional(Type.String({ description: 'A payment and everything done about it.' })),
	from: FROM,
	num: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_ITEMS, description: `${DEFAULT_ITEMS} unless given.` })),
});
const TRANSACTION_PATH = Type.Object({ transactionId: Type.String({ description: 'Last part of `Location`.' }) });

/** Payment gateway operations (spec §2.7, shapes §7, §11). */
export function paymentGatewayRoutes(rooms: HttpRooms): FastifyPluginAsync {
	const { gateway, vault, clock, settings } = rooms;

	/** The gateway that is named, and what it is to be called with. */
	const getGateway = async (
		request: FastifyRequest,
		body: Members,
	): Promise<{ driver: GatewayDriver; credentials: Credentials; credentialsId: string | undefined }> => {
		const { credentialsId } = request.query as Static<typeof CREDENTIALS_QUERY>;
		const named = body.findObject('PaymentGateway');
		if (!credentialsId) {
			if (!named) throw body.problem('PaymentGateway', 'is required unless credentialsId names credentials');
			const driver = getDriver(gateway, named);
			return { driver, credentials: getInlineCredentials(driver, named), credentialsId: undefined };
		}
		const stored = isCredentialsId(credentialsId)
			? await gateway.credentials.find(request.principal.ownerId, credentialsId)
			: undefined;
		const driver = stored && gateway.findDriver(stored.gateway);
		if (!driver) throw new ServiceError('bad-input-data', { field: 'credentialsId', problem: 'no such credentials' });
		if (named?.has('Name') && getDriver(gateway, named) !== driver) {
			throw named.problem('Name', 'the credentials are for another gateway');
		}
		if (named?.findObject('Credentials')?.names.length) {
			throw named.problem('Credentials', 'expected either these or credentialsId, not both');
		}
		return { driver, credentials: stored.credentials, credentialsId };
	};

	return async (app) => {
		app.get(
			PATH,
			{
				schema: {
					summary: 'List payment gateways',
					description: 'With the operations each knows and the credentials it needs.',
					tags: TAGS,
					response: { 200: Type.Array(GATEWAY) },
				},
			},
			async (request, reply) => answer(request, reply, gateway.drivers.map(gatewayDocument), GATEWAY_SHAPE),
		);
		app.post(
			PATH,
			{
				config: { ...CONFIG, isBillable: true },
				errorHandler: refuseBody,
				schema: {
					summary: 'Carry out a gateway operation',
					description:
						'PreAuth and Charge take a `Card` or a `CardToken`; Capture, Refund and Void the `GatewayReference` of the payment. 200 also when the gateway declines. `Location` names the transaction.',
					tags: TAGS,
					querystring: CREDENTIALS_QUERY,
					response: { 200: OPERATION_ANSWER },
				},
			},
			async (request, reply) => {
				const { principal, idempotency } = request;
				const body = Members.of(request.body as RequestBody | undefined, 'PaymentGatewayRequest');
				const operation = readOperation(body);
				const chosen = await getGateway(request, body);
				const { order, card, token } = readOrder(body, operation, chosen.driver, clock.now());
				await refuseNumber(order, (gatewayReference) => isKnown(gatewayReference, request));
				const stored = token && { token, found: await getRecord(vault, principal, token) };
				// Until the outcome is certain the journal answers for the key: a refusal must not stand in its way.
				if (idempotency) idempotency.isProvisional = true;
				const { isReplay, ...transaction } = await gateway.operate({
					caller: principal,
					...chosen,
					...{ order, card, stored, callerKey: idempotency?.key },
				});
				// The first call has paid.
				if (isReplay) await request.charge?.giveBack();
				if (idempotency) idempotency.isProvisional = isOpen(transaction);
				reply.header('location', `${settings.baseUrl}${PATH}/transactions/${transaction.id}`);
				return answer(request, reply, operationDocument(transaction), { root: 'PaymentGatewayResponse' });
			},
		);
		app.get(
			`${PATH}/transactions`,
			{
				config: CONFIG,
				schema: {
					summary: 'List gateway transactions',
					description: "The account's own, oldest first: every operation that was sent, with what is known of it now.",
					tags: TAGS,
					querystring: TRANSACTION_QUERY,
					response: { 200: Type.Array(TRANSACTION) },
				},
			},
			async (request, reply) => {
				const {
					myRef,
					gatewayReference,
					from = 0,
					num = DEFAULT_ITEMS,
				} = request.query as Static<typeof TRANSACTION_QUERY>;
				const named = { myRef: findSearchText(myRef), gatewayReference: findSearchText(gatewayReference) };
				const found = await gateway.list(request.principal.ownerId, { ...named, from, num });
				return answer(request, reply, found.map(transactionDocument), { root: 'Transaction' });
			},
		);
		app.get(
			`${PATH}/transactions/:transactionId`,
			{
				config: CONFIG,
				schema: {
					summary: 'Read a gateway transaction',
					tags: TAGS,
					params: TRANSACTION_PATH,
					response: { 200: TRANSACTION },
				},
			},
			async (request, reply) => {
				const { transactionId } = request.params as Static<typeof TRANSACTION_PATH>;
				const found = isUlid(transactionId) && (await gateway.find(request.principal.ownerId, transactionId));
				if (!found) throw new ServiceError('uri-not-found', { moreInfo: 'no such transaction' });
				return answer(request, reply, transactionDocument(found), { root: 'Transaction' });
			},
		);
		app.put(
			`${PATH}/credentials/:credentialsId`,
			{
				config: CONFIG,
				errorHandler: listFields,
				schema: {
					summary: 'Keep gateway credentials',
					description: 'In the place of any there were. Invalid fields are listed in `errors`.',
					tags: TAGS,
					params: CREDENTIALS_PATH,
					response: { 200: CREDENTIALS },
				},
			},
			async (request, reply) => {
				const { credentialsId: id } = request.params as Static<typeof CREDENTIALS_PATH>;
				const body = Members.of(request.body as RequestBody | undefined, 'PaymentGateway');
				const { driver, credentials } = getCredentialsBody(gateway, id, body);
				const { ownerId: accountId } = request.principal;
				const actor = actorOf(request.principal);
				await gateway.credentials.put({ accountId, id, actor }, driver.name, credentials);
				return answerCredentials(request, reply, id);
			},
		);
		app.get(
			`${PATH}/credentials/:credentialsId`,
			{
				config: CONFIG,
				schema: {
					summary: 'Read gateway credentials',
					description: 'Secrets are masked.',
					tags: TAGS,
					params: CREDENTIALS_PATH,
					response: { 200: CREDENTIALS },
				},
			},
			async (request, reply) =>
				answerCredentials(request, reply, (request.params as Static<typeof CREDENTIALS_PATH>).credentialsId),
		);
		app.delete(
			`${PATH}/credentials/:credentialsId`,
			{
				config: CONFIG,
				schema: { summary: 'Remove gateway credentials', tags: TAGS, params: CREDENTIALS_PATH },
			},
			async (request, reply) => {
				const { credentialsId: id } = request.params as Static<typeof CREDENTIALS_PATH>;
				const { ownerId: accountId } = request.principal;
				const actor = actorOf(request.principal);
				const wasKept = isCredentialsId(id) && (await gateway.credentials.remove({ accountId, id, actor }));
				if (!wasKept) throw noCredentials();
				return reply.send();
			},
		);
	};

	async function answerCredentials(request: FastifyRequest, reply: FastifyReply, id: string) {
		const stored = isCredentialsId(id) && (await gateway.credentials.find(request.principal.ownerId, id));
		if (!stored) throw noCredentials();
		const document = credentialsDocument(id, stored, gateway.findDriver(stored.gateway));
		return answer(request, reply, document, { root: 'GatewayCredentials' });
	}

	async function isKnown(gatewayReference: string, { principal }: FastifyRequest): Promise<boolean> {
		return (await gateway.list(principal.ownerId, { gatewayReference, from: 0, num: 1 })).length > 0;
	}
}

/** A body that cannot be read is bad input data here, not a badly formatted message (spec §7.4). */
function refuseBody(error: FastifyError): never {
	if (!(error instanceof ServiceError) || error.reason !== 'message-malformed') throw error;
	throw new ServiceError('bad-input-data', { ...error.said, cause: error });
}

function noCredentials(): ServiceError {
	return new ServiceError('uri-not-found', { moreInfo: 'no such credentials' });
}
