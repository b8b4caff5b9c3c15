// Adds the routes to which the pages of forms are submitted. They are not calls of the interface: they need no
// credential and are not in the OpenAPI document, because only a page of ours knows the id that authorises a
// submission.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Forms } from '../../../work/cardholders/forms/forms.ts';
import type { LoginLimiter } from '../access/login-limiter.ts';
import { named } from '../calls/named-plugin.ts';
import { listFields } from '../input/field-problems.ts';
import { addRawBodies } from '../input/parsers.ts';
import type { FormPages } from './form-page.ts';
import { answerSubmission } from './submission.ts';

/**
 * The paths to which forms can be submitted. Forms are opened under two prefixes, so each of these paths exists under
 * both, with the same effect (shapes §11).
 */
const PATHS = ['/api/payments', '/api/payments/paycard'].flatMap((place) => [
	`${place}/capturecard`,
	`${place}/capturecvv`,
]);

/** Adds the routes. Bodies are read as bytes, so that they can be wiped. */
export async function addSubmissions(
	app: FastifyInstance,
	parts: { loginLimiter: LoginLimiter; forms: Forms; pages: FormPages },
): Promise<void> {
	const options = { config: { isPublic: true }, schema: { hide: true }, errorHandler: listFields } as const;
	const submit = (request: FastifyRequest, reply: FastifyReply) => answerSubmission(request, reply, parts);
	await app.register(
		named('form submissions', async (scope: FastifyInstance) => {
			addRawBodies(scope);
			for (const path of PATHS) scope.post(path, options, submit);
		}),
	);
}
