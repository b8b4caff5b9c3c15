// Adds routes that exist only in tests. They show what the app gives to every route, whatever the route does.

import { constants, publicEncrypt, randomUUID, X509Certificate } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { type Reason, ServiceError } from '../../src/base/errors.ts';
import type { Call } from '../../src/doors/http/calls/call.ts';
import { FieldErrors } from '../../src/doors/http/input/field-errors.ts';
import { Members } from '../../src/doors/http/input/members.ts';
import type { RequestBody } from '../../src/doors/http/input/request-body.ts';
import { answer } from '../../src/doors/http/negotiation/answer.ts';
import { checkSender } from '../../src/doors/http/requests/card-request-order.ts';
import type { Identity } from '../../src/people/identity/identity.ts';

const PROBE = { root: 'Probe', schema: Type.Object({ Name: Type.String(), SenderID: Type.String() }) };

/** Adds the routes. This must happen before the first request, because the app takes none after that. */
export function addProbes(app: FastifyInstance): void {
	const call = { needs: { permission: 'Tokenize', isBillable: true } } as Call;
	app.post('/probe', { config: { call } }, async (request, reply) => {
		const members = Members.of(request.body as RequestBody, PROBE);
		return answer(request, reply, { Name: members.getText('Name'), Nothing: null }, { root: 'Probe' });
	});
	app.get('/probe', async (request, reply) => {
		const { userId, ownerId, method } = request.principal;
		return answer(request, reply, { userId, ownerId, method, nothing: null }, { root: 'Caller' });
	});
	app.get('/probe/list', (request, reply) => answer(request, reply, [{ A: 1 }, { A: 2 }], { root: 'Item' }));
	app.get('/probe/fail/:reason', async (request) => {
		throw new ServiceError((request.params as { reason: Reason }).reason, { moreInfo: 'field: what was expected' });
	});
	app.get('/probe/defect', async () => {
		throw new Error('a secret detail');
	});
	app.get('/probe/fields', async () => {
		throw new FieldErrors({ amount: ['expected a number above 0'], currencyCode: ['is required'] });
	});
	app.post('/probe/sender', async (request, reply) => {
		checkSender(request.principal, Members.of(request.body as RequestBody, PROBE).getText('SenderID'));
		return reply.send();
	});
	const querystring = { type: 'object', properties: { num: { type: 'integer', minimum: 1 }, ref: { type: 'string' } } };
	app.get('/probe/query', { schema: { querystring } }, (request, reply) =>
		answer(request, reply, request.query, { root: 'Query' }),
	);
	app.get('/probe/token/:cardToken(^[0-9A-Fa-f]{32}$)', (_, reply) => reply.send());
}

export interface AccessTokenParts {
	readonly apiKey: string;
	readonly expiration: string;
	readonly guid?: string;
}

/** Makes an access token as a caller does (spec §5.3.3). */
export async function makeAccessToken(identity: Identity, parts: AccessTokenParts): Promise<string> {
	const { apiKey, expiration, guid = randomUUID().replaceAll('-', '') } = parts;
	const { certificate } = await identity.certificates.current();
	const text = Buffer.from(`${apiKey}#${guid}#${expiration}`);
	const key = { key: new X509Certificate(certificate).publicKey, padding: constants.RSA_PKCS1_PADDING };
	return publicEncrypt(key, text).toString('hex').toUpperCase();
}
