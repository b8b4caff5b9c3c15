// Tests the page of a card request in a real browser.

import { pageTest } from '../helpers/shared-browser.ts';
import { FIELDS, open } from './request-pages.setup.ts';

pageTest('a guest enters the card, is told that it was stored, and finds the link used up', async (t) => {
	const { page, ask, list, complaints, hosts, origin } = await open(t);
	const { url } = await ask({ CreatorReference: 'booking-7', Language: 'en' });
	await page.goto(url);
	await page.getByRole('heading', { name: 'Card for hotel' }).waitFor();
	t.true(await page.getByText('Reference: booking-7').isVisible());
	for (const [name, text] of Object.entries(FIELDS)) await page.locator(`[name="${name}"]`).pressSequentially(text);
	await page.getByRole('button', { name: 'Submit' }).click();
	await page.getByText('The card was stored.').waitFor();
	t.is((await list('booking-7')).length, 1);
	t.is(await page.locator('[name="cardNumber"]').inputValue(), '');
	await page.goto(url);
	await page.getByText('This link was used already').waitFor();
	t.deepEqual(hosts(), [new URL(origin).host]);
	t.true(
		complaints.every((complaint) => complaint.includes('404')),
		complaints.join(),
	);
});
