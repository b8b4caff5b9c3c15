// Those tests of view-pages.test.ts that take long.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import { LANGUAGE_CODES, textsOf } from '../../src/base/pages/languages/index.ts';
import { isTooWide, takePictures, violationsOf } from '../helpers/page-checks.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { until } from '../helpers/until.ts';
import { button, GROUPED, MASKED, numberOf, open } from './view-pages.setup.ts';

/** Serves one page on an origin of its own, and returns that origin. */
async function serve(t: ExecutionContext, body: (origin: string) => string): Promise<string> {
	let origin = '';
	const server = createServer((_, response) => void response.setHeader('content-type', 'text/html').end(body(origin)));
	server.listen(0, '127.0.0.1');
	await once(server, 'listening');
	t.teardown(() => server.close());
	origin = `http://localhost:${(server.address() as AddressInfo).port}`;
	return origin;
}

pageTest('the CVV is behind a button, counts as a use, and hides with the number', async (t) => {
	const { page, display, views } = await open(t);
	await page.clock.install();
	await display('&language=en&showCvv=true&displayMode=full');
	await page.getByText(GROUPED).waitFor();
	t.is(await page.getByText('737').count(), 0);
	await button(page, 'Show security code').click();
	await page.getByText('737').waitFor();
	t.true(await page.getByText('Uses left: 0').isVisible());
	t.is(await views(), 2);
	t.true(await button(page, 'Show security code').isDisabled());
	await page.clock.runFor(30_000);
	t.is(await page.getByText('737').count(), 0);
	t.is(await numberOf(page), MASKED);
});

pageTest('a link asks for a code, counts wrong ones, shows the card once and is gone after that', async (t) => {
	const { page, link, views, complaints } = await open(t);
	await page.clock.install();
	const { url, code } = await link();
	await page.goto(url);
	const field = page.getByLabel('Code');
	t.false(await page.locator('#card').isVisible());
	await button(page, 'Show the card').click();
	await page.getByText('Please fill in this field.').waitFor();
	await field.fill(code === '000000' ? '000001' : '000000');
	await field.press('Enter');
	await page.getByText('Tries left: 4').waitFor();
	t.is(await field.getAttribute('aria-invalid'), 'true');
	t.is(await views(), 0);
	await field.fill(code);
	await field.press('Enter');
	await page.getByText(GROUPED).waitFor();
	t.true(await page.getByText('MARIE DUPONT').isVisible());
	t.is(await views(), 1);
	await page.clock.runFor(30_000);
	await page.getByText('The number is hidden.').waitFor();
	t.false(await page.locator('#card').isVisible());
	t.false((await page.content()).includes('1111 1111'));
	await page.reload();
	await page.getByText('This link was used already or has expired.').waitFor();
	// The browser complains only about the refused codes and the page that is gone.
	t.true(
		complaints.every((complaint) => /status of (400|404)/.test(complaint)),
		complaints.join(),
	);
});

pageTest('five wrong codes end a link', async (t) => {
	const { page, link } = await open(t);
	const { url, code } = await link();
	await page.goto(url);
	const wrong = code === '000000' ? '000001' : '000000';
	for (const left of [4, 3, 2, 1]) {
		await page.getByLabel('Code').fill(wrong);
		await page.getByLabel('Code').press('Enter');
		await page.getByText(`Tries left: ${left}`).waitFor();
	}
	await page.getByLabel('Code').fill(wrong);
	await page.getByLabel('Code').press('Enter');
	await page.getByText('Too many wrong codes.').waitFor();
	t.is(await page.getByLabel('Code').count(), 0);
});

pageTest('the keyboard alone is enough, and a page whose time is over says so', async (t) => {
	const { page, display, parts } = await open(t);
	await display('&language=en');
	await page.keyboard.press('Tab');
	t.is(await page.evaluate('document.activeElement.id'), 'show');
	await page.keyboard.press('Enter');
	await page.getByText(GROUPED).waitFor();
	await page.keyboard.press('Tab');
	t.is(await page.evaluate('document.activeElement.id'), 'copy');
	await button(page, 'Hide number').click();
	parts.clock.turn(6 * 60_000);
	await button(page, 'Show number').click();
	await page.getByText('has expired').waitFor();
	t.is(await button(page, 'Show number').count(), 0);
});

pageTest('without the network the page says so, and tries again', async (t) => {
	const { page, display } = await open(t);
	await display('&language=en');
	await page.context().setOffline(true);
	await button(page, 'Show number').click();
	await page.getByText('Please check the connection').waitFor();
	await page.context().setOffline(false);
	await button(page, 'Show number').click();
	await page.getByText(GROUPED).waitFor();
	t.pass();
});

pageTest('in a frame the page tells its size to the registered origin, and to nobody else', async (t) => {
	const { page, origin, displayUrl } = await open(t);
	// The shop is served by this machine, because a browser does not let pages from elsewhere connect to pages of this
	// machine.
	const shop = await serve(
		t,
		(own) => `<script>heard = []; addEventListener('message', ({ data, origin }) => heard.push([data, origin]))</script>
			<iframe src="${displayUrl(`&postMessageHost=${own}&formNonce=a1`)}" allow="clipboard-write" width="400" height="600"></iframe>
			<iframe src="${displayUrl('&postMessageHost=http://localhost:1')}" width="400" height="600"></iframe>`,
	);
	await page.goto(shop);
	await until('the shop hears a message', () => page.evaluate<boolean>('heard.length > 0'));
	await page.frames()[2].locator('#show').waitFor();
	const heard = (await page.evaluate('heard')) as [string, string][];
	for (const [text, from] of heard) {
		t.regex(text, /^frameDimensionsChanged:\d+:\d+:a1$/);
		t.is(from, origin);
	}
	const frame = page.frames()[1];
	await frame.locator('#show').click();
	await frame.getByText(GROUPED).waitFor();
	t.pass();
});

pageTest('an origin that nobody registered cannot show the card in a frame', async (t) => {
	const { parts, page, displayUrl } = await open(t);
	// In the sandbox, pages of this machine may show a card in a frame, so the test allows only another origin.
	const { origins } = parts.identity;
	origins.frameAncestors = async () => ['https://hotel.example'];
	const shop = await serve(t, () => `<iframe src="${displayUrl()}"></iframe>`);
	await page.goto(shop);
	const [, frame] = page.frames();
	await page.waitForLoadState('load');
	t.false((await frame.content()).includes(MASKED));
});

pageTest('axe finds nothing in any language, light and dark, on a phone and at four times the size', async (t) => {
	const { page, display, link } = await open(t);
	const { url, code } = await link();
	for (const colorScheme of ['light', 'dark'] as const) {
		await page.emulateMedia({ colorScheme });
		for (const language of LANGUAGE_CODES) {
			await page.setViewportSize({ width: 390, height: 844 });
			await display(`&language=${language}&showCvv=true`);
			t.deepEqual(await violationsOf(page), [], `${language} ${colorScheme}`);
			t.is(await page.getAttribute('html', 'dir'), language === 'ar' || language === 'he' ? 'rtl' : 'ltr');
			t.true(await page.getByRole('button', { name: textsOf(language).display.show }).isVisible());
		}
	}
	await display('&language=en&showCvv=true&displayMode=full');
	await page.getByText(GROUPED).waitFor();
	t.deepEqual(await violationsOf(page), []);
	// A window of 1280 pixels that is enlarged to 400 % has room for 320 (WCAG 1.4.10).
	await page.setViewportSize({ width: 320, height: 256 });
	t.false(await isTooWide(page));
	await page.goto(url);
	t.deepEqual(await violationsOf(page), []);
	t.false(await isTooWide(page));
	await page.getByLabel('Code').fill('x');
	await page.getByLabel('Code').press('Enter');
	await page.getByText('Tries left: 4').waitFor();
	t.deepEqual(await violationsOf(page), []);
	await page.getByLabel('Code').fill(code);
	await page.getByLabel('Code').press('Enter');
	await page.getByText(GROUPED).waitFor();
	t.deepEqual(await violationsOf(page), []);
	await page.goto(url);
	t.deepEqual(await violationsOf(page), []);
});

pageTest('pictures for the documentation', async (t) => {
	const { page, display, link } = await open(t);
	await page.emulateMedia({ colorScheme: 'light' });
	await display('&language=en&showCvv=true');
	await takePictures(page, 'card-display');
	await button(page, 'Show number').click();
	await page.getByText(GROUPED).waitFor();
	await takePictures(page, 'card-display-full');
	await page.emulateMedia({ colorScheme: 'dark' });
	await page.goto((await link()).url);
	await takePictures(page, 'card-view');
	t.pass();
});
