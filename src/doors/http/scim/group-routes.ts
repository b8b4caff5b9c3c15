import type { FastifyInstance, FastifyRequest } from 'fastify';
import { actorOf } from '../../../people/identity/principal.ts';
import type { Directory } from '../../../people/portal-users/directory/directory.ts';
import type { DirectoryGroup } from '../../../people/portal-users/directory/groups.ts';
import { answer, bodyOf, OPTIONS, PATH, pageAsked, userIdOf } from './exchange.ts';
import { readFilter } from './filter.ts';
import { groupAttributes, groupDocument, PATCHABLE_GROUP, readGroup } from './group.ts';
import { patched } from './patch.ts';
import { ScimError } from './scim-error.ts';

/** What Entra ID asks of a group: whether there is one of this name or id, and whether somebody is in it. */
const FILTERED = ['displayName', 'externalId', 'id', 'members', 'members.value'] as const;

export function addGroups(scope: FastifyInstance, { groups }: Pick<Directory, 'groups'>, root: () => string): void {
	const groupOf = async ({ principal, params }: FastifyRequest) => {
		const id = userIdOf((params as { id: string }).id);
		const group = id === undefined ? undefined : await groups.find(principal.accountId, id);
		if (!group) throw new ScimError(404, 'there is no such group');
		return group;
	};

	scope.get(`${PATH}/Groups`, OPTIONS, async (request, reply) => {
		const { filter } = request.query as { filter?: string };
		const wanted = readFilter(filter, FILTERED, { mayBeSeveral: true });
		const page = pageAsked(request);
		const all = await groups.list(request.principal.accountId);
		const fitting = all.filter((group) => wanted.every(({ attribute, value }) => fits(group, attribute, value)));
		const show = { withMembers: wantsMembers(request) };
		return answer(
			reply,
			page(fitting, (group) => groupDocument(group, root(), show)),
		);
	});
	scope.post(`${PATH}/Groups`, OPTIONS, async (request, reply) => {
		const { principal } = request;
		const group = await groups.add(principal.accountId, readGroup(bodyOf(request)), actorOf(principal));
		const document = groupDocument(group, root(), { withMembers: true });
		return answer(reply.code(201).header('location', document.meta.location), document);
	});
	scope.get(`${PATH}/Groups/:id`, OPTIONS, async (request, reply) =>
		answer(reply, groupDocument(await groupOf(request), root(), { withMembers: wantsMembers(request) })),
	);
	for (const method of ['PUT', 'PATCH'] as const)
		scope.route({
			...OPTIONS,
			method,
			url: `${PATH}/Groups/:id`,
			async handler(request, reply) {
				const body = bodyOf(request);
				const changeOf = (now: DirectoryGroup) =>
					readGroup(method === 'PUT' ? body : patched(groupAttributes(now), body, PATCHABLE_GROUP));
				const changed = await groups.change(await groupOf(request), changeOf, actorOf(request.principal));
				return answer(reply, groupDocument(changed, root(), { withMembers: wantsMembers(request) }));
			},
		});
	scope.delete(`${PATH}/Groups/:id`, OPTIONS, async (request, reply) => {
		await groups.remove(await groupOf(request), actorOf(request.principal));
		return reply.code(204).send();
	});
}

function fits(group: DirectoryGroup, attribute: (typeof FILTERED)[number], value: string): boolean {
	switch (attribute) {
		case 'displayName':
			return group.name.toLowerCase() === value.toLowerCase();
		case 'externalId':
			return group.externalId === value;
		case 'id':
			return String(group.id) === value;
		default:
			return group.members.some((member) => String(member) === value);
	}
}

/** Tells whether the answer shows the members. Directories leave them out where they only look for a group. */
function wantsMembers({ query }: FastifyRequest): boolean {
	const { attributes, excludedattributes } = query as Record<string, string | undefined>;
	const names = (text: string) => text.split(',').map((name) => name.trim().toLowerCase());
	if (attributes !== undefined) return names(attributes).includes('members');
	return !names(excludedattributes ?? '').includes('members');
}
