// Signs in at a real provider with a real browser, and leaves it.

import type { ExecutionContext } from 'ava';
import { freePort } from '../helpers/free-port.ts';
import { startOidcServer } from '../helpers/oidc-server.ts';
import { isTooWide, violationsOf } from '../helpers/page-checks.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { openPage, pageTest } from '../helpers/shared-browser.ts';
import { ANNA, providerFolder } from '../helpers/sso-parts.ts';

/** Opens the portal on a port that the provider knows beforehand. */
async function open(t: ExecutionContext) {
	const port = await freePort();
	const base = `http://127.0.0.1:${port}`;
	const works = await startOidcServer(`${base}/portal/sso/works`);
	t.teardown(() => works.close());
	const portal = { providersDir: providerFolder(t, { works }) };
	const parts = await openPortalApp(t, 'sqlite', { settings: { baseUrl: base }, portal });
	parts.clock.turn(Date.now() - parts.clock.now().getTime());
	await parts.app.listen({ host: '127.0.0.1', port });
	const { account } = await parts.createCaller('agency');
	const user = await parts.portal.users.add({ name: 'anna', of: { accountId: account.id, role: 'manager' } }, 'test');
	const link = (await parts.portal.links.make(user.id, 'test')).url.reveal();
	return { base, works, parts, link };
}

pageTest('an invited person joins by a provider, comes in again with one click, and leaves both', async (t) => {
	const { base, works, parts, link } = await open(t);
	works.present({ ...ANNA, amr: ['mfa'] });
	const { page, complaints } = await openPage(t);
	await page.goto(link);
	t.deepEqual(await violationsOf(page), []);
	await page.getByText('Go on with The works').click();
	await page.waitForURL(`${base}/portal`);
	await page.locator('nav form button').first().waitFor();

	await page.click('nav form button');
	await page.waitForURL(/left=works/);
	t.deepEqual(await violationsOf(page), []);
	await page.getByText('Sign in with The works').click();
	await page.waitForURL(`${base}/portal`);

	// After ten minutes a change asks for a proof, which the provider gives.
	parts.clock.turn(11 * 60_000);
	await page.goto(`${base}/portal/people`);
	await page.fill('#name', 'carl');
	await page.click('main section form button');
	await page.getByText('Confirm at The works').waitFor();
	t.deepEqual(await violationsOf(page), []);
	works.present({ ...ANNA, amr: ['mfa'], provenAtMs: parts.clock.now().getTime() });
	await page.getByText('Confirm at The works').click();
	await page.waitForURL(`${base}/portal/people`);
	await page.getByText('You have confirmed that it is you').waitFor();
	await page.fill('#name', 'carl');
	await page.click('main section form button');
	await page.locator('code.link').waitFor();

	// Whoever leaves the provider is out here at once, in every browser, because the provider tells us.
	const other = await openPage(t);
	await other.page.goto(`${base}/portal/sso/works/start?next=/portal/files`);
	await other.page.waitForURL(`${base}/portal/files`);
	await other.page.goto(`${base}/portal/sso/works/leave`);
	await other.page.getByText('Yes, sign me out').click();
	await other.page.waitForURL(`${base}/portal/login`);
	await other.page.goto(`${base}/portal/files`);
	t.regex(other.page.url(), /login\?next=/);
	await page.goto(`${base}/portal/files`);
	t.is(page.url(), `${base}/portal/files`, 'the session of the other browser stands');
	t.deepEqual(
		complaints.filter((text) => !/401/.test(text)),
		[],
	);
});

pageTest('the pages with a provider have no violations in any language, on phone and desktop', async (t) => {
	const { base, link } = await open(t);
	for (const [language, width] of [
		['en', 1200],
		['de', 390],
		['fr', 390],
		['es', 1200],
	] as const) {
		const { page } = await openPage(t, { locale: language, viewport: { width, height: 800 } });
		for (const path of [
			...['/portal/login', '/portal/login?left=works', new URL(link).pathname],
			...['stranger', 'taken', 'refused', 'notConfirmed', 'over', 'unreachable'].map(
				(why) => `/portal/sso/works/out?why=${why}`,
			),
		]) {
			await page.goto(base + path);
			t.is(await page.locator('html').getAttribute('lang'), language);
			t.deepEqual(await violationsOf(page), [], `${path} ${language}`);
			t.false(await isTooWide(page), `${path} ${language}`);
		}
	}
});
