// Tests the pages on which people sign in, look after their own access and manage that of others, without JavaScript.

import test from 'ava';
import fc from 'fast-check';
import { Secret, TOTP } from 'otpauth';
import type { Mail } from '../../src/base/mail/mail.ts';
import { openSealed } from '../../src/base/mail/mail-queue.ts';
import type { MailRow } from '../../src/base/mail/mail-store.ts';
import { nextOf } from '../../src/doors/http/portal/pages/people/session-cookie.ts';
import { openPortalRooms, type PortalTestRooms, tokenOn } from '../helpers/portal-rooms.ts';

const GOOD = 'nine lives, one cat';
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

/** Returns a browser without JavaScript that keeps its cookies. */
function browser({ app }: Pick<PortalTestRooms, 'app'>) {
	const cookies = new Map<string, string>();
	const send = async (method: 'GET' | 'POST', url: string, payload?: string, headers: object = FORM) => {
		const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
		const answer = await app.inject({ method, url, payload, headers: { ...headers, cookie } });
		for (const { name, value } of answer.cookies) {
			if (value) cookies.set(name, value);
			else cookies.delete(name);
		}
		return answer;
	};
	return {
		cookies,
		get: (url: string) => send('GET', url),
		post: async (url: string, form: Record<string, string> = {}, { from = url, headers = FORM } = {}) => {
			const token = tokenOn((await send('GET', from)).body);
			return send('POST', url, new URLSearchParams({ ...(token && { _csrf: token }), ...form }).toString(), headers);
		},
	};
}

/** Returns the mails that wait to be sent. */
async function openedMails({ database, keyRing }: PortalTestRooms): Promise<Mail[]> {
	const rows: MailRow[] = await database.knex('mails').orderBy('id');
	return Promise.all(rows.map((row) => openSealed(keyRing, row)));
}

async function invite(rooms: PortalTestRooms, role = 'manager', name = 'anna') {
	const { account } = await rooms.createCaller('agency');
	const user = await rooms.portal.users.add({ name, of: { accountId: account.id, role } }, 'test');
	const { url } = await rooms.portal.links.make(user.id, 'test');
	return { user, account, path: new URL(url.reveal()).pathname };
}

test('a link leads to a password, then everything to a second factor and back', async (t) => {
	const rooms = await openPortalRooms(t);
	const { path } = await invite(rooms);
	const anna = browser(rooms);
	const page = await anna.get(path);
	t.is(page.statusCode, 200);
	t.regex(page.body, /anna/);
	t.regex((await anna.post(path, { password: GOOD, repeat: 'other' })).body, /different/);
	t.regex((await anna.post(path, { password: 'short', repeat: 'short' })).body, /at least 12/);
	const set = await anna.post(path, { password: GOOD, repeat: GOOD });
	t.is(set.headers.location, '/portal');
	t.is((await anna.get('/portal')).statusCode, 200);
	t.is((await browser(rooms).get(path)).statusCode, 404);

	const setup = await anna.post('/portal/me/app', {}, { from: '/portal/me' });
	t.is(setup.headers.location, '/portal/me/app');
	const { body } = await anna.get('/portal/me/app');
	t.regex(body, /<img src="data:image\/svg\+xml;base64,/);
	const key = /<code>([A-Z2-7 ]+)<\/code>/.exec(body)![1].replaceAll(' ', '');
	const code = () => new TOTP({ secret: Secret.fromBase32(key) }).generate({ timestamp: rooms.clock.now().getTime() });
	t.is((await anna.post('/portal/me/app/confirm', { code: '1' }, { from: '/portal/me' })).statusCode, 400);
	const before = anna.cookies.get('__Host-tokendrop');
	await anna.post('/portal/me/app/confirm', { code: code() }, { from: '/portal/me' });
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
	rooms.clock.turn(60_000);
	const done = await anna.post('/portal/login/factor', { code: code(), next: '/portal/people' });
	t.is(done.headers.location, '/portal/people');
	t.not(anna.cookies.get('__Host-tokendrop'), pending);
	t.is((await anna.get('/portal/people')).statusCode, 200);
	t.regex((await anna.get('/portal/me')).body, /App/);
});

test('a cookie is bound to the host where the public address is https, and scripts never see it', async (t) => {
	const rooms = await openPortalRooms(t);
	const { path } = await invite(rooms);
	const answer = await browser(rooms).post(path, { password: GOOD, repeat: GOOD });
	t.regex(
		String(answer.headers['set-cookie']),
		/^__Host-tokendrop=ps_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure/,
	);
});

test('without a second factor a manager makes no manager, and no link for one', async (t) => {
	const rooms = await openPortalRooms(t);
	const weak = await rooms.signIn('manager', { hasSecondFactor: false });
	const strong = await rooms.signIn('manager');
	const [boss, clerk] = [strong.viewer.user.id, (await rooms.signIn('clerk')).viewer.user.id];
	const links = async () => (await rooms.database.knex('portal_links')).length;
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

test('the password is changed by whoever knows the present one, and other sessions end', async (t) => {
	const rooms = await openPortalRooms(t);
	const { path } = await invite(rooms);
	const [anna, other] = [browser(rooms), browser(rooms)];
	await anna.post(path, { password: GOOD, repeat: GOOD });
	await other.post('/portal/login', { name: 'anna', password: GOOD });
	t.is((await other.get('/portal/me')).statusCode, 200);
	const next = 'ten lives, two cats';
	const change = (present: string, password = next) =>
		anna.post('/portal/me/password', { present, password, repeat: password }, { from: '/portal/me' });
	t.regex((await change('wrong')).body, /present password is wrong/);
	t.regex((await change(GOOD, GOOD)).body, /another password/);
	t.is((await change(GOOD)).statusCode, 303);
	t.is((await anna.get('/portal/me')).statusCode, 200);
	t.is((await other.get('/portal/me')).statusCode, 303);
	t.is((await other.post('/portal/login', { name: 'anna', password: GOOD })).statusCode, 401);
});

test('managers invite, change, block and remove the people of their account and of no other', async (t) => {
	const rooms = await openPortalRooms(t);
	const manager = await rooms.signIn('manager');
	const stranger = await rooms.signIn('clerk', { account: 'other', name: 'stranger' });
	const made = await manager.post('/portal/people', { name: 'ben', role: 'clerk', language: 'de' });
	const link = /https:\/\/vault\.example(\/portal\/enter\/pl_[\w-]{43})/.exec(made.body)![1];
	const ben = browser(rooms);
	t.is((await ben.post(link, { password: GOOD, repeat: GOOD })).headers.location, '/portal');
	t.is((await ben.get('/portal/people')).statusCode, 403);
	t.is((await ben.post('/portal/people', { name: 'eve', role: 'manager' }, { from: '/portal/me' })).statusCode, 403);
	const { id } = (await rooms.portal.users.findByName('agency~ben'))!;
	const list = (await manager.get('/portal/people')).body;
	t.true(list.includes(`/portal/people/${id}"`));
	t.false(list.includes('stranger'));
	const act = (path: string, form = {}, who = id) => manager.post(`/portal/people/${who}/${path}`, form);

	for (const path of ['role', 'block', 'unblock', 'factors', 'link', 'remove']) {
		t.is((await act(path, { role: 'viewer' }, stranger.viewer.user.id)).statusCode, 404, path);
		t.is((await act(path, { role: 'viewer' }, manager.viewer.user.id)).statusCode, 403, path);
	}
	t.is((await manager.get(`/portal/people/${stranger.viewer.user.id}`)).statusCode, 404);
	t.is((await manager.get('/portal/people/1e3')).statusCode, 404);
	t.is((await act('role', { role: 'operator' })).statusCode, 400);
	t.is((await act('role', { role: 'developer' })).statusCode, 303);
	t.is((await ben.get('/portal/me')).statusCode, 303);
	await act('block');
	t.is((await ben.post('/portal/login', { name: 'agency~ben', password: GOOD })).statusCode, 401);
	await act('unblock');
	t.is((await ben.post('/portal/login', { name: 'agency~ben', password: GOOD })).statusCode, 303);
	t.is((await act('remove')).headers.location, '/portal/people');
	t.is((await ben.get('/portal/me')).statusCode, 303);
	const entry = await rooms.database.knex('audit').where({ action: 'portal-user.role' }).first();
	t.true(JSON.stringify(entry).includes(`portal-user ${manager.viewer.user.id}`));
});

test('inviting somebody tells nothing of the people of others', async (t) => {
	for (const mail of [{}, { host: '127.0.0.1', port: 1, from: 'td@vault.example' }]) {
		const rooms = await openPortalRooms(t, 'sqlite', { mail });
		const theirs = ['known@example.com', 'known'];
		for (const name of theirs) await rooms.signIn('manager', { account: 'other', name });
		await rooms.signIn('operator', { name: 'olivia' });
		const manager = await rooms.signIn('manager');
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
	const rooms = await openPortalRooms(t, 'sqlite', { mail: { host: '127.0.0.1', port: 1, from: 'td@vault.example' } });
	const address = 'known@example.com';
	const { users } = rooms.portal;
	const manager = await rooms.signIn('manager');
	await manager.post('/portal/people', { name: address, role: 'clerk' });
	const other = await rooms.signIn('manager', { account: 'other' });
	await other.post('/portal/people', { name: address, role: 'clerk' });
	const [first, second] = [await users.findByName(address), await users.findByName(`other~${address}`)];
	t.is(first!.accountId, manager.viewer.account!.id);
	t.is(second!.accountId, other.viewer.account!.id);
	const mails = await openedMails(rooms);
	t.deepEqual(
		mails.map(({ to, text }) => [to.address, /already signs in to another account/.test(text)]),
		[
			[address, false],
			[address, true],
		],
	);
	const path = /https:\/\/vault\.example(\/portal\/enter\/\S+)/.exec(mails[1].text)![1];
	const person = browser(rooms);
	t.regex((await person.get(path)).body, /You sign in as other~known@example\.com/);
	t.is((await person.post(path, { password: GOOD, repeat: GOOD })).headers.location, '/portal');
	const again = browser(rooms);
	t.is((await again.post('/portal/login', { name: 'other~Known@Example.com', password: GOOD })).statusCode, 303);
	t.is((await browser(rooms).post('/portal/login', { name: address, password: GOOD })).statusCode, 401);
});

test('an invitation beyond the limit of mails is refused by the name of the limit, and nobody is invited', async (t) => {
	const mail = { host: '127.0.0.1', port: 1, from: 'td@vault.example', maxPerRecipient: 1 };
	const rooms = await openPortalRooms(t, 'sqlite', { mail });
	const other = await rooms.signIn('manager', { account: 'other' });
	const manager = await rooms.signIn('manager');
	const invited = { name: 'ben@example.com', role: 'clerk' };
	t.is((await other.post('/portal/people', invited)).statusCode, 303);
	t.is((await manager.post('/portal/people', invited)).statusCode, 303, 'mails of others do not count');
	const { id } = (await rooms.portal.users.findByName('agency~ben@example.com'))!;
	const again = await manager.post(`/portal/people/${id}/link`);
	t.is(again.statusCode, 403);
	t.regex(again.body, /mail\.maxPerRecipient/);
	await manager.post(`/portal/people/${id}/remove`);
	const refused = await manager.post('/portal/people', invited);
	t.is(refused.statusCode, 400);
	t.regex(refused.body, /mail\.maxPerRecipient: the account may send 1 mails to a recipient in a day/);
	t.is(await rooms.portal.users.findByName('agency~ben@example.com'), undefined);
	t.is((await rooms.database.knex('mails')).length, 2);
});

test('live parts do not keep the session of somebody who has left', async (t) => {
	const rooms = await openPortalRooms(t);
	const manager = await rooms.signIn('manager');
	for (let minutes = 0; minutes < 14; minutes++) {
		rooms.clock.turn(60_000);
		t.is((await manager.get('/portal/me?refresh=1', { 'hx-request': 'true' })).statusCode, 200);
	}
	rooms.clock.turn(60_000);
	t.is((await manager.get('/portal/me?refresh=1', { 'hx-request': 'true' })).statusCode, 401);
});

test('whatever is typed as a name is shown as text', async (t) => {
	const rooms = await openPortalRooms(t);
	const manager = await rooms.signIn('manager');
	const hostile = '"><script>alert(1)</script>';
	const { body, statusCode } = await manager.post('/portal/people', { name: hostile, role: 'clerk' });
	t.is(statusCode, 400);
	t.false(body.includes('<script>alert'));
	const agent = await rooms.app.inject({
		...{ url: '/portal/login', method: 'POST', payload: 'name=x&password=y' },
		headers: { ...FORM, 'user-agent': '<b>hostile</b>' },
	});
	t.false(agent.body.includes('hostile'));
});

test('a mail with a link goes to whoever is known, and the answer is the same for all', async (t) => {
	const rooms = await openPortalRooms(t, 'sqlite', { mail: { host: '127.0.0.1', port: 1, from: 'td@vault.example' } });
	await invite(rooms, 'clerk', 'anna@agency.example');
	const visitor = browser(rooms);
	const ask = async (name: string) =>
		(await visitor.post('/portal/forgotten', { name })).body.replace(/nonce[=-]"?[\w-]+/g, '');
	t.is(await ask('anna@agency.example'), await ask('nobody@agency.example'));
	for (let tries = 0; tries < 50 && (await rooms.database.knex('mails')).length === 0; tries++)
		await new Promise((resolve) => setTimeout(resolve, 20));
	t.is((await rooms.database.knex('mails')).length, 1);
});

test('another site can neither sign somebody in nor out, nor show the login in a frame', async (t) => {
	const rooms = await openPortalRooms(t);
	const clerk = await rooms.signIn('clerk');
	const from = { ...FORM, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
	const post = (url: string, headers: object) =>
		rooms.app.inject({ method: 'POST', url, headers: { ...from, ...headers }, payload: 'name=a&password=b' });
	t.is((await post('/portal/login', {})).statusCode, 403);
	t.is((await post('/portal/logout', { cookie: clerk.cookie })).statusCode, 403);
	t.is((await clerk.get('/portal/me')).statusCode, 200);
	const { headers } = await rooms.app.inject({ url: '/portal/login' });
	t.regex(String(headers['content-security-policy']), /frame-ancestors 'none'/);
});

test('an operator is led to their settings until they have a second factor', async (t) => {
	const rooms = await openPortalRooms(t);
	const weak = await rooms.signIn('operator', { hasSecondFactor: false });
	t.is((await weak.get('/portal')).headers.location, '/portal/me');
	t.regex((await weak.get('/portal/me')).body, /needs a second factor/);
});

test('any text as `next` leads to a page of the portal', (t) => {
	fc.assert(
		fc.property(
			fc.oneof(
				fc.string(),
				fc.webUrl(),
				fc.string().map((text) => `/portal${text}`),
				fc.string().map((text) => `//${text}`),
			),
			(next) => {
				const path = nextOf({ query: { next }, form: {} });
				const url = new URL(path, 'https://vault.example');
				t.is(url.origin, 'https://vault.example');
				t.regex(url.pathname, /^\/portal(\/|$)/);
			},
		),
		{ numRuns: 1000 },
	);
});
