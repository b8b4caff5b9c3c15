// Those tests of access.test.ts that take long.

import test from 'ava';
import { permissions } from '../../src/people/identity/permissions.ts';
import { audited } from '../helpers/audited.ts';
import { databases } from '../helpers/database.ts';
import { isTooWide, violationsOf } from '../helpers/page-checks.ts';
import { openPortalApp, type SignedIn } from '../helpers/portal-app.ts';
import { portalBrowser } from '../helpers/portal-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { makeSshKeyLine } from '../helpers/ssh-key-line.ts';
import { newKeyOn, SMALL_KEY } from './access.setup.ts';

const keyPathOn = (body: string) => /href="([^"]*\/keys\/\d+)"/.exec(body)![1];

for (const dialect of databases) {
	test(`${dialect}: a manager makes a key, which is shown once and works, and takes it back`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const manager = await parts.signIn('manager');
		const call = (key: string) =>
			parts.app.inject({ url: '/api/payments/paycard/meta', headers: { 'x-service-api-key': key } });

		const made = await manager.post('/portal/access/keys', { ...SMALL_KEY, days: '30', from: '127.0.0.0/8' });
		const key = newKeyOn(made.body)!;
		t.is((await call(key)).statusCode, 200);
		const { body } = await manager.get('/portal/access');
		t.false(body.includes(key));
		t.true(body.includes(`…${key.slice(-4)}`));
		t.true(body.includes('127.0.0.0/8'));
		const [entry] = (await audited(parts, 'api-key.create')).slice(-1);
		t.like(entry, { credential: `portal-user ${manager.viewer.user.id}` });

		const path = (await parts.identity.apiKeys.list(manager.viewer.account!)).at(-1)!.id;
		const renewed = await manager.post(`/portal/access/keys/${path}/rotate`, { overlap: '2' });
		const next = newKeyOn(renewed.body)!;
		t.not(next, key);
		t.is((await call(key)).statusCode, 200);
		t.is((await call(next)).statusCode, 200);
		parts.clock.turn(2 * 3_600_000 + 1);
		t.is((await call(key)).statusCode, 401);

		const newest = (await parts.identity.apiKeys.list(manager.viewer.account!)).at(-1)!.id;
		const again = await parts.signIn('manager');
		t.is((await again.post(`/portal/access/keys/${newest}/permit`, { 'may-Tokenize': 'yes' })).statusCode, 303);
		t.is((await call(next)).statusCode, 403);
		t.is((await again.post(`/portal/access/keys/${newest}/revoke`)).statusCode, 303);
		t.is((await call(next)).statusCode, 401);
		t.is((await again.get(`/portal/access/keys/${newest}`)).statusCode, 404);
	});

	test(`${dialect}: sub-users are listed page by page, each with its own page`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const manager = await parts.signIn('manager');
		for (let n = 0; n < 52; n++) {
			const userId = `hotel-${String(n).padStart(2, '0')}`;
			await parts.identity.accounts.create({ userId, kind: 'property', parent: 'agency' }, 'test');
		}
		const first = await manager.get('/portal/access/accounts');
		t.true(first.body.includes('of/hotel-49"'));
		t.false(first.body.includes('of/hotel-50"'));
		const second = await manager.get('/portal/access/accounts?after=hotel-49');
		t.true(second.body.includes('of/hotel-50"') && second.body.includes('of/hotel-51"'));
		t.true((await manager.get('/portal/access/of/hotel-07')).body.includes('Access of hotel-07'));
	});
}

test('permissions that let numbers out are not given, and stay with a key that has them', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const refused = await manager.post('/portal/access/keys', { ...SMALL_KEY, 'may-FileDetokenize': 'yes' });
	t.is(refused.statusCode, 400);
	t.true(refused.body.includes('only two operators can grant FileDetokenize'));
	const none = await manager.post('/portal/access/keys', {});
	t.is(none.statusCode, 400);
	const { account } = manager.viewer;
	const owner = await parts.identity.accounts.get(account!.userId);
	const { apiKey } = await parts.identity.apiKeys.create(owner, 'test', new Set(permissions));
	const path = `/portal/access/keys/${apiKey.id}`;
	t.true((await manager.get(path)).body.includes('name="may-FileDetokenize"'));
	const kept = { 'may-FileDetokenize': 'yes', 'may-Tokenize': 'yes' };
	t.is((await manager.post(`${path}/permit`, kept)).statusCode, 303);
	const changed = (await parts.identity.apiKeys.list(owner)).find(({ id }) => id === apiKey.id)!;
	t.deepEqual([...changed.permissions].sort(), ['FileDetokenize', 'Tokenize']);
	t.is((await manager.post(`${path}/permit`, { 'may-DisplayCard': 'yes' })).statusCode, 400);
	// The form was opened while the key had the permission, which is taken from it before the form is sent.
	const { changes } = parts.identity;
	const late = changes.setPermissions(owner, 'test', new Set(['FileDetokenize', 'Tokenize']), {
		apiKeyId: apiKey.id,
		grantable: new Set(['Tokenize'] as const),
	});
	t.is(await late, 1, 'what the key has already stays');
	await changes.setPermissions(owner, 'test', new Set(['Tokenize']), { apiKeyId: apiKey.id });
	await t.throwsAsync(
		changes.setPermissions(owner, 'test', new Set(['FileDetokenize', 'Tokenize']), {
			apiKeyId: apiKey.id,
			grantable: new Set(['Tokenize'] as const),
		}),
		{ message: /FileDetokenize was taken from the key meanwhile/ },
	);
});

test('what was typed wrongly is shown again with the reason', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const wrong = async (path: string, form: Record<string, string>, reason: string) => {
		const answer = await manager.post(`/portal/access${path}`, form);
		t.is(answer.statusCode, 400, path);
		t.true(
			answer.body.includes(reason),
			`${path}: ${/class="(?:problem|notice bad)"[^>]*>([^<]*)/.exec(answer.body)?.[1]}`,
		);
		return answer.body;
	};
	await wrong('/keys', { ...SMALL_KEY, days: '0' }, 'expected a whole number from 1 to 3650');
	await wrong('/keys', { ...SMALL_KEY, from: 'everywhere' }, 'value="everywhere"');
	await wrong('/ssh', { keys: 'ssh-ed25519 AAAA' }, 'line 1');
	const secret = '-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0\n-----END OPENSSH PRIVATE KEY-----';
	t.false((await wrong('/ssh', { keys: secret }, 'private key')).includes('c2VjcmV0'));
	await wrong('/origins', { origin: 'http://shop.example/path' }, 'value="http://shop.example/path"');
	await manager.post('/portal/access/accounts', { userId: 'desk', kind: 'sub-user' });
	await wrong('/accounts', { userId: 'desk', kind: 'sub-user' }, 'exists already');
	await wrong('/accounts', { userId: 'other~desk', kind: 'sub-user' }, 'beginning with a letter or digit');
	await wrong('/accounts', { userId: '<b>', kind: 'sub-user' }, 'value="&lt;b&gt;"');
});

test('SSH keys, web sites and sub-users are added and removed', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const line = makeSshKeyLine('<img src=x onerror=alert(1)>');
	t.is((await manager.post('/portal/access/ssh', { keys: `${line}\n` })).statusCode, 303);
	t.is((await manager.post('/portal/access/origins', { origin: 'https://books.example' })).statusCode, 303);
	const made = await manager.post('/portal/access/accounts', { userId: 'hotel-1', kind: 'property' });
	t.truthy(newKeyOn(made.body));
	const { body } = await manager.get('/portal/access');
	t.false(body.includes('<img'));
	t.true(body.includes('&lt;img src=x'));
	for (const text of ['SHA256:', 'https://books.example', 'href="/portal/access/accounts"'])
		t.true(body.includes(text), text);
	t.true((await manager.get('/portal/access/accounts')).body.includes('agency~hotel-1'));

	const [{ fingerprint }] = await parts.identity.sshKeys.list(manager.viewer.account!);
	t.is((await manager.post('/portal/access/ssh/remove', { fingerprint })).statusCode, 303);
	t.is((await manager.post('/portal/access/origins/remove', { site: 'https://books.example' })).statusCode, 303);
	t.is((await manager.post('/portal/access/of/agency~hotel-1/disable')).statusCode, 303);
	t.truthy((await parts.identity.accounts.get('agency~hotel-1')).disabledAt);
	t.is((await manager.post('/portal/access/of/agency~hotel-1/enable')).statusCode, 303);
	t.is((await manager.post('/portal/access/disable')).statusCode, 404);
	const after = (await manager.get('/portal/access')).body;
	t.false(after.includes('SHA256:') || after.includes('https://books.example'));
});

test('CVV retention is turned on by the account in the sandbox only, and off everywhere', async (t) => {
	for (const environment of ['sandbox', 'production'] as const) {
		const parts = await openPortalApp(t, 'sqlite', { settings: { environment } });
		const manager = await parts.signIn('manager');
		const isKept = async () => (await parts.identity.accounts.get('agency')).cvvRetention;
		const on = await manager.post('/portal/access/cvv', { keep: 'yes' });
		t.is(on.statusCode, environment === 'sandbox' ? 303 : 403);
		t.is(await isKept(), environment === 'sandbox');
		await parts.identity.changes.setCvvRetention(await parts.identity.accounts.get('agency'), 'test', true);
		t.is((await manager.post('/portal/access/cvv', { keep: 'no' })).statusCode, 303);
		t.false(await isKept());
	}
});

test('roles: a developer sees access and changes nothing, a clerk sees nothing', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	await manager.post('/portal/access/accounts', { userId: 'hotel-1', kind: 'property' });
	const key = keyPathOn((await manager.get('/portal/access')).body);
	const changes: [string, Record<string, string>][] = [
		['/portal/access/keys', SMALL_KEY],
		[`${key}/rotate`, { overlap: '0' }],
		[`${key}/permit`, SMALL_KEY],
		[`${key}/revoke`, {}],
		['/portal/access/ssh', { keys: makeSshKeyLine('x') }],
		['/portal/access/ssh/remove', { fingerprint: 'SHA256:x' }],
		['/portal/access/origins', { origin: 'https://shop.example' }],
		['/portal/access/origins/remove', { site: 'https://shop.example' }],
		['/portal/access/accounts', { userId: 'hotel-2' }],
		['/portal/access/cvv', { keep: 'yes' }],
		['/portal/access/of/agency~hotel-1/disable', {}],
	];
	const developer = await parts.signIn('developer');
	const { statusCode, body } = await developer.get('/portal/access');
	t.is(statusCode, 200);
	t.deepEqual(
		[...body.matchAll(/action="([^"]+)"/g)].map(([, action]) => action).filter((path) => path.includes('access')),
		[],
	);
	for (const [path, form] of changes) t.is((await developer.post(path, form)).statusCode, 403, path);
	for (const role of ['viewer', 'clerk'] as const) {
		const person = await parts.signIn(role);
		t.is((await person.get('/portal/access')).statusCode, 403, role);
		t.is((await person.get(key)).statusCode, 403, role);
		for (const [path, form] of changes) t.is((await person.post(path, form)).statusCode, 403, path);
	}
});

test('what belongs to another account is not there', async (t) => {
	const parts = await openPortalApp(t);
	const other = await parts.signIn('manager', { account: 'other' });
	await other.post('/portal/access/accounts', { userId: 'hotel', kind: 'property' });
	const theirs = keyPathOn((await other.get('/portal/access')).body);
	const manager: SignedIn = await parts.signIn('manager');
	for (const path of [theirs, '/portal/access/of/other', '/portal/access/of/other~hotel', '/portal/access/of/agency'])
		t.is((await manager.get(path)).statusCode, 404, path);
	for (const path of [
		`${theirs}/revoke`,
		`${theirs}/rotate`,
		`${theirs}/permit`,
		'/portal/access/of/other~hotel/disable',
	])
		t.is((await manager.post(path, { overlap: '0', ...SMALL_KEY })).statusCode, 404, path);
	const below = '/portal/access/of/other~hotel';
	t.is((await manager.post(`${below}/keys`, SMALL_KEY)).statusCode, 404);
	t.is(
		(await manager.post(`${below}/accounts`, { userId: 'x' })).statusCode,
		405,
		'accounts are added to the own one alone',
	);
	t.false((await manager.get('/portal/access/accounts')).body.includes('other~hotel'));
	t.falsy((await parts.identity.accounts.get('other~hotel')).disabledAt);
});

pageTest('in a browser the pages have no violations in any language, on a phone and a desktop', async (t) => {
	const portal = await portalBrowser(t);
	const manager = await portal.parts.signIn('manager', { name: 'Maria' });
	await manager.post('/portal/access/ssh', { keys: makeSshKeyLine('maria@office') });
	await manager.post('/portal/access/origins', { origin: 'https://shop.example' });
	await manager.post('/portal/access/accounts', { userId: 'hotel-1', kind: 'property' });
	const key = keyPathOn((await manager.get('/portal/access')).body);
	const paths = [
		'/portal/access',
		key,
		'/portal/access/keys/new',
		'/portal/access/ssh/new',
		'/portal/access/of/agency~hotel-1',
	];
	for (const [language, colorScheme] of [
		['en', 'light'],
		['de', 'dark'],
		['fr', 'light'],
		['es', 'dark'],
	] as const) {
		const opened = await portal.openFor(manager, { locale: language, colorScheme });
		for (const path of paths) {
			await opened.show(path);
			t.deepEqual(await violationsOf(opened.page), [], `${path} ${language}`);
			await opened.page.setViewportSize({ width: 390, height: 844 });
			t.false(await isTooWide(opened.page), `${path} ${language}`);
		}
		t.deepEqual(opened.complaints, []);
	}
});
