// People come in by an OpenID provider: who is let in as whom, with which role, and for how long.

import test from 'ava';
import { Secret, TOTP } from 'otpauth';
import { DeclarationError } from '../../src/base/settings/declared-file.ts';
import { readProviders } from '../../src/people/portal-users/sso/declared-provider.ts';
import { type OidcServer, startOidcServer } from '../helpers/oidc-server.ts';
import type { PortalApp } from '../helpers/portal-app.ts';
import { ANNA, entriesOf, openSso, providerFolder, RULES, traveller } from '../helpers/sso-parts.ts';

const MINUTE_MS = 60_000;
const CLIENT = { address: '192.0.2.7', agent: 'test' };
let works: OidcServer;

test.before(async () => {
	works = await startOidcServer('https://vault.example/portal/sso/works');
});
test.after.always(() => works.close());

/** Invites Anna, who joins by the provider, and returns her browser. */
async function joined(parts: PortalApp, person = ANNA, role = 'clerk') {
	const account = (await parts.identity.accounts.find('agency'))!;
	const user = await parts.portal.users.add({ name: 'anna', of: { accountId: account.id, role } }, 'test');
	const { url } = await parts.portal.links.make(user.id, 'test');
	const path = new URL(url.reveal()).pathname;
	const anna = traveller(parts);
	const answer = await anna.come(works, person, `${path}/by/works`);
	return { user, anna, path, answer };
}

const cookieOf = (who: { cookies: Map<string, string> }) => who.cookies.get('__Host-tokendrop');

test.serial('somebody who was invited joins by a provider, and comes in by it from then on', async (t) => {
	const parts = await openSso(t, { works });
	const { user, anna, path, answer } = await joined(parts);
	t.is(answer.statusCode, 303);
	t.is(answer.headers.location, '/portal');
	t.is((await anna.get('/portal/cards')).statusCode, 200);
	t.is((await traveller(parts).get(path)).statusCode, 404, 'the link is used up');
	const [linked] = await entriesOf(parts, 'portal-user.provider');
	t.deepEqual(linked, {
		subject: `portal-user ${user.id}`,
		credential: `portal-user ${user.id}`,
		details: { provider: 'works', issuer: works.issuer, subject: 'anna-1' },
	});

	const again = traveller(parts);
	const back = await again.come(works, ANNA, '/portal/sso/works/start?next=/portal/files');
	t.is(back.headers.location, '/portal/files');
	t.is((await again.get('/portal/files')).statusCode, 200);
	const logins = await entriesOf(parts, 'portal.login');
	t.deepEqual(logins.at(-1)!.details, { way: 'provider', secondFactor: false, provider: 'works' });
	const me = (await again.get('/portal/me')).body;
	t.notRegex(me, /Change your password|name="present"/, 'there is no password to change');
	t.regex(me, /<td[^>]*>Provider<\/td>/);
});

test.serial('the sign-in page and the page of an invitation offer each provider', async (t) => {
	const parts = await openSso(t, { works });
	const { id: accountId } = (await parts.identity.accounts.find('agency'))!;
	const user = await parts.portal.users.add({ name: 'anna', of: { accountId, role: 'clerk' } }, 'test');
	const path = new URL((await parts.portal.links.make(user.id, 'test')).url.reveal()).pathname;
	const strange = traveller(parts);
	const login = (await strange.get('/portal/login?next=/portal/files')).body;
	t.regex(login, /href="\/portal\/sso\/works\/start\?next=%2Fportal%2Ffiles"[^>]*>Sign in with The works/);
	t.true((await strange.get(path)).body.includes(`href="${path}/by/works"`));
	t.is((await strange.get('/portal/sso/elsewhere/start')).statusCode, 404);
});

test.serial(
	'whoever the provider knows but nobody here is told so, also with the name or address of a user',
	async (t) => {
		const parts = await openSso(t, { works });
		const account = (await parts.identity.accounts.find('agency'))!;
		await parts.portal.users.add({ name: 'anna@works.example', of: { accountId: account.id, role: 'clerk' } }, 'test');
		const anna = traveller(parts);
		const answer = await anna.come(works, ANNA);
		t.is(answer.statusCode, 403);
		t.regex(answer.body, /The works knows you, but you have no access here yet/);
		t.is(cookieOf(anna), undefined);
		t.is((await parts.database.knex('portal_identities')).length, 0);
	},
);

test.serial('a rule creates people of a group, and their role follows the groups', async (t) => {
	const parts = await openSso(t, { works }, RULES);
	const anna = traveller(parts);
	t.is((await anna.come(works, { ...ANNA, groups: ['berlin'] })).statusCode, 403, 'no group of hers has a rule');
	t.is((await anna.come(works, ANNA)).statusCode, 303);
	const find = async () => (await parts.portal.users.findByName('agency~anna@works.example'))!;
	t.is((await find()).role, 'clerk');
	const [added] = await entriesOf(parts, 'portal-user.add');
	t.is(added.details.role, 'clerk');

	t.is((await anna.come(works, { ...ANNA, groups: ['developers'] })).statusCode, 303);
	t.is((await find()).role, 'developer');
	t.is((await anna.get('/portal/access')).statusCode, 200);
	t.deepEqual((await entriesOf(parts, 'portal-user.role')).at(-1)!.details, {
		before: 'clerk',
		role: 'developer',
		account: 'agency',
	});
	// What a manager has decided since then stays.
	await parts.portal.users.setRole((await find()).id, 'viewer', 'test');
	await anna.come(works, ANNA);
	t.is((await find()).role, 'viewer');
	// Who is in no group any more is out.
	const refused = await anna.come(works, { ...ANNA, groups: [] });
	t.is(refused.statusCode, 401);
	t.regex(refused.body, /This did not let you in/);
});

test.serial('no rule takes over a user of the name that the provider says', async (t) => {
	const parts = await openSso(t, { works }, RULES);
	const account = (await parts.identity.accounts.find('agency'))!;
	const name = 'agency~anna@works.example';
	const user = await parts.portal.users.add({ name, of: { accountId: account.id, role: 'viewer' } }, 'test');
	t.is((await traveller(parts).come(works, ANNA)).statusCode, 403);
	t.is((await parts.portal.users.findByName(name))!.id, user.id);
	t.is((await parts.database.knex('portal_identities')).length, 0);
});

test('a group alone never makes a manager, and what is wrong with a file is said with its line', (t) => {
	const folder = (more: string, environment: 'sandbox' | 'production' = 'sandbox') => {
		const error = t.throws(() => readProviders(providerFolder(t, { works }, more), environment), {
			instanceOf: DeclarationError,
		});
		return error!.message;
	};
	const rule = 'rules:\n  - group: bosses\n    account: agency\n    role: manager\n';
	t.regex(folder(rule), /works\.yaml:11: rules\.0\.role: expected viewer, clerk, developer: a manager gets at card/);
	t.regex(folder(rule.replace('manager', 'operator')), /works\.yaml:11: rules\.0\.role/);
	t.regex(folder('nonsense: 1\n'), /works\.yaml:1: .*nonsense/);
	t.regex(folder('', 'production'), /works\.yaml:3: issuer: expected https in production/);
});

test.serial('a second factor of the provider counts; without one, that of ours is asked', async (t) => {
	const parts = await openSso(t, { works });
	const { user, anna } = await joined(parts, ANNA, 'manager');
	const viewerOf = (who: typeof anna) => parts.portal.sessions.find(cookieOf(who), '192.0.2.7');
	t.false((await viewerOf(anna))!.session.hasSecondFactor);
	const strong = traveller(parts);
	await strong.come(works, { ...ANNA, amr: ['pwd', 'mfa'] });
	t.true((await viewerOf(strong))!.has('files.numbers'));

	const { own } = parts.portal;
	const viewer = (await viewerOf(strong))!;
	const secret = Secret.fromBase32((await own.beginApp(viewer))!.secret);
	const code = () => new TOTP({ secret }).generate({ timestamp: parts.clock.now().getTime() });
	await own.confirmApp(viewer, code(), CLIENT);
	const weak = traveller(parts);
	const asked = await weak.come(works, ANNA, '/portal/sso/works/start?next=/portal/people');
	t.is(asked.headers.location, '/portal/login/factor?next=%2Fportal%2Fpeople');
	t.is((await weak.get('/portal/people')).statusCode, 303, 'nothing is open before the factor');
	parts.clock.turn(MINUTE_MS);
	const done = await weak.post('/portal/login/factor', { code: code(), next: '/portal/people' });
	t.is(done.headers.location, '/portal/people');
	t.true((await viewerOf(weak))!.session.hasSecondFactor);
	t.is((await viewerOf(weak))!.user.id, user.id);
	const both = traveller(parts);
	t.is((await both.come(works, { ...ANNA, amr: ['mfa'] })).headers.location, '/portal', 'no factor of ours is asked');
});

test.serial('a session ends when its minutes are over, and no proof or change makes it last longer', async (t) => {
	const parts = await openSso(t, { works });
	const { anna } = await joined(parts, { ...ANNA, amr: ['mfa'] });
	const find = () => parts.portal.sessions.find(cookieOf(anna), '192.0.2.7');
	const wait = async (minutes: number) => {
		for (let left = minutes; left > 0; left -= 10) {
			parts.clock.turn(Math.min(left, 10) * MINUTE_MS);
			await anna.get('/portal');
		}
	};
	const viewer = (await find())!;
	const secret = Secret.fromBase32((await parts.portal.own.beginApp(viewer))!.secret);
	const code = () => new TOTP({ secret }).generate({ timestamp: parts.clock.now().getTime() });
	const changed = await parts.portal.own.confirmApp(viewer, code(), CLIENT);
	anna.cookies.set('__Host-tokendrop', changed!.session.cookie.reveal());
	await wait(50);
	const proof = { proof: 'app', 'proof-code': code(), next: '/portal/me' };
	t.is((await anna.post('/portal/confirm', proof, { from: '/portal' })).statusCode, 303);
	await wait(9);
	t.truthy(await find());
	await wait(1);
	t.is(await find(), undefined);
	t.is((await anna.come(works, ANNA)).headers.location, '/portal/login/factor?next=%2Fportal');
});

test.serial('who is blocked or reset does not come in by a provider', async (t) => {
	const parts = await openSso(t, { works });
	const { user, anna } = await joined(parts);
	const { users } = parts.portal;
	await users.setBlocked(user.id, true, 'test');
	t.is((await anna.get('/portal')).statusCode, 303);
	t.is((await anna.come(works, ANNA)).statusCode, 401);
	await users.setBlocked(user.id, false, 'test');
	t.is((await anna.come(works, ANNA)).statusCode, 303);
	await users.reset(user.id, 'test');
	t.is((await anna.come(works, ANNA)).statusCode, 403, 'the link to the provider is gone');
});

test.serial('a person at a provider belongs to one user', async (t) => {
	const parts = await openSso(t, { works });
	await joined(parts);
	const ben = await parts.portal.users.add(
		{ name: 'ben', of: { accountId: (await parts.identity.accounts.find('agency'))!.id, role: 'viewer' } },
		'test',
	);
	const { url } = await parts.portal.links.make(ben.id, 'test');
	const path = new URL(url.reveal()).pathname;
	const other = traveller(parts);
	const answer = await other.come(works, ANNA, `${path}/by/works`);
	t.is(answer.statusCode, 403);
	t.regex(answer.body, /already sign in as somebody else/);
	t.is((await other.get(path)).statusCode, 200, 'the link still works');
	t.is((await other.come(works, { subject: 'ben-1' }, `${path}/by/works`)).statusCode, 303);
});

test.serial('somebody without a password confirms at the provider, which has to ask them again', async (t) => {
	const parts = await openSso(t, { works });
	const { anna } = await joined(parts, { ...ANNA, amr: ['mfa'] }, 'manager');
	parts.clock.turn(11 * MINUTE_MS);
	const form = { name: 'carl', role: 'viewer', language: '' };
	const asked = await anna.post('/portal/people', form, { from: '/portal/people' });
	t.is(asked.statusCode, 401);
	t.notRegex(asked.body, /proof-password/);
	t.regex(asked.body, /href="\/portal\/sso\/works\/confirm\?next=/);
	const path = '/portal/sso/works/confirm?next=/portal/people';
	const old = { ...ANNA, provenAtMs: parts.clock.now().getTime() - 11 * MINUTE_MS };
	const refused = await anna.come(works, old, path);
	t.is(refused.statusCode, 401);
	t.regex(refused.body, /did not say that you have just proven/);
	const asks = works.asked.findLast((line) => line.startsWith('GET /auth?'))!;
	t.regex(asks, /prompt=login/);
	t.regex(asks, /max_age=0/);
	t.is((await anna.come(works, { ...ANNA, subject: 'somebody-else' }, path)).statusCode, 401);
	const fresh = { ...ANNA, provenAtMs: parts.clock.now().getTime() };
	const done = await anna.come(works, fresh, path);
	t.is(done.headers.location, '/portal/people');
	t.is((await anna.post('/portal/people', form, { from: '/portal/people' })).statusCode, 200, 'a link is shown');
	t.is((await entriesOf(parts, 'portal.confirm')).at(-1)!.details.way, 'provider');
});

test.serial(
	'somebody whom the directory of an account has made comes in by the name that it uses for them',
	async (t) => {
		const parts = await openSso(t, { works }, 'directory:\n  account: agency\n  claim: sub\n');
		const { directory, users } = parts.portal;
		const accountId = (await parts.identity.accounts.find('agency'))!.id;
		const hotelId = (await parts.createCaller('hotel')).account.id;
		const add = (userName: string, externalId: string, account = accountId) =>
			directory.add(account, { userName, externalId }, 'test');
		await add('elsewhere', 'anna-1', hotelId);
		t.is((await traveller(parts).come(works, ANNA)).statusCode, 403, 'the directory of another account does not count');
		const { user } = await add('anna', 'anna-1');
		const anna = traveller(parts);
		t.is((await anna.come(works, ANNA)).statusCode, 303);
		t.is((await parts.portal.sessions.find(cookieOf(anna), '192.0.2.7'))!.user.id, user.id);
		t.is((await entriesOf(parts, 'portal-user.provider')).at(-1)!.details.by, 'directory');
		// A directory does not hand a manager, or somebody who is linked already, to another person.
		const boss = await add('boss', 'mallory-1');
		await users.setRole(boss.user.id, 'manager', 'test');
		t.is((await traveller(parts).come(works, { subject: 'mallory-1' })).statusCode, 403);
		const person = (await directory.find(accountId, user.id))!;
		await directory.change(person, { externalId: 'mallory-2' }, 'test');
		t.is((await traveller(parts).come(works, { subject: 'mallory-2' })).statusCode, 403);
		await add('gone', 'mallory-3').then((gone) => directory.change(gone, { isActive: false }, 'test'));
		t.is((await traveller(parts).come(works, { subject: 'mallory-3' })).statusCode, 403);
	},
);

test.serial('whom a directory has put into a group gets at each sign-in the role that the rules say now', async (t) => {
	const parts = await openSso(t, { works }, `directory:\n  account: agency\n  claim: sub\n${RULES}`);
	const { directory, users } = parts.portal;
	const { id: accountId } = (await parts.identity.accounts.find('agency'))!;
	const { user } = await directory.add(accountId, { userName: 'anna', externalId: 'anna-1' }, 'test');
	const said = { name: 'clerks', externalId: null, members: [user.id] };
	await directory.groups.add(accountId, said, 'test');
	const roleOf = async () => (await users.find(accountId, user.id))!.role;
	t.is(await roleOf(), 'clerk');
	// The claims of the provider do not count beside the groups of the directory.
	t.is((await traveller(parts).come(works, { ...ANNA, groups: ['developers'] })).statusCode, 303);
	t.is(await roleOf(), 'clerk');
	// As if the operator had changed the rules since: the daemon reads them when it starts.
	const { rules } = parts.providers.list()[0].declared;
	rules[0].role = 'developer';
	t.is((await traveller(parts).come(works, ANNA)).statusCode, 303);
	t.is(await roleOf(), 'developer');
	const role = (await entriesOf(parts, 'portal-user.role')).at(-1)!;
	t.is(role.credential, 'provider works');
	t.deepEqual(role.details, { account: 'agency', before: 'clerk', role: 'developer', by: 'group' });
	await users.setRole(user.id, 'viewer', 'test');
	t.is((await traveller(parts).come(works, ANNA)).statusCode, 303);
	t.is(await roleOf(), 'viewer', 'what a manager has changed stays');
});
