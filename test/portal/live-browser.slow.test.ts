// Tests in a browser that lists follow what happens without being loaded again, and that readers keep their place in them.

import type { Page } from 'playwright-core';
import { runNextJob } from '../helpers/http-jobs.ts';
import { portalBrowser } from '../helpers/portal-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { CSV, sendPiece } from './files.setup.ts';

/** Marks the document of a page, and returns a function that tells whether it is still the same one. */
async function marked(page: Page): Promise<() => Promise<boolean>> {
	await page.evaluate('globalThis.isSame = true');
	return () => page.evaluate('globalThis.isSame === true');
}

pageTest('in two browsers the first file appears, and its state moves, without a reload', async (t) => {
	const portal = await portalBrowser(t);
	const [clerk, viewer] = [await portal.open('clerk'), await portal.open('viewer')];
	const stranger = await portal.open('manager', { account: 'other' });
	const same: (() => Promise<boolean>)[] = [];
	for (const { page, show } of [clerk, viewer, stranger]) {
		await show('/portal/files');
		await page.getByText('No file came yet').waitFor();
		same.push(await marked(page));
	}
	await sendPiece(portal.parts, clerk.person, CSV, { name: 'first.csv' });
	for (const { page } of [clerk, viewer]) {
		await page.getByRole('link', { name: 'first.csv' }).waitFor();
		await page.getByText('waiting', { exact: true }).waitFor();
		t.is(await page.getByText('No file came yet').count(), 0);
	}
	// Who reads the list keeps the focus and what is selected while rows come above.
	const link = viewer.page.getByRole('link', { name: 'first.csv' });
	await link.focus();
	await viewer.page.evaluate(
		`getSelection().selectAllChildren(document.activeElement), globalThis.row = document.activeElement.closest('tr')`,
	);
	await sendPiece(portal.parts, clerk.person, CSV, { name: 'second.csv' });
	await viewer.page.getByRole('link', { name: 'second.csv' }).waitFor();
	await runNextJob(portal.parts);
	for (const { page } of [clerk, viewer]) await page.getByText('done, cards refused').first().waitFor();
	t.is(await viewer.page.evaluate('document.activeElement.textContent'), 'first.csv');
	t.is(await viewer.page.evaluate('String(getSelection())'), 'first.csv');
	t.true(await viewer.page.evaluate(`row.isConnected && row.innerText.includes('done, cards refused')`));
	t.is(await stranger.page.getByText('first.csv').count(), 0);
	for (const isSame of same) t.true(await isSame());
	for (const { complaints } of [clerk, viewer, stranger]) t.deepEqual(complaints, []);
});

pageTest('the overview and card requests follow, and a page that was walked to does too', async (t) => {
	const portal = await portalBrowser(t);
	const manager = await portal.open('manager');
	const watcher = await portal.openFor(manager.person);
	await manager.show('/portal');
	await watcher.show('/portal/files');
	const isSame = await marked(watcher.page);
	await watcher.page.getByRole('link', { name: 'Card requests' }).click();
	await watcher.page.locator('h1:text-is("Card requests")').waitFor();
	const waiting = manager.page.locator('dl.tiles a[href="/portal/files?show=waiting"]');
	t.is(await waiting.innerText(), '0');
	await sendPiece(portal.parts, manager.person, CSV);
	await manager.page.locator('dl.tiles a[href="/portal/files?show=waiting"]:text-is("1")').waitFor();
	const made = await manager.person.post('/portal/requests/new', {
		...{ RecipientName: 'Anna', CreatorReference: 'stay-17' },
	});
	t.is(made.statusCode, 200);
	await watcher.page.getByRole('link', { name: 'stay-17' }).waitFor();
	const path = await watcher.page.getByRole('link', { name: 'stay-17' }).getAttribute('href');
	await manager.person.post(`${path}/cancel`);
	await watcher.page.locator('tr', { hasText: 'stay-17' }).getByText('cancelled').waitFor();
	t.true(await isSame());
});

pageTest(
	'a page that nobody sees asks for nothing, and one whose session has ended leads to the sign-in page',
	async (t) => {
		const portal = await portalBrowser(t);
		const { page, show, person } = await portal.open('clerk');
		await show('/portal/files');
		await page.getByText('No file came yet').waitFor();
		const asked: string[] = [];
		page.on('request', (request) => asked.push(new URL(request.url()).pathname));
		const setHidden = (isHidden: boolean) =>
			page.evaluate(
				`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} }), document.dispatchEvent(new Event('visibilitychange'))`,
			);
		await setHidden(true);
		await page.waitForTimeout(1500);
		asked.length = 0;
		await sendPiece(portal.parts, person, CSV, { name: 'unseen.csv' });
		await page.waitForTimeout(2500);
		t.deepEqual(asked, []);
		await setHidden(false);
		await page.getByRole('link', { name: 'unseen.csv' }).waitFor();
		await person.end();
		await page.waitForURL(/\/portal\/login\?next=%2Fportal%2Ffiles/);
		await page.getByText('Your session has ended').waitFor();
	},
);
