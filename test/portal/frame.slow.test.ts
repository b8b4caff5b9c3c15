// Those tests of frame.test.ts that take long.

import { gzipSync } from 'node:zlib';
import test from 'ava';
import fc from 'fast-check';
import { isPortalPath } from '../../src/doors/http/portal/paths.ts';
import { violationsOf } from '../helpers/page-checks.ts';
import { openPortalApp, tokenOn } from '../helpers/portal-app.ts';
import { portalBrowser } from '../helpers/portal-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

test('a page says which environment it is of, and allows nothing but its own scripts and styles', async (t) => {
	for (const environment of ['sandbox', 'production'] as const) {
		const parts = await openPortalApp(t, 'sqlite', { settings: { environment } });
		const clerk = await parts.signIn('clerk');
		const { body, headers } = await clerk.get('/portal');
		t.true(body.includes(`class="banner ${environment}"`));
		const policy = String(headers['content-security-policy']);
		t.false(policy.includes('unsafe'));
		t.regex(policy, /frame-ancestors 'none'/);
		t.regex(policy, /trusted-types 'none'/);
		t.is(headers['x-frame-options'], 'DENY');
		t.is(headers['cache-control'], 'no-store');
	}
});

test('the first page is smaller than 50 KB with everything that it loads', async (t) => {
	const parts = await openPortalApp(t);
	const manager = await parts.signIn('manager');
	const { body } = await manager.get('/portal');
	let bytes = gzipSync(body).length;
	for (const [, path] of body.matchAll(/ src="([^"]+)"/g))
		bytes += (await parts.app.inject({ url: path, headers: { 'accept-encoding': 'gzip' } })).rawPayload.length;
	t.log(`first page: ${bytes} bytes`);
	t.true(bytes < 50_000);
});

test('unknown paths get a page that says so', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const answer = await clerk.get('/portal/nowhere');
	t.is(answer.statusCode, 404);
	t.true(answer.body.includes('There is no such page'));
	t.is((await parts.app.inject({ url: '/portal/nowhere' })).statusCode, 303);
});

test('a form without the token of the session, or from another site, changes nothing', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const other = await parts.signIn('clerk');
	const token = tokenOn((await clerk.get('/portal')).body);
	const post = (payload: string, headers: Record<string, string> = {}) =>
		parts.app.inject({
			method: 'POST',
			url: '/portal/language',
			payload,
			headers: { ...FORM, cookie: clerk.cookie, ...headers },
		});
	t.is((await post(`language=de&_csrf=${token}`)).statusCode, 303);
	t.is((await post('language=de')).statusCode, 403);
	t.is((await post(`language=de&_csrf=${tokenOn((await other.get('/portal')).body)}`)).statusCode, 403);
	for (const site of ['cross-site', 'same-site', 'none'])
		t.is((await post(`language=de&_csrf=${token}`, { 'sec-fetch-site': site })).statusCode, 403);
	t.is((await post(`language=de&_csrf=${token}`, { origin: 'https://evil.example' })).statusCode, 403);
	t.is((await post(`language=de&_csrf=${token}`, { origin: 'null' })).statusCode, 403);
	t.is((await post(`language=de&_csrf=${token}`, { origin: 'https://vault.example' })).statusCode, 303);
});

test('a language that was chosen stays, and leads back to a page of ours only', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const chosen = await clerk.post('/portal/language', { language: 'de', back: '/portal' });
	t.is(chosen.headers.location, '/portal');
	const [cookie] = [chosen.headers['set-cookie']].flat();
	t.regex(String(cookie), /^__Host-tokendrop-language=de; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+; Secure$/);
	const { body } = await clerk.get('/portal', { cookie: `${clerk.cookie}; __Host-tokendrop-language=de` });
	t.true(body.includes('<html lang="de"'));
	for (const back of ['//evil.example', 'https://evil.example', '/portal\\..', '/portalx', '/portal/\n', '/'])
		t.is((await clerk.post('/portal/language', { language: 'fr', back })).headers.location, '/portal', back);
});

test('any text that counts as a path of the portal stays on this host', (t) => {
	const texts = fc.oneof(
		fc.string(),
		fc.string().map((text) => `/portal${text}`),
		fc.webUrl(),
	);
	t.notThrows(() =>
		fc.assert(
			fc.property(texts, (text) => {
				if (!isPortalPath(text)) return true;
				const { origin, pathname } = new URL(text, 'https://vault.example');
				return origin === 'https://vault.example' && !/[\r\n]/.test(text) && pathname !== '';
			}),
		),
	);
});

pageTest('in a browser the frame has no violations, and warns before a session ends', async (t) => {
	const portal = await portalBrowser(t);
	for (const [language, colorScheme] of [
		['en', 'light'],
		['de', 'dark'],
		['fr', 'light'],
		['es', 'dark'],
	] as const) {
		const { page, show, complaints } = await portal.open('manager', { language, look: { colorScheme } });
		await show('/portal');
		t.deepEqual(await violationsOf(page), [], `${language} ${colorScheme}`);
		t.deepEqual(complaints, []);
	}
	const { page, show, person, complaints } = await portal.open('clerk');
	await page.clock.install();
	await show('/portal');
	t.false(await page.locator('#idle').isVisible());
	await page.clock.fastForward(13 * 60_000 + 30_000);
	await page.locator('#idle').waitFor();
	t.deepEqual(await violationsOf(page), []);
	await page.locator('#idle-stay').click();
	await page.locator('#idle').waitFor({ state: 'hidden' });
	await person.end();
	await page.clock.fastForward(16 * 60_000);
	await page.getByText('Your session has ended').waitFor();
	t.deepEqual(complaints, []);
});
