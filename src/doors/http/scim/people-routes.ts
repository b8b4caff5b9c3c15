import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actorOf } from '../../../people/identity/principal.ts';
import type { Directory } from '../../../people/portal-users/directory/directory.ts';
import { answer, bodyOf, OPTIONS, PATH, pageAsked, userIdOf } from './exchange.ts';
import { readFilter } from './filter.ts';
import { patched } from './patch.ts';
import { attributesOf, documentOf, PATCHABLE_USER, readPerson } from './person.ts';
import { ScimError } from './scim-error.ts';

/** Adds the routes of people. `root` returns the address of the service. */
export function addPeople(scope: FastifyInstance, directory: Directory, root: () => string): void {
	const groupsOf = ({ principal }: FastifyRequest) => directory.groups.list(principal.accountId);
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
		const document = documentOf(person, root(), []);
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
