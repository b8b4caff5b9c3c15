// Those tests of people-pages.test.ts that take long.

import test from 'ava';
import fc from 'fast-check';
import { nextOf } from '../../src/doors/http/portal/session-cookie.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { browser, FORM, GOOD, invite } from './people-pages.setup.ts';

test('the password is changed by whoever knows the present one, and other sessions end', async (t) => {
	const parts = await openPortalApp(t);
	const { path } = await invite(parts);
	const [anna, other] = [browser(parts), browser(parts)];
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
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const stranger = await parts.signIn('clerk', { account: 'other', name: 'stranger' });
	const made = await manager.post('/portal/people', { name: 'ben', role: 'clerk', language: 'de' });
	const link = /https:\/\/vault\.example(\/portal\/enter\/pl_[\w-]{43})/.exec(made.body)![1];
	const ben = browser(parts);
	t.is((await ben.post(link, { password: GOOD, repeat: GOOD })).headers.location, '/portal');
	t.is((await ben.get('/portal/people')).statusCode, 403);
	t.is((await ben.post('/portal/people', { name: 'eve', role: 'manager' }, { from: '/portal/me' })).statusCode, 403);
	const { id } = (await parts.portal.users.findByName('agency~ben'))!;
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
	const entry = await parts.database.knex('audit').where({ action: 'portal-user.role' }).first();
	t.true(JSON.stringify(entry).includes(`portal-user ${manager.viewer.user.id}`));
});

test('live parts do not keep the session of somebody who has left', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	for (let minutes = 0; minutes < 14; minutes++) {
		parts.clock.turn(60_000);
		t.is((await manager.get('/portal/me?refresh=1', { 'x-portal-part': '1' })).statusCode, 200);
	}
	parts.clock.turn(60_000);
	t.is((await manager.get('/portal/me?refresh=1', { 'x-portal-part': '1' })).statusCode, 401);
});

test('whatever is typed as a name is shown as text', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const hostile = '"><script>alert(1)</script>';
	const { body, statusCode } = await manager.post('/portal/people', { name: hostile, role: 'clerk' });
	t.is(statusCode, 400);
	t.false(body.includes('<script>alert'));
	const agent = await parts.app.inject({
		url: '/portal/login',
		method: 'POST',
		payload: 'name=x&password=y',
		headers: { ...FORM, 'user-agent': '<b>hostile</b>' },
	});
	t.false(agent.body.includes('hostile'));
});

test('a mail with a link goes to whoever is known, and the answer is the same for all', async (t) => {
	const parts = await openPortalApp(t, 'sqlite', { mail: { host: '127.0.0.1', port: 1, from: 'td@vault.example' } });
	await invite(parts, 'clerk', 'anna@agency.example');
	const visitor = browser(parts);
	const ask = async (name: string) =>
		(await visitor.post('/portal/forgotten', { name })).body.replace(/nonce[=-]"?[\w-]+/g, '');
	t.is(await ask('anna@agency.example'), await ask('nobody@agency.example'));
	for (let tries = 0; tries < 50 && (await parts.database.knex('mails')).length === 0; tries++)
		await new Promise((resolve) => setTimeout(resolve, 20));
	t.is((await parts.database.knex('mails')).length, 1);
});

test('another site can neither sign somebody in nor out, nor show the login in a frame', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const from = { ...FORM, 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
	const post = (url: string, headers: object) =>
		parts.app.inject({ method: 'POST', url, headers: { ...from, ...headers }, payload: 'name=a&password=b' });
	t.is((await post('/portal/login', {})).statusCode, 403);
	t.is((await post('/portal/logout', { cookie: clerk.cookie })).statusCode, 403);
	t.is((await clerk.get('/portal/me')).statusCode, 200);
	const { headers } = await parts.app.inject({ url: '/portal/login' });
	t.regex(String(headers['content-security-policy']), /frame-ancestors 'none'/);
});

test('an operator is led to their settings until they have a second factor', async (t) => {
	const parts = await openPortalApp(t);
	const weak = await parts.signIn('operator', { hasSecondFactor: false });
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
