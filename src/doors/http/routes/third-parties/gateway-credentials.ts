import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../../../../base/errors.ts';
import { actorOf } from '../../../../people/identity/principal.ts';
import type { Gateway } from '../../../../work/payments/gateway/gateway.ts';
import { type Call, callsAbout } from '../../calls/call.ts';
import { pathText } from '../../calls/fields.ts';
import { CREDENTIALS, credentialsDocument } from '../../gateway/answer.ts';
import { getCredentialsBody, isCredentialsId } from '../../gateway/credentials.ts';
import { CREDENTIALS_BODY } from '../../gateway/order-schema.ts';

const PATH = '/api/paymentGateway/credentials/:credentialsId';
const define = callsAbout('gateway', { permission: 'Gateway' });
const CREDENTIALS_PATH = Type.Object({
	credentialsId: pathText('Yours; 1 to 64 letters, digits, dots, hyphens or underscores.', 'shop-1'),
});

/** Defines the calls for gateway credentials, which this service stores sealed (shapes §7). */
export function gatewayCredentialCalls({ gateway }: { gateway: Gateway }): Call[] {
	return [
		define('PUT', PATH, {
			summary: 'Keep gateway credentials',
			description: 'In the place of any there were. Invalid fields are listed in `errors`.',
			params: CREDENTIALS_PATH,
			body: CREDENTIALS_BODY,
			bodyErrors: 'listed',
			returns: CREDENTIALS,
			handler: async (request, _reply, readBody) => {
				const { credentialsId: id } = request.params;
				const { driver, credentials } = getCredentialsBody(gateway, id, readBody());
				const { ownerId: accountId } = request.principal;
				const actor = actorOf(request.principal);
				await gateway.credentials.put({ accountId, id, actor }, driver.name, credentials);
				return findKept(request, id);
			},
		}),
		define('GET', PATH, {
			summary: 'Read gateway credentials',
			description: 'Secrets are masked.',
			params: CREDENTIALS_PATH,
			returns: CREDENTIALS,
			failures: ['uri-not-found'],
			handler: (request) => findKept(request, request.params.credentialsId),
		}),
		define('DELETE', PATH, {
			summary: 'Remove gateway credentials',
			params: CREDENTIALS_PATH,
			failures: ['uri-not-found'],
			handler: async (request, reply) => {
				const { credentialsId: id } = request.params;
				const { ownerId: accountId } = request.principal;
				const actor = actorOf(request.principal);
				const wasKept = isCredentialsId(id) && (await gateway.credentials.remove({ accountId, id, actor }));
				if (!wasKept) throw noCredentials();
				return reply.send();
			},
		}),
	];

	async function findKept({ principal }: FastifyRequest, id: string) {
		const stored = isCredentialsId(id) && (await gateway.credentials.find(principal.ownerId, id));
		if (!stored) throw noCredentials();
		return credentialsDocument(id, stored, gateway.findDriver(stored.gateway));
	}
}

function noCredentials(): ServiceError {
	return new ServiceError('uri-not-found', { moreInfo: 'no such credentials' });
}
