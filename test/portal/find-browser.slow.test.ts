// Tests the search field in a browser: with the keyboard, and with a card number that must not leave the page.

import { storeCard } from '../helpers/card-calls.ts';
import { portalBrowser } from '../helpers/portal-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';

pageTest('a token is found by its reference in two steps, with the keyboard alone', async (t) => {
	const portal = await portalBrowser(t);
	const { page, person, show, complaints } = await portal.open('clerk');
	const token = await storeCard(person.caller!, '?ref=Booking-77');
	await show('/portal');
	await page.keyboard.press('/');
	// One field and one choice.
	await page.keyboard.type('Booking-77');
	await page.keyboard.press('Enter');
	await page.getByText('Cards by reference').waitFor();
	await page.focus('#find');
	await page.keyboard.press('ArrowDown');
	await page.keyboard.press('Enter');
	await page.getByText(token).first().waitFor();
	t.true(page.url().endsWith(`/portal/cards/${token}`));
	t.deepEqual(complaints, []);
});

pageTest('a card number in the field is not sent, and the page says what to do', async (t) => {
	const portal = await portalBrowser(t);
	const { page, show } = await portal.open('clerk');
	await show('/portal/cards');
	const sent: string[] = [];
	page.on('request', (request) => sent.push(`${request.url()} ${request.postData() ?? ''}`));
	await page.fill('#find', '4111 1111 1111 1111');
	await page.press('#find', 'Enter');
	await page.getByText('looks like a whole card number').waitFor();
	t.is(await page.inputValue('#find'), '');
	t.deepEqual(
		sent.filter((text) => text.includes('/find')),
		[],
	);
	t.true(page.url().endsWith('/portal/cards'));
});
