// Groups over SCIM 2.0, as Entra ID and Okta send them, and the roles that the rules of a provider give for them.

import test, { type ExecutionContext } from 'ava';
import {
	sealedPortalGroups,
	sealedPortalMemberships,
	sealedPortalUsers,
} from '../../src/people/portal-users/sealed-rows.ts';
import { databases } from '../helpers/database.ts';
import { bestTurn, MAX_TURN_MS } from '../helpers/longest-turn.ts';
import type { OidcServer } from '../helpers/oidc-server.ts';
import { ERROR, GROUP, GROUPS, type Json, open as openScim, PATCH, USERS } from '../helpers/scim-directory.ts';
import { entriesOf, providerFolder, RULES } from '../helpers/sso-parts.ts';
import { withoutIds } from '../helpers/stands-alone.ts';

const OF_AGENCY = 'directory:\n  account: agency\n  claim: sub\n';
const ENTRA_GROUP = 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group';

/** Opens an installation whose provider has rules for the groups `clerks` and `developers` of the account `agency`. */
async function open(t: ExecutionContext, dialect: (typeof databases)[number] = 'sqlite', more = OF_AGENCY + RULES) {
	const works = { issuer: 'https://login.example' } as OidcServer;
	const scim = await openScim(t, dialect, { portal: { providersDir: providerFolder(t, { works }, more) } });
	const { call, parts } = scim;
	const addGroup = async (displayName: string, ...members: string[]) => {
		const group = { schemas: [GROUP], displayName, members: members.map((value) => ({ value, display: 'x' })) };
		const { status, json } = await call('POST', GROUPS, group);
		t.is(status, 201, JSON.stringify(json));
		return json as Json & { id: string };
	};
	const change = async (id: string, ...Operations: Json[]) => {
		const { status, json } = await call('PATCH', `${GROUPS}/${id}`, { schemas: [PATCH], Operations });
		t.is(status, 200, JSON.stringify(json));
		return membersIn(json);
	};
	const membersOf = async (id: string) => membersIn((await call('GET', `${GROUPS}/${id}`)).json);
	const roleOf = async (id: string) => {
		const { roles } = (await call('GET', `${USERS}/${id}`)).json as { roles: { value: string }[] };
		return roles[0].value;
	};
	const people = async (...names: string[]) => {
		const added: string[] = [];
		for (const userName of names) added.push((await scim.add({ userName, externalId: userName })).id);
		return added;
	};
	const find = async (filter: string, more = '') => {
		const { status, json } = await call('GET', `${GROUPS}?${new URLSearchParams({ filter })}${more}`);
		t.is(status, 200, filter);
		return (json.Resources as { id: string }[]).map(({ id }) => id);
	};
	return { ...scim, addGroup, change, membersOf, roleOf, people, find, portal: parts.portal };
}

function membersIn({ members }: Json): string[] {
	return (members as { value: string }[]).map(({ value }) => value);
}

for (const dialect of databases) {
	test(`${dialect}: a group as Entra ID sends it gives its members the role of its rule`, async (t) => {
		const { call, change, roleOf, people, find, parts, membersOf } = await open(t, dialect);
		const [anna, ben] = await people('anna', 'ben');
		t.deepEqual(await find('displayName eq "clerks"', '&excludedAttributes=members'), []);
		const made = await call('POST', GROUPS, {
			schemas: [GROUP, ENTRA_GROUP],
			externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
			displayName: 'clerks',
			meta: { resourceType: 'Group' },
		});
		t.is(made.status, 201);
		const { id } = made.json as { id: string };
		const location = `https://vault.example${GROUPS}/${id}`;
		t.is(made.headers.location, location);
		t.deepEqual(made.json, {
			schemas: [GROUP],
			id,
			externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
			displayName: 'clerks',
			members: [],
			meta: { resourceType: 'Group', location },
		});
		t.deepEqual(await find('displayName eq "Clerks"', '&excludedAttributes=members'), [id]);
		t.deepEqual(await find('externalId eq "8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159"'), [id]);
		const plain = (await call('GET', `${GROUPS}/${id}?excludedAttributes=members`)).json;
		t.false('members' in plain);

		t.deepEqual(await change(id, { op: 'Add', path: 'members', value: [{ $ref: null, value: anna }] }), [anna]);
		t.deepEqual(await change(id, { op: 'Add', path: 'members', value: [{ $ref: null, value: ben }] }), [anna, ben]);
		t.deepEqual([await roleOf(anna), await roleOf(ben)], ['clerk', 'clerk']);
		t.like((await call('GET', `${USERS}/${anna}`)).json, { groups: [{ value: id, display: 'clerks' }] });
		t.deepEqual(await find(`id eq "${id}" and members eq "${anna}"`), [id]);
		t.deepEqual(await find(`id eq "${id}" and members eq "999"`), []);

		// Both forms in which Entra ID removes a member.
		t.deepEqual(await change(id, { op: 'Remove', path: 'members', value: [{ $ref: null, value: ben }] }), [anna]);
		t.deepEqual([await roleOf(anna), await roleOf(ben)], ['clerk', 'viewer']);
		t.deepEqual(await change(id, { op: 'remove', path: `members[value eq "${anna}"]` }), []);
		t.is(await roleOf(anna), 'viewer');
		t.deepEqual(await change(id, { op: 'Replace', path: 'displayName', value: 'others' }), []);

		const gone = await call('DELETE', `${GROUPS}/${id}`);
		t.is(gone.status, 204);
		t.is((await call('GET', `${GROUPS}/${id}`)).status, 404);
		t.is((await call('DELETE', `${GROUPS}/${id}`)).status, 404);
		t.deepEqual(await membersOf((await call('POST', GROUPS, { displayName: 'others' })).json.id as string), []);
		const [role] = await entriesOf(parts, 'portal-user.role');
		t.like(role.details, { account: 'agency', before: 'viewer', role: 'clerk', by: 'group' });
		t.regex(String(role.credential), /^api-key /);
		const [joined] = await entriesOf(parts, 'portal-user.groups');
		t.like(joined, { subject: `portal-user ${anna}`, details: { joined: [Number(id)], left: [] } });
	});

	test(`${dialect}: a group as Okta pushes it gives its members the role of its rule`, async (t) => {
		const { call, addGroup, change, roleOf, people, membersOf } = await open(t, dialect);
		const [anna, ben, cleo] = await people('anna', 'ben', 'cleo');
		const { id } = await addGroup('developers', anna, ben);
		t.deepEqual([await roleOf(anna), await roleOf(ben), await roleOf(cleo)], ['developer', 'developer', 'viewer']);
		const listed = (await call('GET', `${GROUPS}?startIndex=1&count=100`)).json;
		t.like(listed, { totalResults: 1, startIndex: 1, itemsPerPage: 1, Resources: [{ id, displayName: 'developers' }] });
		t.deepEqual(
			await change(
				id,
				{ op: 'remove', path: `members[value eq "${ben}"]` },
				{ op: 'add', path: 'members', value: [{ value: cleo, display: 'cleo' }] },
			),
			[anna, cleo],
		);
		t.deepEqual([await roleOf(ben), await roleOf(cleo)], ['viewer', 'developer']);
		t.deepEqual(await change(id, { op: 'replace', path: 'members', value: [{ value: ben }] }), [ben]);
		t.deepEqual([await roleOf(anna), await roleOf(ben), await roleOf(cleo)], ['viewer', 'developer', 'viewer']);
		// Okta renames a group with its id in the value. Another name is another rule.
		t.deepEqual(await change(id, { op: 'replace', value: { id, displayName: 'clerks' } }), [ben]);
		t.is(await roleOf(ben), 'clerk');
		const put = await call('PUT', `${GROUPS}/${id}`, {
			schemas: [GROUP],
			id,
			displayName: 'clerks',
			members: [{ value: anna }, { value: ben }],
		});
		t.is(put.status, 200);
		t.deepEqual(await membersOf(id), [anna, ben]);
		t.is((await call('DELETE', `${GROUPS}/${id}`)).status, 204);
		t.deepEqual([await roleOf(anna), await roleOf(ben)], ['viewer', 'viewer']);
	});
}

test('the first rule that fits decides, and a group for which there is none gives nothing', async (t) => {
	const { addGroup, change, roleOf, people, call } = await open(t);
	const [anna] = await people('anna');
	const { id: developers } = await addGroup('developers', anna);
	const { id: clerks } = await addGroup('clerks', anna);
	const { id: others } = await addGroup('managers', anna);
	t.is(await roleOf(anna), 'clerk', 'the rule of the clerks stands first');
	t.like((await call('GET', `${USERS}/${anna}`)).json, {
		groups: [{ value: developers }, { value: clerks }, { value: others }],
	});
	await change(clerks, { op: 'remove', path: 'members' });
	t.is(await roleOf(anna), 'developer');
	await call('DELETE', `${GROUPS}/${developers}`);
	t.is(await roleOf(anna), 'viewer');
	// A rule may also name what the directory itself calls a group.
	await change(others, { op: 'replace', path: 'externalId', value: 'clerks' });
	t.is(await roleOf(anna), 'clerk');
});

test('rules of a provider that does not name this directory give nothing', async (t) => {
	for (const more of [
		RULES,
		OF_AGENCY.replace('agency', 'hotel') + RULES,
		OF_AGENCY + RULES.replaceAll('agency', 'hotel'),
	]) {
		const { addGroup, roleOf, people } = await open(t, 'sqlite', more);
		const [anna] = await people('anna');
		await addGroup('clerks', anna);
		t.is(await roleOf(anna), 'viewer', more);
	}
});

test('a role that people or the directory have said themselves stays, and that of a manager always', async (t) => {
	const { addGroup, change, roleOf, people, portal, patch } = await open(t);
	const [anna, ben, cleo, dora] = await people('anna', 'ben', 'cleo', 'dora');
	await portal.users.setRole(Number(anna), 'manager', 'test');
	await portal.users.setRole(Number(ben), 'developer', 'test');
	await patch(cleo, { op: 'replace', path: 'roles', value: [{ value: 'developer' }] });
	const { id } = await addGroup('clerks', anna, ben, cleo, dora);
	t.deepEqual(await Promise.all([anna, ben, cleo, dora].map(roleOf)), ['manager', 'developer', 'developer', 'clerk']);
	await portal.users.setRole(Number(dora), 'developer', 'test');
	await change(id, { op: 'remove', path: 'members' });
	t.deepEqual(
		await Promise.all([anna, ben, cleo, dora].map(roleOf)),
		Array.from(['manager', ...Array(3).fill('developer')]),
	);
});

test('what is wrong in a group is said in a SCIM error, and changes nothing', async (t) => {
	const { call, addGroup, people, parts } = await open(t);
	const [anna] = await people('anna');
	const { id } = await addGroup('clerks', anna);
	await addGroup('others');
	const { account: hotel } = await parts.createCaller('hotel');
	const elsewhere = await parts.portal.directory.add(hotel.id, { userName: 'eve' }, 'test');
	const stranger = String(elsewhere.user.id);
	const tables = async () => [
		await parts.database.knex('portal_groups'),
		await parts.database.knex('portal_memberships'),
		await parts.database.knex('portal_users'),
	];
	const before = await tables();
	const patch = (...Operations: Json[]) => call('PATCH', `${GROUPS}/${id}`, { schemas: [PATCH], Operations });
	const refused: [answer: ReturnType<typeof call>, status: number, scimType?: string][] = [
		[call('POST', GROUPS, { displayName: 'clerks' }), 409, 'uniqueness'],
		[patch({ op: 'replace', path: 'displayName', value: 'others' }), 409, 'uniqueness'],
		[call('POST', GROUPS, {}), 400, 'invalidValue'],
		[call('POST', GROUPS, { displayName: '4111 1111 1111 1111' }), 400, 'invalidValue'],
		[call('POST', GROUPS, { displayName: 'x', externalId: '4111111111111111' }), 400, 'invalidValue'],
		[call('POST', GROUPS, { displayName: 'x'.repeat(256) }), 400, 'invalidValue'],
		[call('POST', GROUPS, { displayName: 'x', members: [{ value: '999' }] }), 400, 'invalidValue'],
		[call('POST', GROUPS, { displayName: 'x', members: [{ value: stranger }] }), 400, 'invalidValue'],
		[call('POST', GROUPS, { displayName: 'x', members: [{ value: anna, type: 'Group' }] }), 400, 'invalidValue'],
		[call('POST', GROUPS, { displayName: 'x', members: ['x'] }), 400, 'invalidValue'],
		[
			call('POST', GROUPS, { displayName: 'x', members: [{ value: anna, type: { toString: 1 } }] }),
			400,
			'invalidValue',
		],
		[call('POST', GROUPS, { displayName: 'a\0' }), 400, 'invalidValue'],
		[call('POST', GROUPS, { displayName: '\ud800' }), 400, 'invalidValue'],
		[call('POST', GROUPS, { displayName: 'x', externalId: 'a\0' }), 400, 'invalidValue'],
		[call('POST', GROUPS, { displayName: 'x', members: Array(1_001).fill({ value: anna }) }), 400, 'invalidValue'],
		[patch({ op: 'replace', value: { members: Array(1_001).fill({ value: anna }) } }), 400, 'invalidValue'],
		[call('POST', GROUPS, '['), 400, 'invalidSyntax'],
		[call('GET', `${GROUPS}?filter=${encodeURIComponent('displayName sw "a"')}`), 400, 'invalidFilter'],
		[call('GET', `${GROUPS}?filter=${encodeURIComponent('displayName eq "a" or id eq "1"')}`), 400, 'invalidFilter'],
		[patch({ op: 'remove', path: 'displayName' }), 400, 'mutability'],
		[patch({ op: 'add', path: 'members', value: [{ value: anna }, { value: stranger }] }), 400, 'invalidValue'],
		// A PATCH is carried out as a whole or not at all.
		[patch({ op: 'remove', path: 'members' }, { op: 'add', path: 'members', value: [{ value: '999' }] }), 400],
		[call('GET', `${GROUPS}/999`), 404],
		[call('GET', `${GROUPS}/x`), 404],
	];
	for (const [answer, status, scimType] of refused) {
		const { status: found, json } = await answer;
		t.is(found, status, JSON.stringify(json));
		t.like(json, { schemas: [ERROR], status: String(status), ...(scimType && { scimType }) });
		t.false(JSON.stringify(json).includes('4111'));
	}
	t.deepEqual(await tables(), before);
	t.false(withoutIds(parts.logText()).includes('4111'));
	// The groups of one account are none of another's.
	const key = await parts.identity.apiKeys.create(hotel, 'test', new Set(['ManagePeople']));
	const headers = { authorization: `Bearer ${key.secret.reveal()}` };
	t.is((await call('GET', `${GROUPS}/${id}`, undefined, headers)).status, 404);
	t.is((await call('GET', GROUPS, undefined, headers)).json.totalResults, 0);
});

test('who is removed is in no group any more, and groups that somebody altered count for nothing', async (t) => {
	const { call, addGroup, people, roleOf, membersOf, change, parts } = await open(t);
	const [anna, ben] = await people('anna', 'ben');
	const { id } = await addGroup('clerks', anna, ben);
	await call('DELETE', `${USERS}/${anna}`);
	t.deepEqual(await membersOf(id), [ben]);
	const { id: others } = await addGroup('others', ben);
	const { knex } = parts.database;
	await knex('portal_groups').where({ id: others }).update({ name: 'developers' });
	t.is((await call('GET', `${GROUPS}/${others}`)).status, 404);
	await knex('portal_memberships').update({ group_ids: JSON.stringify([Number(id), 77]) });
	t.deepEqual(await membersOf(id), []);
	t.deepEqual(await change(id, { op: 'add', path: 'members', value: [{ value: ben }] }), [ben]);
	t.is(await roleOf(ben), 'clerk');
});

test('groups that change at the same moment leave the role that follows from all of them', async (t) => {
	for (const dialect of databases) {
		const { addGroup, people, roleOf, change } = await open(t, dialect);
		const [anna] = await people('anna');
		const { id: clerks } = await addGroup('clerks');
		const { id: developers } = await addGroup('developers');
		const join = { op: 'add', path: 'members', value: [{ value: anna }] };
		await Promise.all([change(clerks, join), change(developers, join)]);
		t.is(await roleOf(anna), 'clerk');
		await Promise.all([change(clerks, { op: 'remove', path: 'members' }), change(developers, join)]);
		t.is(await roleOf(anna), 'developer');
	}
});

test('many people in many groups are listed at once', async (t) => {
	const { call, parts, people } = await open(t);
	const [anna] = await people('anna');
	const { database, keyRing } = parts;
	await keyRing.seals.transact(database, async (transaction, sealer) => {
		const { id: userId, ...user } = await transaction('portal_users').where({ id: anna }).first();
		const { account_id } = user;
		const groupIds: number[] = [];
		for (let at = 0; at < 400; at++) {
			const row = { account_id, name: `group ${at}`, external_id: null, created_at: 1 };
			const [group] = await transaction('portal_groups').insert(row).returning('*');
			await transaction('portal_groups').where({ id: group.id }).update(sealer.seal(sealedPortalGroups, group));
			groupIds.push(group.id);
		}
		for (let at = 0; at < 400; at++) {
			const [added] = await transaction('portal_users')
				.insert({ ...user, name: `agency~${at}` })
				.returning('*');
			await transaction('portal_users').where({ id: added.id }).update(sealer.seal(sealedPortalUsers, added));
			const said = { group_ids: JSON.stringify(groupIds), given_role: 'viewer', created_at: 1 } as const;
			const row = { user_id: added.id, account_id, ...said };
			await transaction('portal_memberships').insert(await sealer.renew(transaction, sealedPortalMemberships, row));
		}
		t.is(String(userId), anna);
	});
	for (const url of [`${USERS}/${anna}`, `${GROUPS}?excludedAttributes=members`, `${GROUPS}/1`]) {
		const turn = await bestTurn(async () => t.is((await call('GET', url)).status, 200));
		t.true(turn < 4 * MAX_TURN_MS, `${url}: ${turn} ms`);
	}
});
