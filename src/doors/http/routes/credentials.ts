import type { Identity } from '../../../people/identity/identity.ts';
import { type Call, defineCall } from '../calls/call.ts';
import { BYTES } from '../calls/content.ts';

const SESSION_TOKEN = { type: 'string', pattern: '^ts_' };
const EXAMPLE = 'ts_4JQ1vJb6mJz0c4bHkzQ2h1n8yq0iQwY7Zk3rQm9s5Xc';

/** Defines the calls for session tokens and for the certificate of access tokens (spec §4.1, §5.2, §5.3). */
export function credentialCalls({ identity }: { identity: Identity }): Call[] {
	return [
		defineCall('POST', '/api/payments/paycard/tempsession', {
			summary: 'Create a session token',
			description: 'Plain text, valid for five minutes for any call.',
			tag: 'credentials',
			needs: { credential: 'api-key' },
			// Idempotency keys are refused: a repeated call would be answered with the first session token, which may
			// have ended by then.
			isIdempotent: 'refused',
			answers: {
				200: {
					description: 'The session token.',
					content: { 'text/plain': { schema: SESSION_TOKEN, example: EXAMPLE } },
				},
			},
			handler: async (request, reply) => {
				const { secret } = await identity.sessionTokens.create(request.principal);
				return reply.header('cache-control', 'no-store').type('text/plain; charset=utf-8').send(secret.reveal());
			},
		}),
		defineCall('GET', '/api', {
			summary: 'Download the service certificate',
			description: 'The certificate (DER) whose public key access tokens are encrypted with.',
			tag: 'credentials',
			needs: { credential: 'none' },
			answers: {
				200: { description: 'The certificate.', content: { 'application/pkix-cert': { schema: BYTES } } },
			},
			failures: ['row-altered', 'database-unavailable', 'key-store-unavailable'],
			handler: async (_request, reply) => {
				const { certificate } = await identity.certificates.current();
				return reply
					.header('content-disposition', 'attachment; filename="service.cer"')
					.type('application/pkix-cert')
					.send(certificate);
			},
		}),
	];
}
