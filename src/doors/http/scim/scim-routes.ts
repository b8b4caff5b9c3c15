// Adds SCIM 2.0 for the people of an account and their groups (RFC 7643 and 7644). These routes are no calls of the interface: their
// bodies, errors and credentials are those that directories know. The bearer token is an API key with `ManagePeople`.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../base/log/log.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Portal } from '../../../people/portal-users/portal.ts';
import type { LoginLimiter } from '../access/login-limiter.ts';
import { named } from '../calls/named-plugin.ts';
import { addRawBodies } from '../input/parsers.ts';
import { logFailure, toServiceError } from '../server/failures.ts';
import type { HttpSettings } from '../settings.ts';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts';
import { answer, listed, OPTIONS, PATH } from './exchange.ts';
import { addGroups } from './group-routes.ts';
import { addPeople } from './people-routes.ts';
import { errorDocument, ScimError, toScimError } from './scim-error.ts';

const BEARER = /^Bearer +(\S+)$/i;

interface ScimParts {
	readonly portal?: Pick<Portal, 'directory'>;
	readonly identity: Pick<Identity, 'authenticate'>;
	readonly loginLimiter: LoginLimiter;
	readonly logger: Logger;
	readonly settings: Pick<HttpSettings, 'baseUrl'>;
}

/** Adds the routes, if the installation has a portal. */
export async function addScim(app: FastifyInstance, { portal, ...parts }: ScimParts): Promise<void> {
	if (!portal) return;
	const { directory } = portal;
	const root = () => `${parts.settings.baseUrl}${PATH}`;
	await app.register(
		named('scim', async (scope: FastifyInstance) => {
			addRawBodies(scope);
			scope.addHook('onRequest', (request, reply) => admit(request, reply, parts));
			scope.setErrorHandler((error: Error, request, reply) => fail(error, request, reply, parts.logger));
			addDiscovery(scope, root);
			addPeople(scope, directory, root);
			addGroups(scope, directory, root);
		}),
	);
}

function addDiscovery(scope: FastifyInstance, root: () => string): void {
	const one = (path: string, document: () => object | undefined) =>
		scope.get(`${PATH}/${path}`, OPTIONS, async (_, reply) => {
			const found = document();
			if (!found) throw new ScimError(404, 'there is no such document');
			return answer(reply, found);
		});
	one('ServiceProviderConfig', () => serviceProviderConfig(root()));
	for (const [path, documents] of [
		['ResourceTypes', resourceTypes],
		['Schemas', schemas],
	] as const) {
		one(path, () => listed(documents(root()), 1, documents(root()).length));
		scope.get<{ Params: { id: string } }>(`${PATH}/${path}/:id`, OPTIONS, async ({ params }, reply) => {
			const found = documents(root()).find(({ id }) => id === params.id);
			if (!found) throw new ScimError(404, 'there is no such document');
			return answer(reply, found);
		});
	}
}

/** Lets a request in that has an API key with `ManagePeople`. @throws ScimError for any other */
async function admit(
	request: FastifyRequest,
	reply: FastifyReply,
	{ identity, loginLimiter }: Pick<ScimParts, 'identity' | 'loginLimiter'>,
): Promise<void> {
	const [, secret = ''] = BEARER.exec(request.headers.authorization ?? '') ?? [];
	const principal = await identity.authenticate({ kind: 'api-key', secret }, request.ip);
	if (!principal) {
		const isLimited = loginLimiter.noteFailure(request.ip, secret === '' ? undefined : { kind: 'api-key', secret });
		if (isLimited) {
			reply.header('retry-after', String(loginLimiter.retryAfterSeconds));
			throw new ScimError(429, 'too many requests without a valid key');
		}
		reply.header('www-authenticate', 'Bearer');
		throw new ScimError(401, 'expected Authorization: Bearer and an API key');
	}
	request.principal = { ...principal, requestId: request.id };
	if (!principal.permissions.has('ManagePeople')) throw new ScimError(403, 'Permission ManagePeople is required');
}

function fail(error: Error, request: FastifyRequest, reply: FastifyReply, logger: Logger) {
	if (error instanceof ScimError) return answer(reply.code(error.status), errorDocument(error));
	const failure = toServiceError(error, request.routeOptions.bodyLimit);
	logFailure(logger, request, { failure, error });
	const scim = toScimError(failure);
	return answer(reply.code(scim.status), errorDocument(scim));
}
