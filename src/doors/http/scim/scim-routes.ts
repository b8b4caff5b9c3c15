// Adds SCIM 2.0 for the people of an account and their groups (RFC 7643 and 7644). These routes are no calls of the interface: their
// bodies, errors and credentials are those that directories know. The bearer token is an API key with `ManagePeople`.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from '../../../base/log/log.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import { actorOf } from '../../../people/identity/principal.ts';
import type { Directory } from '../../../people/portal-users/directory/directory.ts';
import type { Portal } from '../../../people/portal-users/portal.ts';
import type { LoginLimiter } from '../access/login-limiter.ts';
import { named } from '../calls/named-plugin.ts';
import { addRawBodies } from '../input/parsers.ts';
import { logFailure, toServiceError } from '../server/failures.ts';
import type { HttpSettings } from '../settings.ts';
import { resourceTypes, schemas, serviceProviderConfig } from './discovery.ts';
import { answer, bodyOf, listed, OPTIONS, PATH, pageAsked, userIdOf } from './exchange.ts';
import { readFilter } from './filter.ts';
import { addGroups } from './group-routes.ts';
import { patched } from './patch.ts';
import { attributesOf, documentOf, PATCHABLE_USER, readPerson } from './person.ts';
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
	scope.get(`${PATH}/ServiceProviderConfig`, OPTIONS, async (_, reply) => answer(reply, serviceProviderConfig(root())));
	for (const [path, documents] of [
		['ResourceTypes', resourceTypes],
		['Schemas', schemas],
	] as const) {
		scope.get(`${PATH}/${path}`, OPTIONS, async (_, reply) => {
			const all = documents(root());
			return answer(reply, listed(all, 1, all.length));
		});
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

function addPeople(scope: FastifyInstance, directory: Directory, root: () => string): void {
	const groupsOf = ({ principal }: FastifyRequest) => directory.groups.listByMember(principal.accountId);
	const personOf = async ({ principal, params }: FastifyRequest) => {
		const id = userIdOf((params as { id: string }).id);
		const person = id === undefined ? undefined : await directory.find(principal.accountId, id);
		if (!person) throw new ScimError(404, 'there is no such person');
		return person;
	};

	scope.get(`${PATH}/Users`, OPTIONS, async (request, reply) => {
		const { filter } = request.query as { filter?: string };
		const [asked] = readFilter(filter, ['userName', 'externalId']);
		const page = pageAsked(request);
		const of = asked && (asked.attribute === 'userName' ? { userName: asked.value } : { externalId: asked.value });
		const people = await directory.list(request.principal.accountId, of);
		const groups = await groupsOf(request);
		return answer(
			reply,
			page(people, (person) => documentOf(person, root(), groups)),
		);
	});
	scope.post(`${PATH}/Users`, OPTIONS, async (request, reply) => {
		const { principal } = request;
		const person = await directory.add(principal.accountId, readPerson(bodyOf(request)), actorOf(principal));
		const document = documentOf(person, root());
		return answer(reply.code(201).header('location', document.meta.location), document);
	});
	scope.get(`${PATH}/Users/:id`, OPTIONS, async (request, reply) =>
		answer(reply, documentOf(await personOf(request), root(), await groupsOf(request))),
	);
	for (const method of ['PUT', 'PATCH'] as const)
		scope.route({
			...OPTIONS,
			method,
			url: `${PATH}/Users/:id`,
			async handler(request, reply) {
				const person = await personOf(request);
				const body = bodyOf(request);
				const wanted = readPerson(method === 'PUT' ? body : patched(attributesOf(person), body, PATCHABLE_USER));
				const changed = await directory.change(person, wanted, actorOf(request.principal));
				return answer(reply, documentOf(changed, root(), await groupsOf(request)));
			},
		});
	scope.delete(`${PATH}/Users/:id`, OPTIONS, async (request, reply) => {
		await directory.remove(await personOf(request), actorOf(request.principal));
		return reply.code(204).send();
	});
}
