// Tests the pages on which people sign in, look after their own access and manage that of others, without JavaScript.

import test from 'ava';
import { Secret, TOTP } from 'otpauth';
import type { Mail } from '../../src/base/mail/mail.ts';
import { openSealed } from '../../src/base/mail/mail-queue.ts';
import type { MailRow } from '../../src/base/mail/mail-store.ts';
import { openPortalApp, type PortalApp } from '../helpers/portal-app.ts';
import { browser, GOOD, invite } from './people-pages.setup.ts';

/** Returns the mails that wait to be sent. */
async function openedMails({ database, keyRing }: PortalApp): Promise<Mail[]> {
	const rows: MailRow[] = await database.knex('mails').orderBy('id');
	return Promise.all(rows.map((row) => openSealed(keyRing, row)));
}

test('a link leads to a password, then everything to a second factor and back', async (t) => {
	const parts = await openPortalApp(t);
	const { path } = await invite(parts);
	const anna = browser(parts);
	const page = await anna.get(path);
	t.is(page.statusCode, 200);
	t.regex(page.body, /anna/);
	t.regex((await anna.post(path, { password: GOOD, repeat: 'other' })).body, /different/);
	t.regex((await anna.post(path, { password: 'short', repeat: 'short' })).body, /at least 12/);
	const set = await anna.post(path, { password: GOOD, repeat: GOOD });
	t.is(set.headers.location, '/portal');
	t.is((await anna.get('/portal')).statusCode, 200);
	t.is((await browser(parts).get(path)).statusCode, 404);

	const setup = await anna.post('/portal/me/app', {}, { from: '/portal/me' });
	t.is(setup.headers.location, '/portal/me/app');
	const { body } = await anna.get('/portal/me/app');
	t.regex(body, /<img src="data:image\/svg\+xml;base64,/);
	const key = /<code>([A-Z2-7 ]+)<\/code>/.exec(body)![1].replaceAll(' ', '');
	const code = () => new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: parts.clock.now().getTime() });
	t.is((await anna.post('/portal/me/app/confirm', { code: '1' }, { from: '/portal/me' })).statusCode, 400);
	const before = anna.cookies.get('__Host-tokendrop');
	const added = await anna.post('/portal/me/app/confirm', { code: code() }, { from: '/portal/me' });
	const first = [...added.body.matchAll(/<li><code>([^<]+)/g)].map(([, each]) => each);
	t.is(first.length, 10, 'recovery codes come with the first second factor');
	t.true(added.body.includes(`href="data:text/plain;charset=utf-8,${first.join('%0A')}%0A"`));
	t.not(anna.cookies.get('__Host-tokendrop'), before);
	const codes = [
		...(await anna.post('/portal/me/recovery', {}, { from: '/portal/me' })).body.matchAll(/<li><code>([^<]+)/g),
	];
	t.is(codes.length, 10);

	await anna.post('/portal/logout', {}, { from: '/portal/me' });
	t.false(anna.cookies.has('tokendrop'));
	t.is((await anna.get('/portal/me')).statusCode, 303);
	const fixed = 'ps_'.padEnd(46, 'a');
	anna.cookies.set('tokendrop', fixed);
	const wrong = await anna.post('/portal/login', { name: 'anna', password: 'wrong password' });
	t.is(wrong.statusCode, 401);
	const unknown = await anna.post('/portal/login', { name: 'nobody', password: 'wrong password' });
	t.is(unknown.body.replace(/nonce="[^"]+"|nonce-[\w-]+/g, ''), wrong.body.replace(/nonce="[^"]+"|nonce-[\w-]+/g, ''));
	const half = await anna.post('/portal/login', { name: 'ANNA', password: GOOD, next: '/portal/people' });
	t.is(half.headers.location, '/portal/login/factor?next=%2Fportal%2Fpeople');
	t.not(anna.cookies.get('__Host-tokendrop'), fixed);
	t.is((await anna.get('/portal/people')).statusCode, 303);
	const pending = anna.cookies.get('__Host-tokendrop');
	t.is((await anna.post('/portal/login/factor', { code: '000000' })).statusCode, 401);
	parts.clock.turn(60_000);
	const done = await anna.post('/portal/login/factor', { code: code(), next: '/portal/people' });
	t.is(done.headers.location, '/portal/people');
	t.not(anna.cookies.get('__Host-tokendrop'), pending);
	t.is((await anna.get('/portal/people')).statusCode, 200);
	t.regex((await anna.get('/portal/me')).body, /App/);
});

test('a cookie is bound to the host where the public address is https, and scripts never see it', async (t) => {
	const parts = await openPortalApp(t);
	const { path } = await invite(parts);
	const answer = await browser(parts).post(path, { password: GOOD, repeat: GOOD });
	t.regex(
		String(answer.headers['set-cookie']),
		/^__Host-tokendrop=ps_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure/,
	);
});

test('without a second factor a manager makes no manager, and no link for one', async (t) => {
	const parts = await openPortalApp(t);
	const weak = await parts.signIn('manager', { hasSecondFactor: false });
	const strong = await parts.signIn('manager');
	const [boss, clerk] = [strong.viewer.user.id, (await parts.signIn('clerk')).viewer.user.id];
	const links = async () => (await parts.database.knex('portal_links')).length;
	const invited = await weak.post('/portal/people', { name: 'mara', role: 'manager' });
	t.is(invited.statusCode, 400);
	t.regex(invited.body, /signed in with a second factor/);
	t.false(invited.body.includes('<option value="manager"'));
	t.is((await weak.post(`/portal/people/${clerk}/role`, { role: 'manager' })).statusCode, 403);
	for (const path of ['link', 'factors']) {
		t.is((await weak.post(`/portal/people/${boss}/${path}`)).statusCode, 403, path);
		t.false((await weak.get(`/portal/people/${boss}`)).body.includes(`/${path}"`), path);
	}
	t.is(await links(), 0);
	t.is((await weak.post(`/portal/people/${clerk}/link`)).statusCode, 200);
	t.is((await weak.post('/portal/people', { name: 'ben', role: 'clerk' })).statusCode, 200);
	t.is((await strong.post('/portal/people', { name: 'mara', role: 'manager' })).statusCode, 200);
	t.is(await links(), 3);
});

test('inviting somebody tells nothing of the people of others', async (t) => {
	for (const mail of [{}, { host: '127.0.0.1', port: 1, from: 'td@vault.example' }]) {
		const parts = await openPortalApp(t, 'sqlite', { mail });
		const theirs = ['known@example.com', 'known'];
		for (const name of theirs) await parts.signIn('manager', { account: 'other', name });
		await parts.signIn('operator', { name: 'olivia' });
		const manager = await parts.signIn('manager');
		const seen = async (name: string) => {
			const plain = (body: string) =>
				body
					.replace(/nonce[=-]"?[\w-]+|pl_[\w-]+|_csrf" value="[^"]+/g, '')
					.replace(/people\/\d+/g, 'people/N')
					.replaceAll(name, 'NAME');
			const { statusCode, headers, body } = await manager.post('/portal/people', { name, role: 'clerk' });
			const { body: list } = await manager.get('/portal/people');
			const ids = [...list.matchAll(/people\/(\d+)"/g)].map(([, id]) => Number(id));
			const { body: page } = await manager.get(`/portal/people/${Math.max(...ids)}`);
			await manager.post(`/portal/people/${Math.max(...ids)}/remove`);
			return [statusCode, headers.location, plain(body), plain(list), plain(page)];
		};
		t.deepEqual(await seen('known@example.com'), await seen('fresh@example.com'));
		t.deepEqual(await seen('known'), await seen('fresh'));
		t.deepEqual(await seen('olivia'), await seen('liviao'));
		// What is their own, they may know.
		t.is((await manager.post('/portal/people', { name: 'twice', role: 'clerk' })).statusCode, 200);
		t.regex((await manager.post('/portal/people', { name: 'Twice', role: 'clerk' })).body, /is taken/);
		t.is((await manager.post('/portal/people', { name: 'other~x', role: 'clerk' })).statusCode, 400);
	}
});

test('somebody who already has access elsewhere is told so, and gets a name of their own', async (t) => {
	const parts = await openPortalApp(t, 'sqlite', { mail: { host: '127.0.0.1', port: 1, from: 'td@vault.example' } });
	const address = 'known@example.com';
	const { users } = parts.portal;
	const manager = await parts.signIn('manager');
	await manager.post('/portal/people', { name: address, role: 'clerk' });
	const other = await parts.signIn('manager', { account: 'other' });
	await other.post('/portal/people', { name: address, role: 'clerk' });
	const [first, second] = [await users.findByName(address), await users.findByName(`other~${address}`)];
	t.is(first!.accountId, manager.viewer.account!.id);
	t.is(second!.accountId, other.viewer.account!.id);
	const mails = await openedMails(parts);
	t.deepEqual(
		mails.map(({ to, text }) => [to.address, /already signs in to another account/.test(text)]),
		[
			[address, false],
			[address, true],
		],
	);
	const path = /https:\/\/vault\.example(\/portal\/enter\/\S+)/.exec(mails[1].text)![1];
	const person = browser(parts);
	t.regex((await person.get(path)).body, /You sign in as other~known@example\.com/);
	t.is((await person.post(path, { password: GOOD, repeat: GOOD })).headers.location, '/portal');
	const again = browser(parts);
	t.is((await again.post('/portal/login', { name: 'other~Known@Example.com', password: GOOD })).statusCode, 303);
	t.is((await browser(parts).post('/portal/login', { name: address, password: GOOD })).statusCode, 401);
});

test('an invitation beyond the limit of mails is refused by the name of the limit, and nobody is invited', async (t) => {
	const mail = { host: '127.0.0.1', port: 1, from: 'td@vault.example', maxPerRecipient: 1 };
	const parts = await openPortalApp(t, 'sqlite', { mail });
	const other = await parts.signIn('manager', { account: 'other' });
	const manager = await parts.signIn('manager');
	const invited = { name: 'ben@example.com', role: 'clerk' };
	t.is((await other.post('/portal/people', invited)).statusCode, 303);
	t.is((await manager.post('/portal/people', invited)).statusCode, 303, 'mails of others do not count');
	const { id } = (await parts.portal.users.findByName('agency~ben@example.com'))!;
	const again = await manager.post(`/portal/people/${id}/link`);
	t.is(again.statusCode, 403);
	t.regex(again.body, /mail\.maxPerRecipient/);
	await manager.post(`/portal/people/${id}/remove`);
	const refused = await manager.post('/portal/people', invited);
	t.is(refused.statusCode, 400);
	t.regex(refused.body, /mail\.maxPerRecipient: the account may send 1 mails to a recipient in a day/);
	t.is(await parts.portal.users.findByName('agency~ben@example.com'), undefined);
	t.is((await parts.database.knex('mails')).length, 2);
});
