// Tests how API keys, SSH keys, web sites, sub-users and properties are managed in the portal, by those who may.

import test from 'ava';
import type { permissions } from '../../src/people/identity/permissions.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { portalBrowser } from '../helpers/portal-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { makeSshKeyLine } from '../helpers/ssh-key-line.ts';
import { newKeyOn, SMALL_KEY } from './access.setup.ts';

test('nobody receives the secret of a key with a permission that they may not grant', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const weak = await parts.signIn('manager', { hasSecondFactor: false });
	const owner = await parts.identity.accounts.get(manager.viewer.account!.userId);
	const make = async (...granted: (typeof permissions)[number][]) => {
		const { apiKey } = await parts.identity.apiKeys.create(owner, 'test', new Set(['Tokenize', ...granted]));
		return `/portal/access/keys/${apiKey.id}`;
	};
	const count = async () => (await parts.identity.apiKeys.list(owner)).length;
	const cases = [
		[manager, await make('DisplayCard'), 'DisplayCard'],
		[manager, await make('FileDetokenize', 'Associate'), 'FileDetokenize'],
		[weak, await make('Associate'), 'Associate'],
	] as const;
	const before = await count();
	for (const [person, path, name] of cases) {
		const { body } = await person.get(path);
		t.false(body.includes(`action="${path}/rotate"`), name);
		t.true(body.includes(`This key has ${name}, which you may not grant`), name);
		const refused = await person.post(`${path}/rotate`, { overlap: '0' });
		t.is(refused.statusCode, 400);
		t.true(refused.body.includes(`the key has ${name}, which you may not grant`), name);
		t.is(newKeyOn(refused.body), undefined);
	}
	t.is(await count(), before);
	t.is((await weak.post('/portal/access/keys', { ...SMALL_KEY, 'may-Associate': 'yes' })).statusCode, 400);
	t.false((await weak.get('/portal/access/keys/new')).body.includes('name="may-Associate"'));
	t.is((await weak.post('/portal/access/ssh', { keys: makeSshKeyLine('weak') })).statusCode, 303);
	t.false((await parts.identity.sshKeys.list(owner))[0].permissions.has('Associate'));
	const [, ofDisplay] = cases[0];
	t.is((await manager.post(`${ofDisplay}/permit`, { 'may-Tokenize': 'yes' })).statusCode, 303);
	t.truthy(newKeyOn((await manager.post(`${ofDisplay}/rotate`, { overlap: '0' })).body), 'it carries nothing more now');
	const [, ofAssociate] = cases[2];
	t.truthy(newKeyOn((await manager.post(`${ofAssociate}/rotate`, { overlap: '0' })).body));
});

test('naming a sub-user tells nothing of the accounts of others', async (t) => {
	const parts = await openPortalApp(t);
	await parts.createCaller('other');
	await parts.identity.accounts.create({ userId: 'other-hotel', kind: 'property', parent: 'other' }, 'test');
	const manager = await parts.signIn('manager');
	for (const userId of ['other', 'other-hotel', 'nobody', 'agency']) {
		const made = await manager.post('/portal/access/accounts', { userId, kind: 'sub-user' });
		t.is(made.statusCode, 200, userId);
		t.truthy(newKeyOn(made.body), userId);
		t.is((await parts.identity.accounts.get(`agency~${userId}`)).parentId, manager.viewer.account!.id);
	}
	// Nobody else can get such a name, and so a refusal tells only of the own account.
	for (const named of [
		{ userId: 'agency~desk' },
		{ userId: 'agency~desk', kind: 'property', parent: 'other' },
	] as const)
		await t.throwsAsync(parts.identity.accounts.create(named, 'test'), { message: /userId: expected/ });
});

pageTest('in a browser a key is made by clicking, and without JavaScript too', async (t) => {
	const portal = await portalBrowser(t);
	for (const javaScriptEnabled of [true, false]) {
		const { page, show } = await portal.open('manager', { look: { javaScriptEnabled } });
		await show('/portal/access');
		await page.getByRole('link', { name: 'Make an API key' }).click();
		await page.getByLabel(/^Relay:/).uncheck();
		await page.getByRole('button', { name: 'Make an API key' }).click();
		t.regex((await page.locator('#new-key').textContent())!, /^td_sandbox_/);
		t.false((await page.locator('main').textContent())!.includes('Relay'));
	}
});
