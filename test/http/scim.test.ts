// SCIM 2.0 for the people of an account, as directories such as Entra ID and Okta speak it.

import test from 'ava';
import { databases } from '../helpers/database.ts';
import { bestTurn, MAX_TURN_MS } from '../helpers/longest-turn.ts';
import { ERROR, GROUPS, type Json, open, PATCH, USER, USERS } from '../helpers/scim-directory.ts';
import { withoutIds } from '../helpers/stands-alone.ts';

for (const dialect of databases) {
	test(`${dialect}: a directory creates, finds, changes and removes a person`, async (t) => {
		const { parts, call } = await open(t, dialect);
		const name = { givenName: 'Anna', familyName: 'Berg', formatted: 'Anna Berg' };
		const emails = [{ value: 'anna@agency.example', type: 'work', primary: true }];
		const made = await call('POST', USERS, {
			schemas: [USER, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
			...{ userName: 'Anna@agency.example', externalId: 'e-1', active: true, displayName: 'Anna B.', name, emails },
			roles: [{ value: 'clerk', primary: true }],
			'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Sales' },
		});
		t.is(made.status, 201);
		const { id } = made.json as { id: string };
		const location = `https://vault.example${USERS}/${id}`;
		t.is(made.headers.location, location);
		const { meta, ...person } = made.json;
		t.deepEqual(person, {
			schemas: [USER],
			id,
			externalId: 'e-1',
			userName: 'anna@agency.example',
			displayName: 'Anna B.',
			name,
			emails,
			active: true,
			roles: [{ value: 'clerk', primary: true }],
		});
		t.like(meta, { resourceType: 'User', location });
		const user = (await parts.portal.users.findByName('agency~anna@agency.example'))!;
		t.is(user.role, 'clerk');
		t.false(user.hasPassword);

		t.deepEqual((await call('GET', `${USERS}/${id}`)).json, made.json);
		for (const filter of [
			'userName eq "ANNA@agency.example"',
			`username EQ "anna@agency.example"`,
			'externalId eq "e-1"',
		]) {
			const { json } = await call('GET', `${USERS}?${new URLSearchParams({ filter })}`);
			t.like(json, { totalResults: 1, startIndex: 1, itemsPerPage: 1, Resources: [{ id }] }, filter);
		}
		for (const filter of ['userName eq "ben"', 'externalId eq "e-2"']) {
			const { json } = await call('GET', `${USERS}?${new URLSearchParams({ filter })}`);
			t.like(json, { totalResults: 0, Resources: [] }, filter);
		}

		const put = await call('PUT', `${USERS}/${id}`, { schemas: [USER], userName: 'anna.berg', roles: ['developer'] });
		t.is(put.status, 200);
		t.like(put.json, { userName: 'anna.berg', active: true, roles: [{ value: 'developer', primary: true }] });
		for (const cleared of ['externalId', 'displayName', 'name', 'emails']) t.false(cleared in put.json, cleared);
		t.is((await parts.portal.users.findByName('agency~anna.berg'))!.id, user.id);

		const gone = await call('DELETE', `${USERS}/${id}`);
		t.is(gone.status, 204);
		t.is((await call('GET', `${USERS}/${id}`)).status, 404);
		t.is((await call('DELETE', `${USERS}/${id}`)).status, 404);
		t.is((await parts.database.knex('portal_directory')).length, 0);
	});
}

test('the people of an account are listed in pages, with those who were invited', async (t) => {
	const { parts, call, add } = await open(t);
	await parts.createCaller('other');
	const account = (await parts.identity.accounts.find('agency'))!;
	await parts.portal.users.add({ name: 'first', of: { accountId: account.id, role: 'manager' } }, 'test');
	for (const name of ['b', 'c', 'd', 'e']) await add({ userName: name, externalId: name });
	const names = async (query: string) => {
		const { json } = await call('GET', `${USERS}?${query}`);
		t.is(json.totalResults, 5);
		return (json.Resources as { userName: string }[]).map(({ userName }) => userName);
	};
	t.deepEqual(await names(''), ['first', 'b', 'c', 'd', 'e']);
	t.deepEqual(await names('startIndex=2&count=2'), ['b', 'c']);
	t.deepEqual(await names('startIndex=5&count=10'), ['e']);
	t.deepEqual(await names('startIndex=-1&count=1'), ['first'], 'a number below 1 counts as 1');
	t.deepEqual(await names('count=0'), []);
	t.deepEqual(await names('startIndex=9'), []);
});

test('PATCH adds, replaces and removes, in the spellings of Entra ID and Okta', async (t) => {
	const { add, patch, call } = await open(t);
	const { id } = await add();
	const now = async () => (await call('GET', `${USERS}/${id}`)).json;
	const steps: [operations: Json[], expected: Json][] = [
		[[{ op: 'replace', path: 'displayName', value: 'Anna' }], { displayName: 'Anna' }],
		[[{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
		[[{ op: 'Add', path: 'active', value: 'True' }], { active: true }],
		[[{ op: 'replace', value: { active: false } }], { active: false }],
		[[{ op: 'Replace', value: { active: 'true', 'name.givenName': 'A' } }], { active: true, name: { givenName: 'A' } }],
		[[{ op: 'add', path: 'name.familyName', value: 'Berg' }], { name: { givenName: 'A', familyName: 'Berg' } }],
		[[{ op: 'add', path: `${USER}:name.formatted`, value: 'A B' }], { name: { formatted: 'A B' } }],
		[[{ op: 'remove', path: 'name.formatted' }], { name: { givenName: 'A', familyName: 'Berg' } }],
		[
			[{ op: 'Add', path: 'emails[type eq "work"].value', value: 'a@x.example' }],
			{ emails: [{ value: 'a@x.example', type: 'work' }] },
		],
		[
			[{ op: 'Replace', path: 'emails[type eq "work"].value', value: 'b@x.example' }],
			{ emails: [{ value: 'b@x.example', type: 'work' }] },
		],
		[
			[{ op: 'add', path: 'emails', value: [{ value: 'c@x.example', type: 'home' }] }],
			{ emails: [{ value: 'b@x.example' }, { value: 'c@x.example' }] },
		],
		[[{ op: 'remove', path: 'emails[type eq "work"]' }], { emails: [{ value: 'c@x.example', type: 'home' }] }],
		[[{ op: 'replace', path: 'roles', value: [{ value: 'clerk' }] }], { roles: [{ value: 'clerk' }] }],
		[[{ op: 'Add', path: 'roles[primary eq "True"].value', value: 'developer' }], { roles: [{ value: 'developer' }] }],
		[[{ op: 'replace', path: 'USERNAME', value: 'new.name' }], { userName: 'new.name' }],
		[[{ op: 'replace', path: 'externalId', value: 'e-9' }], { externalId: 'e-9' }],
		// What is not kept is passed over.
		[
			[
				{ op: 'replace', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'X' },
				{ op: 'replace', path: 'title', value: 'Dr' },
				{ op: 'replace', path: 'displayName', value: 'Last' },
			],
			{ displayName: 'Last' },
		],
	];
	for (const [operations, expected] of steps) {
		const { status, json } = await patch(id, ...operations);
		t.is(status, 200, JSON.stringify([operations, json]));
		t.like(json, expected as never, JSON.stringify(operations));
		t.deepEqual(await now(), json);
	}
	t.is((await patch(id, { op: 'remove', path: 'externalId' }, { op: 'remove', path: 'emails' })).status, 200);
	t.false('externalId' in (await now()));
	t.false('emails' in (await now()));
});

test('what is wrong is said in a SCIM error, and changes nothing', async (t) => {
	const { call, add, patch, parts } = await open(t);
	const { id } = await add();
	await add({ userName: 'ben', externalId: 'e-2' });
	const before = await parts.database.knex('portal_users');
	const refused: [answer: ReturnType<typeof call>, status: number, scimType?: string][] = [
		[call('POST', USERS, { userName: 'anna@agency.example' }), 409, 'uniqueness'],
		[call('PUT', `${USERS}/${id}`, { userName: 'ben' }), 409, 'uniqueness'],
		[call('POST', USERS, {}), 400, 'invalidValue'],
		[call('POST', USERS, { userName: 'no blanks please' }), 400, 'invalidValue'],
		[call('POST', USERS, { userName: '4111111111111111' }), 400, 'invalidValue'],
		[call('POST', USERS, { userName: 'x', displayName: '4111 1111 1111 1111' }), 400, 'invalidValue'],
		[call('POST', USERS, { userName: 'x', externalId: '4111111111111111' }), 400, 'invalidValue'],
		[call('POST', USERS, { userName: 'x', displayName: 'y'.repeat(9_000) }), 400, 'invalidValue'],
		[call('POST', USERS, { userName: 'x', active: 'maybe' }), 400, 'invalidValue'],
		[call('POST', USERS, { userName: 'x', emails: ['x'] }), 400, 'invalidValue'],
		[call('POST', USERS, { userName: 'x', roles: ['king'] }), 400, 'invalidValue'],
		[call('POST', USERS, { userName: 'x', roles: ['operator'] }), 400, 'invalidValue'],
		[call('POST', USERS, '{'), 400, 'invalidSyntax'],
		[call('POST', USERS, '[]'), 400, 'invalidSyntax'],
		[call('POST', USERS), 400, 'invalidSyntax'],
		[call('GET', `${USERS}?filter=${encodeURIComponent('userName sw "a"')}`), 400, 'invalidFilter'],
		[call('GET', `${USERS}?filter=x`), 400, 'invalidFilter'],
		[call('GET', `${USERS}?count=many`), 400, 'invalidValue'],
		[call('GET', `${USERS}/999`), 404],
		[call('GET', `${USERS}/x`), 404],
		[call('PATCH', `${USERS}/${id}`, { Operations: [] }), 400, 'invalidSyntax'],
		[patch(id, { op: 'move', path: 'active' }), 400, 'invalidSyntax'],
		[patch(id, { op: 'remove' }), 400, 'invalidPath'],
		[patch(id, { op: 'replace', path: '[]', value: 1 }), 400, 'invalidPath'],
		[patch(id, { op: 'replace', path: 'emails[color eq "red"].value', value: 1 }), 400, 'invalidPath'],
		[patch(id, { op: 'replace', value: 'x' }), 400, 'invalidValue'],
		[patch(id, { op: 'replace', path: 'active', value: 7 }), 400, 'invalidValue'],
		[patch(id, { op: 'add', path: 'emails', value: [null, 7] }, { op: 'replace', path: 'active', value: 7 }), 400],
		[patch(id, { op: 'remove', path: 'userName' }), 400, 'mutability'],
		[patch(id, { op: 'replace', path: 7, value: 7 }), 400, 'invalidPath'],
		[patch(id, { op: { toString: 1 }, path: 'active' }), 400, 'invalidSyntax'],
		[call('POST', USERS, { userName: 'x', externalId: 'a\0' }), 400, 'invalidValue'],
		[call('POST', USERS, { userName: 'x', externalId: '\ud800' }), 400, 'invalidValue'],
		[call('POST', USERS, { userName: 'x', displayName: 'a\0' }), 400, 'invalidValue'],
		[call('GET', `${USERS}?filter=${encodeURIComponent('externalId eq "\\u0000"')}`), 400, 'invalidFilter'],
		[patch(id, { op: 'add', path: 'name', value: 'Anna' }), 400, 'invalidValue'],
		[patch(id, { op: 'add', path: 'emails[type eq "work"]', value: 'a@x.example' }), 400, 'invalidValue'],
		[call('POST', USERS, '{"userName":"x","userName":"y"}'), 400, 'invalidValue'],
		[call('POST', USERS, `{"userName":"x","name":${'['.repeat(40)}${']'.repeat(40)}}`), 400, 'invalidSyntax'],
		[call('POST', USERS, { userName: 'x', emails: Array(1_001).fill({ value: 'x' }) }), 400, 'invalidValue'],
		[patch(id, ...Array(101).fill({ op: 'replace', path: 'displayName', value: 'x' })), 400, 'invalidSyntax'],
	];
	for (const [answer, status, scimType] of refused) {
		const { status: found, json } = await answer;
		t.is(found, status, JSON.stringify(json));
		t.like(json, { schemas: [ERROR], status: String(status), ...(scimType && { scimType }) });
		t.is(typeof json.detail, 'string');
		t.false(JSON.stringify(json).includes('4111'));
	}
	t.deepEqual(await parts.database.knex('portal_users'), before);
	t.false(withoutIds(parts.logText()).includes('4111'));
});

test('a body of any shape is refused or carried out at once', async (t) => {
	const { call, add, patch } = await open(t);
	const { id } = await add();
	const group = (await call('POST', GROUPS, { displayName: 'x', members: [{ value: id }] })).json.id as string;
	const many = (count: number, pathOf: (at: number) => string) =>
		Object.fromEntries(Array.from({ length: count }, (_, at) => [pathOf(at), 'x']));
	const members = Array.from({ length: 5_000 }, (_, at) => ({ value: String(at) }));
	const operations: [url: string, operations: Json[]][] = [
		[`${USERS}/${id}`, [{ op: 'add', value: many(9_000, (at) => `emails[type eq "${at}"].value`) }]],
		[
			`${GROUPS}/${group}`,
			[{ op: 'add', value: { members, ...many(4_000, (at) => `members[value eq "${at}"].type`) } }],
		],
		[
			`${USERS}/${id}`,
			[
				{ op: 'add', path: 'emails', value: Array(900).fill({ type: 'work' }) },
				{ op: 'replace', path: 'emails[type eq "work"]', value: 'x'.repeat(100_000) },
			],
		],
		[
			`${USERS}/${id}`,
			[
				{ op: 'add', path: 'emails', value: [{ value: Array(400_000).fill(1) }] },
				...Array(90).fill({ op: 'replace', path: 'emails[value eq "x"].type', value: 'work' }),
			],
		],
	];
	for (const [url, Operations] of operations) {
		const body = { schemas: [PATCH], Operations };
		const turn = await bestTurn(async () => t.is((await call('PATCH', url, body)).status, 400));
		t.true(turn < 4 * MAX_TURN_MS, `${turn} ms`);
	}
	t.is((await patch(id, { op: 'replace', path: 'displayName', value: 'Anna' })).status, 200);
});

test('a directory makes no manager, neither of somebody new nor of somebody who is here', async (t) => {
	const { call, add, patch, parts } = await open(t);
	const { id } = await add();
	const roles = [{ value: 'manager' }];
	for (const answer of [
		await call('POST', USERS, { userName: 'boss', roles }),
		await patch(id, { op: 'replace', path: 'roles', value: roles }),
	]) {
		t.is(answer.status, 400);
		t.is(answer.json.scimType, 'mutability');
		t.regex(answer.json.detail as string, /another manager makes one/);
	}
	// A manager stays one while the directory changes something else of them.
	await parts.portal.users.setRole(Number(id), 'manager', 'test');
	t.is((await patch(id, { op: 'replace', path: 'displayName', value: 'A' })).status, 200);
	t.is((await call('GET', `${USERS}/${id}`)).status, 200);
	t.is((await parts.portal.users.findByName('agency~anna@agency.example'))!.role, 'manager');
});

test('sessions of somebody who was deactivated or removed end at once', async (t) => {
	const { parts, patch, call } = await open(t);
	const anna = await parts.signIn('clerk', { account: 'hotel' });
	const key = await parts.identity.apiKeys.create(anna.caller!.account, 'test', new Set(['ManagePeople']));
	const headers = { authorization: `Bearer ${key.secret.reveal()}` };
	const id = String(anna.viewer.user.id);
	const isIn = async () => (await anna.get('/portal/files')).statusCode === 200;
	t.true(await isIn());
	t.is((await patch(id, { op: 'Replace', path: 'active', value: 'False' })).status, 404, 'not by another account');
	t.true(await isIn());
	const body = { schemas: [PATCH], Operations: [{ op: 'Replace', path: 'active', value: 'False' }] };
	t.is((await call('PATCH', `${USERS}/${id}`, body, headers)).status, 200);
	t.false(await isIn());
	const [blocked] = await parts.database.knex('audit').where({ action: 'portal-user.block' });
	t.is(JSON.parse(blocked.details).credential, `api-key ${key.apiKey.id}`);
	body.Operations[0].value = 'True';
	t.is((await call('PATCH', `${USERS}/${id}`, body, headers)).status, 200);
	t.false(await isIn(), 'who comes back signs in again');
});

test('only a key with ManagePeople is let in, which is nobody unless it was granted', async (t) => {
	const { parts, call, agency } = await open(t);
	for (const authorization of ['', 'Bearer', 'Bearer x', `APIKEY ${agency.apiKey}`, `Basic ${agency.apiKey}`]) {
		const { status, json, headers } = await call('GET', USERS, undefined, { authorization });
		t.is(status, 401, authorization);
		t.like(json, { schemas: [ERROR], status: '401' });
		t.is(headers['www-authenticate'], 'Bearer');
	}
	const hotel = (await parts.createCaller('hotel', { permissions: ['Tokenize', 'QueryTokens'] })).apiKey;
	const denied = await call('GET', USERS, undefined, { authorization: `Bearer ${hotel}` });
	t.is(denied.status, 403);
	t.is(denied.json.detail, 'Permission ManagePeople is required');
	const plain = await parts.identity.createAccount({ userId: 'plain' }, 'test');
	const byDefault = await call('GET', USERS, undefined, { authorization: `Bearer ${plain.secret.reveal()}` });
	t.is(byDefault.status, 403, 'a new key does not have it');
	// The key is revoked like every other one.
	const [{ id }] = await parts.identity.apiKeys.list(agency.account);
	await parts.identity.apiKeys.revoke(agency.account, 'test', id);
	t.is((await call('GET', USERS)).status, 401);
});

test('a directory learns what the service can do', async (t) => {
	const { call } = await open(t);
	const config = (await call('GET', '/scim/v2/ServiceProviderConfig')).json;
	t.like(config, { patch: { supported: true }, bulk: { supported: false }, filter: { supported: true } });
	const types = (await call('GET', '/scim/v2/ResourceTypes')).json;
	t.like(types, {
		totalResults: 2,
		Resources: [
			{ id: 'User', endpoint: '/Users', schema: USER },
			{ id: 'Group', endpoint: '/Groups', schema: 'urn:ietf:params:scim:schemas:core:2.0:Group' },
		],
	});
	t.is((await call('GET', '/scim/v2/ResourceTypes/User')).json.name, 'User');
	const [schema] = (await call('GET', '/scim/v2/Schemas')).json.Resources as { attributes: { name: string }[] }[];
	t.deepEqual(
		schema.attributes.map(({ name }) => name),
		['userName', 'externalId', 'active', 'displayName', 'name', 'emails', 'roles', 'groups'],
	);
	t.is((await call('GET', `/scim/v2/Schemas/${USER}`)).json.id, USER);
	t.is((await call('GET', '/scim/v2/Schemas/other')).status, 404);
});
