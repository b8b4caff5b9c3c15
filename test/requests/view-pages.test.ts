// Tests the pages that show a card, in a real browser.

import { VISA } from '../helpers/card-calls.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { button, GROUPED, MASKED, numberOf, open } from './view-pages.setup.ts';

pageTest('a clerk sees the masked number, shows the full one, copies it, and it hides itself again', async (t) => {
	const { page, complaints, hosts, display, views, origin } = await open(t);
	await page.clock.install();
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	await display('&language=en');
	t.is(await numberOf(page), MASKED);
	t.is(await views(), 0);
	await button(page, 'Show number').click();
	await page.getByText(GROUPED).waitFor();
	t.is(await views(), 1);
	t.regex(await page.getByRole('status').innerText(), /hidden again in 30 seconds/);
	await button(page, 'Copy number').click();
	await page.getByText('Copied').waitFor();
	t.is(await page.evaluate('navigator.clipboard.readText()'), VISA);
	await page.clock.runFor(15_000);
	t.is(await numberOf(page), GROUPED);
	await page.clock.runFor(15_000);
	t.is(await numberOf(page), MASKED);
	t.is(await page.getByText('The number is hidden.').count(), 1);
	t.false((await page.content()).includes('1111 1111'));
	await button(page, 'Show number').click();
	await page.getByText(GROUPED).waitFor();
	t.is(await views(), 2, 'each view is an entry');
	await button(page, 'Hide number').click();
	t.is(await numberOf(page), MASKED);
	t.deepEqual(hosts(), [new URL(origin).host]);
	t.deepEqual(complaints, []);
	t.is(await page.evaluate('document.cookie + localStorage.length + sessionStorage.length'), '00');
});
