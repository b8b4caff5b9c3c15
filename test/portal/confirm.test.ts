// Tests that whoever changes who gets in shows the password or a second factor again, once a session is ten minutes old.

import test, { type ExecutionContext } from 'ava';
import { Secret, TOTP } from 'otpauth';
import { asksProof } from '../../src/doors/http/portal/confirm.ts';
import { portalPages } from '../../src/doors/http/portal/pages/all-pages.ts';
import { partsOf } from '../../src/doors/http/portal/parts.ts';
import type { PortalRole } from '../../src/people/portal-users/rights.ts';
import { openPortalApp, type PortalApp, tokenOn } from '../helpers/portal-app.ts';

const GOOD = 'nine lives, one cat';
const MINUTE_MS = 60_000;
const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

/** Opens the portal for a user who has just set a password, and returns their browser. */
async function open(t: ExecutionContext, role: PortalRole = 'manager', parts?: PortalApp) {
	const opened = parts ?? (await openPortalApp(t));
	const account = (await opened.identity.accounts.find('agency')) ?? (await opened.createCaller('agency')).account;
	const user = await opened.portal.users.add({ name: `${role}1`, of: { accountId: account.id, role } }, 'test');
	const { url } = await opened.portal.links.make(user.id, 'test');
	let cookie = '';
	const send = async (method: 'GET' | 'POST', path: string, payload?: string) => {
		const answer = await opened.app.inject({ method, url: path, payload, headers: { ...FORM, cookie } });
		const set = answer.cookies.find(({ name }) => name.endsWith('tokendrop'));
		if (set?.value) cookie = `${set.name}=${set.value}`;
		return answer;
	};
	const post = async (path: string, form: Record<string, string> = {}) => {
		const token = tokenOn((await send('GET', '/portal/me')).body);
		return send('POST', path, new URLSearchParams({ _csrf: token, ...form }).toString());
	};
	await send('POST', new URL(url.reveal()).pathname, new URLSearchParams({ password: GOOD, repeat: GOOD }).toString());
	return {
		parts: opened,
		account,
		user,
		get: (path: string) => send('GET', path),
		post,
		/** Returns the cookie, which every proof replaces. */
		cookie: () => cookie,
		/** Lets minutes pass in which the user opens a page now and then, so that the session goes on. */
		async wait(minutes: number) {
			for (let left = minutes; left > 0; left -= 5) {
				opened.clock.turn(Math.min(left, 5) * MINUTE_MS);
				t.is((await send('GET', '/portal/me')).statusCode, 200);
			}
		},
		/** Sets up an app as second factor, and returns a function that reads its code. */
		async addApp() {
			await post('/portal/me/app');
			const { body } = await send('GET', '/portal/me/app');
			const secret = Secret.fromBase32(/<code>([A-Z2-7 ]+)<\/code>/.exec(body)![1].replaceAll(' ', ''));
			const code = () => new TOTP({ secret }).generate({ timestamp: opened.clock.now().getTime() });
			const added = await post('/portal/me/app/confirm', { code: code() });
			t.is(added.statusCode, 200, 'the page shows the recovery codes that come with the first second factor');
			t.is([...added.body.matchAll(/<li><code>/g)].length, 10);
			return code;
		},
	};
}

test('every form that changes keys, people, sub-users or second factors asks for a proof, and no other page', async (t) => {
	const parts = await openPortalApp(t);
	const asking = portalPages(partsOf(parts)).filter(asksProof);
	const places = new Set(asking.map(({ method, path }) => `${method} ${path.replace('/of/:user', '')}`));
	t.deepEqual([...places].sort(), [
		'GET /portal/me/app',
		'GET /portal/me/passkey',
		...['accounts', 'cvv', 'disable', 'enable', 'keys', 'keys/:id/permit', 'keys/:id/revoke', 'keys/:id/rotate'].map(
			(form) => `POST /portal/access/${form}`,
		),
		...['origins', 'origins/remove', 'ssh', 'ssh/remove'].map((form) => `POST /portal/access/${form}`),
		'POST /portal/confirm',
		...['app', 'app/confirm', 'app/remove', 'passkey', 'passkey/remove', 'recovery'].map(
			(form) => `POST /portal/me/${form}`,
		),
		'POST /portal/people',
		...['block', 'factors', 'link', 'remove', 'role', 'unblock'].map((form) => `POST /portal/people/:id/${form}`),
	]);
});

test('after ten minutes a form is held back until the password comes with it, and then for ten minutes not', async (t) => {
	const anna = await open(t);
	const invite = (name: string, more: object = {}) => anna.post('/portal/people', { name, role: 'viewer', ...more });
	t.is((await invite('at-once')).statusCode, 200);
	await anna.wait(9);
	t.is((await invite('in-time')).statusCode, 200);
	await anna.wait(1);
	const asked = await invite('later');
	t.is(asked.statusCode, 401);
	t.regex(asked.body, /<form method="post" action="\/portal\/people">/);
	t.regex(asked.body, /type="hidden" name="name" value="later"/);
	t.false(asked.body.includes('proof-code'), 'there is no app');
	const names = async () => (await anna.parts.portal.users.list(anna.account.id)).map(({ name }) => name);
	t.false((await names()).includes('agency~later'));
	const before = anna.cookie();
	const wrong = await invite('later', { proof: 'password', 'proof-password': 'ten lives, no cat' });
	t.is(wrong.statusCode, 401);
	t.regex(wrong.body, /was not accepted/);
	t.false(wrong.body.includes('ten lives'));
	t.is(anna.cookie(), before);
	const done = await invite('later', { proof: 'password', 'proof-password': GOOD });
	t.is(done.statusCode, 200);
	t.regex(done.body, /\/portal\/enter\//);
	t.not(anna.cookie(), before);
	t.true((await names()).includes('agency~later'));
	await anna.wait(9);
	t.is((await invite('again')).statusCode, 200);
	await anna.wait(1);
	t.is((await invite('too-late')).statusCode, 401);
	const rows = await anna.parts.database.knex('audit').where({ action: 'portal.confirm' });
	t.deepEqual(
		rows.map(({ subject, details }) => [subject, JSON.parse(details).way]),
		[[`portal-user ${anna.user.id}`, 'password']],
	);
	const history = await anna.parts.database.knex('portal_logins').where({ user_id: anna.user.id, result: 'wrong' });
	t.is(history.length, 1);
});

test('a code of the app is a proof, once; a change that follows from it does not make the proof younger', async (t) => {
	const anna = await open(t);
	const code = await anna.addApp();
	await anna.wait(10);
	const asked = await anna.post('/portal/me/recovery');
	t.is(asked.statusCode, 401);
	t.regex(asked.body, /name="proof-code"/);
	const used = code();
	const shown = await anna.post('/portal/me/recovery', { proof: 'app', 'proof-code': used });
	t.is([...shown.body.matchAll(/<li><code>/g)].length, 10);
	await anna.wait(9);
	t.is((await anna.post('/portal/me/app/remove')).statusCode, 303, 'this renews the session');
	await anna.wait(2);
	t.is((await anna.post('/portal/me/app')).statusCode, 401);
	t.is((await anna.post('/portal/me/app', { proof: 'app', 'proof-code': used })).statusCode, 401);
});

test('a page that shows a secret leads to the proof and back, and the key of an app is not seen before it', async (t) => {
	const anna = await open(t);
	await anna.post('/portal/me/app');
	t.regex((await anna.get('/portal/me/app')).body, /data:image\/svg/);
	await anna.wait(10);
	const asked = await anna.get('/portal/me/app');
	t.is(asked.statusCode, 401);
	t.false(asked.body.includes('data:image/svg'));
	t.regex(asked.body, /action="\/portal\/confirm"/);
	t.regex(asked.body, /name="next" value="\/portal\/me\/app"/);
	const proof = { proof: 'password', 'proof-password': GOOD };
	const done = await anna.post('/portal/confirm', { next: '/portal/me/app', ...proof });
	t.is(done.headers.location, '/portal/me/app');
	t.is((await anna.get('/portal/me/app')).statusCode, 200);
	await anna.wait(10);
	const elsewhere = await anna.post('/portal/confirm', { next: 'https://attacker.example/', ...proof });
	t.is(elsewhere.headers.location, '/portal');
});

test('wrong proofs lock as wrong logins do, and a session that has ended proves nothing', async (t) => {
	const anna = await open(t);
	await anna.wait(10);
	const tried = (password: string) =>
		anna.post('/portal/confirm', { proof: 'password', 'proof-password': password, next: '/portal/people' });
	for (let tries = 0; tries < 10; tries++) t.is((await tried('wrong password')).statusCode, 401);
	t.is((await tried(GOOD)).statusCode, 401, 'locked for half an hour');
	t.is((await anna.get('/portal/me')).statusCode, 200, 'the session goes on');
	await anna.wait(31);
	t.is((await tried(GOOD)).statusCode, 303);
	const viewer = (await anna.parts.portal.sessions.find(anna.cookie().split('=')[1], '127.0.0.1'))!;
	await anna.parts.portal.sessions.logOut(viewer);
	const late = await anna.parts.portal.login.prove(
		viewer,
		{ way: 'password', secret: GOOD },
		{ address: '127.0.0.1', agent: 'test' },
	);
	t.is(late.state, 'refused');
});

test('the form that comes along is escaped, and a private key is not written back', async (t) => {
	const anna = await open(t);
	await anna.wait(10);
	const keys = '-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----';
	const asked = await anna.post('/portal/access/ssh', { keys, 'other"><b>': '"><script>' });
	t.is(asked.statusCode, 401);
	t.false(asked.body.includes('c2VjcmV0'));
	t.false(asked.body.includes('other">'), 'names are escaped');
	t.true(asked.body.includes('value="&quot;&gt;&lt;script&gt;"'), 'values are escaped');
});

test('without a proof nothing changes, whatever the form', async (t) => {
	const anna = await open(t);
	await open(t, 'viewer', anna.parts);
	await anna.wait(10);
	const tables = ['api_keys', 'ssh_keys', 'accounts', 'portal_users', 'portal_links', 'origins', 'portal_totp'];
	const state = async () => {
		const rows = await Promise.all(tables.map((table) => anna.parts.database.knex(table)));
		return JSON.stringify(rows.map((each) => each.map(({ last_used_at, ...row }: { last_used_at?: number }) => row)));
	};
	const before = await state();
	const params = { ':id': '2', ':user': 'agency' } as Record<string, string>;
	for (const page of portalPages(partsOf(anna.parts)).filter(asksProof)) {
		if (page.method !== 'POST') continue;
		const path = page.path.replace(/:\w+/g, (name) => params[name]);
		const answer = await anna.post(path, { name: 'x', role: 'manager', userId: 'x', kind: 'property', code: '1' });
		t.is(answer.statusCode, 401, path);
	}
	t.is(await state(), before);
});
