// Tests logging in to the portal: passwords, second factors, links, sessions, and what people are told who may not log in.

import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { Secret, TOTP } from 'otpauth';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { HashTurns } from '../../src/people/portal-users/sign-in/hash-turns.ts';
import type { LoginAnswer } from '../../src/people/portal-users/sign-in/login.ts';
import {
	checkPassword,
	hashPassword,
	isOutdated,
	isPassword,
	PasswordError,
} from '../../src/people/portal-users/sign-in/password.ts';
import { databases } from '../helpers/database.ts';
import { openPortalApp, type PortalApp } from '../helpers/portal-app.ts';

const CLIENT = { address: '192.0.2.7', agent: 'Firefox' };
const GOOD = 'nine lives, one cat';
const MINUTE_MS = 60_000;
const PARTY = { address: '192.0.2.7', user: 'anna' };

async function openUser(t: ExecutionContext, dialect: Dialect, role = 'clerk') {
	const parts = await openPortalApp(t, dialect);
	const { account } = await parts.createCaller('agency');
	const user = await parts.portal.users.add(
		{ name: 'Anna@Agency.example', of: { accountId: account.id, role } },
		'test',
	);
	const { url } = await parts.portal.links.make(user.id, 'test');
	return { parts, portal: parts.portal, account, user, secret: url.reveal().split('/').at(-1)! };
}

const cookieOf = (answer: LoginAnswer) => (answer.state === 'refused' ? undefined : answer.session.cookie.reveal());
const logIn = ({ portal }: PortalApp, password = GOOD) =>
	portal.login.byPassword('anna@agency.example', password, CLIENT);
const codeOf = (secret: string, { clock }: PortalApp) =>
	new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: clock.now().getTime() });

for (const dialect of databases) {
	test(`${dialect}: a link sets a password once, and lets in`, async (t) => {
		const { parts, portal, secret } = await openUser(t, dialect);
		t.deepEqual(await portal.login.findLink(secret), { name: 'anna@agency.example', isNew: true });
		const error = await t.throwsAsync(portal.login.byLink(secret, 'short', CLIENT), { instanceOf: PasswordError });
		t.is((error as PasswordError).why, 'short');
		const answer = await portal.login.byLink(secret, GOOD, CLIENT);
		t.is(answer.state, 'in');
		const viewer = (await portal.sessions.find(cookieOf(answer), CLIENT.address))!;
		t.is(viewer.role, 'clerk');
		t.true(viewer.has('files.upload'));
		t.false(viewer.has('access.change'));
		t.deepEqual(viewer.actor, {
			userId: 'agency',
			accountId: viewer.account!.id,
			credential: 'portal-user 1',
			person: 'anna@agency.example',
			address: CLIENT.address,
		});
		t.is(await portal.login.findLink(secret), undefined);
		t.is((await portal.login.byLink(secret, `${GOOD} again`, CLIENT)).state, 'refused');
		t.is((await logIn(parts)).state, 'in');
		const entries = await parts.database
			.knex('audit')
			.where('action', 'like', 'portal%')
			.orderBy('seq')
			.pluck('action');
		t.deepEqual(entries, [
			'portal-user.add',
			'portal-user.link',
			'portal-user.password',
			'portal.login',
			'portal.login',
		]);
	});

	test(`${dialect}: every failure has the same answer, and none opens anything`, async (t) => {
		const { parts, portal, secret, user } = await openUser(t, dialect);
		await portal.login.byLink(secret, GOOD, CLIENT);
		const refused = { state: 'refused' } as const;
		t.deepEqual(await logIn(parts, 'another cat, no lives'), refused);
		t.deepEqual(await portal.login.byPassword('nobody', GOOD, CLIENT), refused);
		t.deepEqual(await portal.login.byPassword('a\0b', GOOD, CLIENT), refused);
		t.deepEqual(await portal.login.byCode('ps_x', '123456', CLIENT), refused);
		await portal.users.setBlocked(user.id, true, 'test');
		t.deepEqual(await logIn(parts), refused);
		await portal.users.setBlocked(user.id, false, 'test');
		t.is((await logIn(parts)).state, 'in');
		const history = await parts.database.knex('portal_logins').orderBy('id').select('way', 'result');
		t.deepEqual(
			history.map(({ way, result }) => `${way} ${result}`),
			['link in', 'password wrong', 'password blocked', 'password in'],
		);
	});

	test(`${dialect}: ten wrong passwords lock a user out for half an hour, wherever they come from`, async (t) => {
		const { parts, portal, secret } = await openUser(t, dialect);
		await portal.login.byLink(secret, GOOD, CLIENT);
		const tries = Array.from({ length: 12 }, (_, index) =>
			portal.login.byPassword('anna@agency.example', 'wrong wrong wrong', { ...CLIENT, address: `192.0.2.${index}` }),
		);
		await Promise.all(tries);
		parts.clock.turn(29 * MINUTE_MS);
		t.is((await logIn(parts)).state, 'refused');
		parts.clock.turn(2 * MINUTE_MS);
		t.is((await logIn(parts)).state, 'in');
	});

	test(`${dialect}: a session ends when it is idle, when it is old, and when it is ended`, async (t) => {
		const { parts, portal, secret } = await openUser(t, dialect);
		const cookie = cookieOf(await portal.login.byLink(secret, GOOD, CLIENT));
		const find = () => portal.sessions.find(cookie, CLIENT.address);
		for (let minutes = 0; minutes < 11 * 60 + 50; minutes += 14) {
			t.truthy(await find(), `${minutes}`);
			parts.clock.turn(14 * MINUTE_MS);
		}
		parts.clock.turn(14 * MINUTE_MS);
		t.is(await find(), undefined);
		const second = cookieOf(await logIn(parts));
		parts.clock.turn(15 * MINUTE_MS);
		t.is(await portal.sessions.find(second, CLIENT.address), undefined);

		const [own, other] = [cookieOf(await logIn(parts)), cookieOf(await logIn(parts))];
		const viewer = (await portal.sessions.find(own, CLIENT.address))!;
		t.is((await portal.sessions.list(viewer)).length, 2);
		t.true((await portal.sessions.endOthers(viewer)) >= 1);
		t.is(await portal.sessions.find(other, CLIENT.address), undefined);
		await portal.sessions.logOut(viewer);
		t.is(await portal.sessions.find(own, CLIENT.address), undefined);
	});

	test(`${dialect}: whatever changes what a user may do ends their sessions and links`, async (t) => {
		const { parts, portal, secret, user, account } = await openUser(t, dialect);
		await portal.login.byLink(secret, GOOD, CLIENT);
		const changes = [
			() => portal.users.setRole(user.id, 'developer', 'test'),
			() => portal.users.setBlocked(user.id, true, 'test'),
			() => portal.users.setBlocked(user.id, false, 'test'),
			() => portal.users.resetFactors(user.id, 'test'),
			() => parts.identity.changes.disable(account, 'test'),
			() => parts.identity.changes.enable(account, 'test'),
			() => portal.users.reset(user.id, 'test'),
		];
		for (const [index, change] of changes.entries()) {
			const cookie = cookieOf(await logIn(parts));
			const link = (await portal.links.make(user.id, 'test')).url.reveal().split('/').at(-1)!;
			await change();
			// No session comes from the third login, for which the user is blocked, nor from the sixth, for which the account is
			// disabled.
			t.is(cookie && (await portal.sessions.find(cookie, CLIENT.address)), undefined, `${index}`);
			if (index !== 4 && index !== 5) t.is(await portal.login.findLink(link), undefined, `${index}`);
		}
		t.is((await logIn(parts)).state, 'refused');
		await portal.users.remove(user.id, 'test');
		for (const table of ['users', 'links', 'sessions', 'logins', 'totp', 'passkeys', 'recovery_codes'])
			t.deepEqual(await parts.database.knex(`portal_${table}`), [], table);
	});

	test(`${dialect}: codes of an app and recovery codes work once each`, async (t) => {
		const { parts, portal, secret } = await openUser(t, dialect, 'manager');
		const cookie = cookieOf(await portal.login.byLink(secret, GOOD, CLIENT));
		const viewer = (await portal.sessions.find(cookie, CLIENT.address))!;
		t.false(viewer.has('files.numbers'));
		const app = (await portal.own.beginApp(viewer))!;
		t.true(app.qr.startsWith('<svg'));
		t.is(await portal.own.confirmApp(viewer, '000000x', CLIENT), undefined);
		const renewed = (await portal.own.confirmApp(viewer, codeOf(app.secret, parts), CLIENT))!;
		t.is(await portal.sessions.find(cookie, CLIENT.address), undefined);
		const strong = (await portal.sessions.find(renewed.session.cookie.reveal(), CLIENT.address))!;
		t.true(strong.has('files.numbers'));
		const codes = await portal.own.makeRecoveryCodes(strong);
		t.is(new Set(codes).size, 10);

		// The code that confirmed the app is used up.
		const login = await logIn(parts);
		t.is(login.state, 'factor');
		t.is(await portal.sessions.find(cookieOf(login), CLIENT.address), undefined);
		t.deepEqual(await portal.login.findWays(cookieOf(login)), { hasApp: true, hasPasskeys: false });
		t.is((await portal.login.byCode(cookieOf(login), codeOf(app.secret, parts), CLIENT)).state, 'refused');
		parts.clock.turn(30_000);
		const entered = await portal.login.byCode(cookieOf(login), codeOf(app.secret, parts), CLIENT);
		t.is(entered.state, 'in');
		t.not(cookieOf(entered), cookieOf(login));
		t.is(await portal.login.findWays(cookieOf(login)), undefined);

		const typed = codes[3].toUpperCase().replaceAll('-', ' ');
		const byCode = async () => portal.login.byCode(cookieOf(await logIn(parts)), typed, CLIENT);
		const both = await Promise.all([byCode(), byCode()]);
		t.deepEqual(both.map(({ state }) => state).sort(), ['in', 'refused']);
		t.is((await portal.own.factors(strong)).recoveryCodesLeft, 9);
	});
}

test('ten wrong codes are all that anybody may try in half an hour', async (t) => {
	const { parts, portal, secret } = await openUser(t, 'sqlite');
	const viewer = (await portal.sessions.find(cookieOf(await portal.login.byLink(secret, GOOD, CLIENT)), undefined))!;
	const app = (await portal.own.beginApp(viewer))!;
	await portal.own.confirmApp(viewer, codeOf(app.secret, parts), CLIENT);
	parts.clock.turn(MINUTE_MS);
	const client = { address: undefined, agent: undefined };
	for (let index = 0; index < 10; index++) await portal.login.byCode(cookieOf(await logIn(parts)), '00000', client);
	t.is((await portal.login.byCode(cookieOf(await logIn(parts)), codeOf(app.secret, parts), client)).state, 'refused');
});

test('an operator needs a second factor before anything, and is out when they are removed', async (t) => {
	const parts = await openPortalApp(t);
	const weak = await parts.signIn('operator', { hasSecondFactor: false });
	t.true(weak.viewer.session.mustAddFactor);
	t.false(weak.viewer.has('installation.see'));
	const seeing = await parts.signIn('operator', { operatorRole: 'view' });
	t.true(seeing.viewer.has('installation.see'));
	t.false(seeing.viewer.has('installation.change'));
	const strong = await parts.signIn('operator');
	t.true(strong.viewer.has('installation.change'));
	t.false(strong.viewer.has('files.see'));
	t.is(strong.viewer.principal, undefined);
	const cookie = strong.cookie.split('=')[1];
	await parts.operators.remove(strong.viewer.actor.userId.replace('operator ', ''), 'test');
	t.is(await parts.portal.sessions.find(cookie, undefined), undefined);
	t.is(await parts.portal.sessions.find(strong.cookie, undefined), undefined);
	await t.throwsAsync(parts.portal.users.add({ name: 'x', of: { operator: 'nobody' } }, 'test'));
});

test('in production whoever can give cards away needs a second factor, whatever the setting says', async (t) => {
	const production = { settings: { environment: 'production' as const } };
	for (const secondFactor of ['operators', 'managers'] as const) {
		const parts = await openPortalApp(t, 'sqlite', { ...production, portal: { secondFactor } });
		for (const role of ['clerk', 'developer', 'manager'] as const) {
			const { viewer } = await parts.signIn(role, { hasSecondFactor: false });
			t.true(viewer.session.mustAddFactor, role);
			t.false(viewer.has('overview.see'), role);
			t.false((await parts.signIn(role)).viewer.session.mustAddFactor, role);
		}
		t.true((await parts.signIn('viewer', { hasSecondFactor: false })).viewer.has('overview.see'));
	}
	const sandbox = await openPortalApp(t, 'sqlite', { portal: { secondFactor: 'operators' } });
	t.true((await sandbox.signIn('manager', { hasSecondFactor: false })).viewer.has('overview.see'));
});

test('under the setting managers a manager needs a second factor, and cannot remove the last one', async (t) => {
	const parts = await openPortalApp(t, 'sqlite', { portal: { secondFactor: 'managers' } });
	t.false((await parts.signIn('manager', { hasSecondFactor: false })).viewer.has('overview.see'));
	t.true((await parts.signIn('clerk', { hasSecondFactor: false })).viewer.has('overview.see'));
	const { viewer } = await parts.signIn('manager', { hasSecondFactor: false, name: 'boss' });
	const app = (await parts.portal.own.beginApp(viewer))!;
	const renewed = (await parts.portal.own.confirmApp(viewer, codeOf(app.secret, parts), CLIENT))!;
	const strong = (await parts.portal.sessions.find(renewed.session.cookie.reveal(), undefined))!;
	t.true(strong.has('overview.see'));
	await t.throwsAsync(parts.portal.own.removeApp(strong, CLIENT), { message: /last second factor/ });
});

test('a row that somebody altered lets nobody in', async (t) => {
	const { parts, portal, secret } = await openUser(t, 'sqlite');
	const cookie = cookieOf(await portal.login.byLink(secret, GOOD, CLIENT));
	const { knex } = parts.database;
	await knex('portal_users').update({ role: 'manager' });
	t.is(await portal.sessions.find(cookie, undefined), undefined);
	t.is((await logIn(parts)).state, 'refused');
	await knex('portal_users').update({ role: 'clerk' });
	t.truthy(await portal.sessions.find(cookie, undefined));
	await knex('portal_sessions').update({ has_second_factor: true });
	t.is(await portal.sessions.find(cookie, undefined), undefined);
});

test('passwords take the signs of spec §5.4 and no others', (t) => {
	for (const sign of ' !"#$%&\'()*+,-./;<=>?@[\\]') t.notThrows(() => checkPassword(`abcdefgh1234${sign}`, []), sign);
	for (const sign of ':^_`{|}~\t\n€') {
		const { why } = t.throws<PasswordError>(() => checkPassword(`abcdefgh1234${sign}`, []))!;
		t.is(why, 'sign', sign);
	}
	t.notThrows(() => checkPassword('Grüße aus Köln', []));
	t.throws(() => checkPassword('abcdefgh123', []));
	t.throws(() => checkPassword('a'.repeat(129), []));
	t.throws(() => checkPassword('my AGENCY is good', ['anna', 'agency']), { message: /name of the user/ });
});

test('any password that is accepted opens what it closed, and no other does', async (t) => {
	const letters = [...'abcXYZ019äßñ字 !"#$%&\'()*+,-./;<=>?@[\\]'];
	const password = fc.array(fc.constantFrom(...letters), { minLength: 12, maxLength: 40 }).map((all) => all.join(''));
	await fc.assert(
		fc.asyncProperty(password, fc.string({ maxLength: 200 }), async (right, other) => {
			checkPassword(right, []);
			const stored = await hashPassword(right, PARTY);
			t.true(await isPassword(right, stored, PARTY));
			t.true(await isPassword(right.normalize('NFD'), stored, PARTY));
			t.is(await isPassword(other, stored, PARTY), other.normalize('NFC') === right.normalize('NFC'));
			t.false(isOutdated(stored));
		}),
		{ numRuns: 10 },
	);
	t.true(isOutdated((await hashPassword('x', PARTY)).replace('t=1', 't=2')));
	t.false(await isPassword('', null, PARTY));
});

test.serial('a flood of logins is told to come again, and the next one after it is served', async (t) => {
	const flood = await Promise.allSettled(Array.from({ length: 60 }, () => isPassword('anything at all', null, PARTY)));
	const refused = flood.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
	t.is(refused.length, 18, 'two run and forty wait');
	t.true(refused.every(({ reason }) => reason.reason === 'too-many-calls'));
	t.false(await isPassword('anything at all', null, PARTY));
});

/** The users whose hashes have begun, in the order of their turns: two run at once, so their ends may overtake. */
function begunHashes(t: ExecutionContext): string[] {
	const begun: string[] = [];
	const { run } = HashTurns.prototype;
	HashTurns.prototype.run = function (party, hash) {
		const begin = () => {
			begun.push(party.user);
			return hash();
		};
		return run.call(this, party, begin) as never;
	};
	t.teardown(() => {
		HashTurns.prototype.run = run;
	});
	return begun;
}

test.serial('sixty wrong passwords from one address do not keep a right one from another waiting', async (t) => {
	const stored = await hashPassword(GOOD, PARTY);
	const begun = begunHashes(t);
	const tryOne = (password: string, party: typeof PARTY) => isPassword(password, stored, party).catch(() => 'refused');
	const answers = await Promise.all([
		...Array.from({ length: 60 }, (_, n) => tryOne('wrong', { address: '198.51.100.9', user: `guess ${n % 20}` })),
		tryOne('wrong', { address: '198.51.100.9', user: 'neighbour' }),
		tryOne(GOOD, PARTY),
	]);
	t.is(answers.filter((each) => each !== 'refused').length, 43);
	t.true(answers.at(-1));
	t.is(begun.length, 43);
	t.true(begun.indexOf(PARTY.user) <= 3, begun.join(', '));
});

test('a password that many people use is refused, also repeated or with figures around it', async (t) => {
	const { portal, secret } = await openUser(t, 'sqlite');
	for (const password of [
		'passwordpassword',
		'Password123456',
		'123456123456',
		'qwertyuiop!!2026',
		'aaaaaaaaaaaa',
		'3141592653589',
	])
		t.is(
			((await t.throwsAsync(portal.login.byLink(secret, password, CLIENT))) as PasswordError).why,
			'common',
			password,
		);
	t.is((await portal.login.byLink(secret, GOOD, CLIENT)).state, 'in');
});

test.serial('the users of one address take turns', async (t) => {
	const begun = begunHashes(t);
	const users = [...Array.from({ length: 30 }, () => 'many'), 'one'];
	await Promise.all(users.map((user) => isPassword('x', null, { address: '198.51.100.9', user })));
	t.is(begun.length, 31);
	t.true(begun.indexOf('one') <= 3, begun.join(', '));
});

test.serial('no password is hashed for a name that is locked, whether it is a user or not', async (t) => {
	const { portal, parts, secret } = await openUser(t, 'sqlite');
	await portal.login.byLink(secret, GOOD, CLIENT);
	let hashed = 0;
	const { run } = HashTurns.prototype;
	HashTurns.prototype.run = async function (_party, hash) {
		hashed++;
		return run.call(this, PARTY, hash) as never;
	};
	t.teardown(() => {
		HashTurns.prototype.run = run;
	});
	for (const name of ['anna@agency.example', 'nobody@agency.example']) {
		hashed = 0;
		const tries = Array.from({ length: 12 }, (_, n) => ({ ...CLIENT, address: `192.0.2.${n}` }));
		const answers = await Promise.all(tries.map((client) => portal.login.byPassword(name, 'wrong', client)));
		t.true(answers.every(({ state }) => state === 'refused'));
		t.is(hashed, 10, name);
	}
	parts.clock.turn(31 * MINUTE_MS);
	t.is((await logIn(parts)).state, 'in');
});

test('no failure is answered sooner than another', async (t) => {
	const { parts, portal, secret } = await openUser(t, 'sqlite');
	await portal.login.byLink(secret, GOOD, CLIENT);
	const failures = [
		() => logIn(parts, 'wrong wrong wrong'),
		() => portal.login.byPassword('nobody', GOOD, CLIENT),
		() => portal.login.byCode('ps_x', '000000', CLIENT),
		() => portal.login.byPasskey(undefined, {}, CLIENT),
	];
	for (const fail of failures) {
		const startedAt = performance.now();
		await fail();
		t.true(performance.now() - startedAt > 390);
	}
});

test('any text is harmless as a cookie', async (t) => {
	const { portal } = await openPortalApp(t);
	await fc.assert(
		fc.asyncProperty(
			fc.oneof(
				fc.string(),
				fc.string().map((text) => `ps_${text}`),
			),
			async (text) => {
				t.is(await portal.sessions.find(text, undefined), undefined);
				t.is(await portal.login.findWays(text), undefined);
				t.is(await portal.login.findLink(text), undefined);
			},
		),
		{ numRuns: 200 },
	);
});

test('whoever asks for a forgotten password of somebody does not end their invitation', async (t) => {
	const parts = await openPortalApp(t, 'sqlite', { mail: { host: '127.0.0.1', port: 1, from: 'td@vault.example' } });
	const { account } = await parts.createCaller('agency');
	const { users, links, login } = parts.portal;
	const user = await users.add({ name: 'anna@agency.example', of: { accountId: account.id, role: 'clerk' } }, 'test');
	const invited = (await links.make(user.id, 'test')).url.reveal().split('/').at(-1)!;
	await links.forgotten('anna@agency.example');
	t.is((await parts.database.knex('mails')).length, 1);
	t.is((await login.byLink(invited, GOOD, CLIENT)).state, 'in');
	const { version } = await parts.database.knex('portal_users').where({ id: user.id }).first();
	const left = await parts.database.knex('portal_links').pluck('user_version');
	t.deepEqual(
		left.filter((each) => each === version),
		[],
		'the other link ends with the password it was made for',
	);
});
