// Tests signing in with a real browser: passkeys, and whether everybody can use the pages.

import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { isTooWide, violationsOf } from '../helpers/page-checks.ts';
import { portalBrowser } from '../helpers/portal-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';

const GOOD = 'nine lives, one cat';

/** Opens the portal under a host name, because browsers make no passkeys for an IP address. */
async function openNamed(t: ExecutionContext) {
	let base = 'http://vault.example';
	const settings = {
		get baseUrl() {
			return base;
		},
	};
	const opened = await portalBrowser(t, { settings });
	base = opened.base.replace('127.0.0.1', 'localhost');
	const { account } = (await opened.parts.signIn('viewer')).caller!;
	const { portal } = opened.parts;
	const user = await portal.users.add({ name: 'anna', of: { accountId: account.id, role: 'manager' } }, 'test');
	const link = (await portal.links.make(user.id, 'test')).url.reveal();
	return { ...opened, base, link, user };
}

/** Gives a browser a device that keeps passkeys and confirms every question. */
async function addDevice(page: Page) {
	const devtools = await page.context().newCDPSession(page);
	await devtools.send('WebAuthn.enable');
	const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
		options: {
			...({ protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const),
			hasUserVerification: true,
			isUserVerified: true,
			automaticPresenceSimulation: true,
		},
	});
	return { devtools, authenticatorId };
}

pageTest('a passkey is added, lets its owner in and confirms that it is them, and nobody without it', async (t) => {
	const { openPage, base, link, parts, user } = await openNamed(t);
	const { page, complaints } = await openPage();
	const { devtools, authenticatorId } = await addDevice(page);
	const fill = async (fields: Record<string, string>) => {
		for (const [name, value] of Object.entries(fields)) await page.fill(`#${name}`, value);
	};
	await page.goto(link);
	await fill({ password: GOOD, repeat: GOOD });
	await page.click('main form button');
	await page.waitForURL(`${base}/portal`);
	await page.goto(`${base}/portal/me/passkey`);
	await page.fill('#label', 'My <b>laptop</b>');
	await page.click('#passkey button');
	await page.locator('.codes li').nth(9).waitFor();
	t.deepEqual(await violationsOf(page), []);
	const codes = await page.locator('.codes li').allTextContents();
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	await page.click('#codes-copy');
	await page.getByText('The codes are in the clipboard').waitFor();
	t.is(await page.evaluate('navigator.clipboard.readText()'), `${codes.join('\n')}\n`);
	await page.evaluate('window.print = () => { document.body.dataset.printed = "yes"; }');
	await page.click('#codes-print');
	t.is(await page.getAttribute('body', 'data-printed'), 'yes');
	await page.emulateMedia({ media: 'print' });
	t.true(await page.locator('.codes').isVisible());
	for (const part of ['.banner', 'nav', 'footer', '#codes-copy', 'a[download]', 'main a[href="/portal/me"]'])
		t.false(await page.locator(part).first().isVisible(), part);
	await page.emulateMedia({ media: 'screen' });
	const saved = page.waitForEvent('download');
	await page.click('a[download]');
	t.is((await saved).suggestedFilename(), 'recovery-codes.txt');
	await page.click('main a[href="/portal/me"]');
	await page.waitForURL(`${base}/portal/me`);
	await page.getByText('My <b>laptop</b>').waitFor();
	await page.click('nav form button');
	await page.waitForURL(/login/);

	const signIn = async () => {
		await page.goto(`${base}/portal/login?next=//evil.example/`);
		await fill({ name: 'anna', password: GOOD });
		await page.click('main form button');
		await page.waitForURL(/factor/);
	};
	await signIn();
	t.deepEqual(await violationsOf(page), []);
	await page.click('#passkey button');
	await page.waitForURL(`${base}/portal`);
	t.is((await parts.portal.users.findByName('anna'))!.hasFactor, true);
	// After ten minutes, the passkey confirms that it is still its owner who adds another.
	parts.clock.turn(11 * 60_000);
	await page.goto(`${base}/portal/me/passkey`);
	t.deepEqual(await violationsOf(page), []);
	await page.click('#passkey button');
	await page.waitForURL(`${base}/portal/me/passkey`);
	await page.locator('#label').waitFor();
	await page.click('nav form button');
	await page.waitForURL(/login/);

	// A passkey lets nobody in if the device has not verified its owner, for example by a finger.
	await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
	await signIn();
	await page.click('#passkey button');
	await page.getByText('The passkey was not used').waitFor();
	t.is((await page.request.get(`${base}/portal/me`, { maxRedirects: 0 })).status(), 303);
	// An answer that was made for another challenge is refused.
	await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
	await page.reload();
	let sent = '';
	await page.route('**/portal/login/passkey', async (route) => {
		sent = route.request().postData() ?? '';
		await route.abort();
	});
	await page.click('#passkey button');
	while (sent === '') await page.waitForTimeout(20);
	await page.unroute('**/portal/login/passkey');
	await page.goto(`${base}/portal/login/factor`);
	const answer = await page.request.post(`${base}/portal/login/passkey`, {
		data: sent,
		headers: { 'content-type': 'application/x-www-form-urlencoded' },
		maxRedirects: 0,
	});
	t.is(answer.status(), 401);
	// A blocked user's session has ended, whatever page they ask for next. The page that they see leaves by itself.
	await page.reload();
	await page.click('#passkey button');
	await page.waitForURL(`${base}/portal`);
	await parts.portal.users.setBlocked(user.id, true, 'test');
	const next = await page.request.get(`${base}/portal/me`, { maxRedirects: 0 });
	t.regex(next.headers().location, /\/portal\/login\?next=/);
	await page.waitForURL(/\/portal\/login\?next=/);
	t.deepEqual(
		complaints.filter((text) => !/401|ERR_FAILED/.test(text)),
		[],
	);
});

pageTest('an invited person sets up a passkey in place of a password, and comes in with it alone', async (t) => {
	const { openPage, base, link, parts, user } = await openNamed(t);
	const { page, complaints } = await openPage();
	const { devtools, authenticatorId } = await addDevice(page);
	await page.goto(link);
	await page.click(`a[href="${new URL(link).pathname}/passkey"]`);
	t.deepEqual(await violationsOf(page), []);
	await page.fill('#label', 'laptop');
	await page.click('#passkey button');
	await page.waitForURL(`${base}/portal`);
	const { hasPassword, hasFactor } = (await parts.portal.users.findByName('anna'))!;
	t.deepEqual({ hasPassword, hasFactor }, { hasPassword: false, hasFactor: true });
	t.is((await page.request.get(link)).status(), 404, 'the link is used up');
	await page.goto(`${base}/portal/me`);
	t.is(await page.locator('#present').count(), 0, 'there is no password to change');
	await page.click('nav form button');
	await page.waitForURL(/login/);

	let sent = '';
	await page.route('**/portal/login/alone', async (route) => {
		sent = route.request().postData() ?? '';
		await route.continue();
	});
	await page.goto(`${base}/portal/login?next=/portal/people`);
	await page.getByText('Sign in with a passkey alone').click();
	await page.waitForURL(/alone/);
	t.deepEqual(await violationsOf(page), []);
	await page.click('#passkey button');
	await page.waitForURL(`${base}/portal/people`);
	const [{ details }] = await parts.database.knex('audit').where({ action: 'portal.login' }).orderBy('seq', 'desc');
	t.like(JSON.parse(details), { way: 'passkey', secondFactor: true });
	// What was sent serves once.
	await page.click('nav form button');
	await page.waitForURL(/login/);
	const replay = () =>
		page.request.post(`${base}/portal/login/alone`, {
			data: sent,
			headers: { 'content-type': 'application/x-www-form-urlencoded' },
			maxRedirects: 0,
		});
	t.is((await replay()).status(), 401);
	// Neither does a passkey whose owner was not verified, nor that of somebody who has a password or was blocked.
	const isRefused = async () => {
		await page.goto(`${base}/portal/login/alone`);
		await page.click('#passkey button');
		await page.locator('main [role=alert]:not(:empty)').first().waitFor();
		return (await page.request.get(`${base}/portal/me`, { maxRedirects: 0 })).status() === 303;
	};
	await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
	t.true(await isRefused());
	await devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
	await parts.portal.users.setBlocked(user.id, true, 'test');
	t.true(await isRefused());
	await parts.portal.users.setBlocked(user.id, false, 'test');
	const secret = (await parts.portal.links.make(user.id, 'test')).url.reveal().split('/').at(-1)!;
	t.is(await parts.portal.byPasskey.creation(secret), undefined, 'a link does not pass by a second factor');
	await parts.portal.login.byLink(secret, GOOD, { address: '192.0.2.7', agent: 'test' });
	t.true(await isRefused());
	t.deepEqual(
		complaints.filter((text) => !/401|404/.test(text)),
		[],
	);
});

pageTest('the pages of people have no violations in any language, on phone and desktop, light and dark', async (t) => {
	const { parts, openPage, openFor, base, link } = await openNamed(t);
	const looks = [
		['en', 'light', 1200],
		['de', 'dark', 390],
		['fr', 'light', 390],
		['es', 'dark', 1200],
	] as const;
	for (const [language, colorScheme, width] of looks) {
		const look = { colorScheme, viewport: { width, height: 800 }, locale: language };
		const { page, complaints } = await openPage(look);
		for (const path of ['/portal/login', '/portal/forgotten', new URL(link).pathname]) {
			await page.goto(base + path);
			t.is(await page.locator('html').getAttribute('lang'), language);
			t.deepEqual(await violationsOf(page), [], `${path} ${language}`);
			t.false(await isTooWide(page), `${path} ${language}`);
		}
		const person = await parts.signIn('manager', { language });
		await parts.portal.own.beginApp(person.viewer);
		const inside = await openFor(person, look);
		const { id } = (await parts.portal.users.findByName('anna'))!;
		for (const path of [
			'/portal/me',
			'/portal/me/app',
			'/portal/me/passkey',
			'/portal/people',
			`/portal/people/${id}`,
		]) {
			await inside.page.goto(base.replace('localhost', '127.0.0.1') + path);
			t.deepEqual(await violationsOf(inside.page), [], `${path} ${language}`);
			t.false(await isTooWide(inside.page), `${path} ${language}`);
		}
		t.deepEqual([...complaints, ...inside.complaints], []);
	}
});
