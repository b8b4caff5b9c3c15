import type {} from '@fastify/swagger';
import type { FastifyPluginAsync } from 'fastify';
import type { HttpRooms } from '../rooms.ts';

/** Session tokens, and the certificate that access tokens are made with (spec §4.1, §5.2, §5.3). */
export function credentialRoutes({ identity }: HttpRooms): FastifyPluginAsync {
	return async (app) => {
		app.post(
			'/api/payments/paycard/tempsession',
			{
				// A replay would hand out a token that has ended.
				config: { isApiKeyOnly: true, isIdempotent: 'refused' },
				schema: {
					summary: 'Create a session token',
					description: 'Plain text, valid for five minutes for any call.',
					tags: ['credentials'],
					response: {
						200: {
							description: 'The session token.',
							content: { 'text/plain': { schema: { type: 'string', pattern: '^ts_' } } },
						},
					},
				},
			},
			async (request, reply) => {
				const { secret } = await identity.sessionTokens.create(request.principal);
				return reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(secret.reveal());
			},
		);
		app.get(
			'/api',
			{
				config: { isPublic: true },
				schema: {
					summary: 'Download the service certificate',
					description: 'The certificate (DER) whose public key access tokens are encrypted with.',
					tags: ['credentials'],
					response: {
						200: {
							description: 'The certificate.',
							content: { 'application/pkix-cert': { schema: { type: 'string', format: 'binary' } } },
						},
					},
				},
			},
			async (_, reply) => {
				const { certificate } = await identity.certificates.current();
				return reply
					.header('content-disposition', 'attachment; filename="service.cer"')
					.type('application/pkix-cert')
					.send(certificate);
			},
		);
	};
}
