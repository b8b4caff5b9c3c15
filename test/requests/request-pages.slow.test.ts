// Those tests of request-pages.test.ts that take long.

import { LANGUAGE_CODES } from '../../src/base/pages/languages/index.ts';
import { asJson, storeCard } from '../helpers/card-calls.ts';
import { isTooWide, takePictures, violationsOf } from '../helpers/page-checks.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { FIELDS, open } from './request-pages.setup.ts';

pageTest('a link that is cancelled while its page is open says so, and nothing is stored', async (t) => {
	const { page, ask, list, hotel } = await open(t);
	const { id, url } = await ask({ Language: 'en' });
	await page.goto(url);
	for (const [name, text] of Object.entries(FIELDS)) await page.locator(`[name="${name}"]`).pressSequentially(text);
	await hotel.inject('DELETE', `/api/cardrequest/${id}`);
	await page.getByRole('button', { name: 'Submit' }).click();
	await page.getByText('Please ask for a new link').waitFor();
	t.deepEqual(await list(id), []);
	t.is(await page.locator('[name="cardNumber"]').inputValue(), '4111 1111 1111 1111', 'nothing that was typed is lost');
});

pageTest('a guest enters the CVV of a card', async (t) => {
	const { page, ask, hotel } = await open(t);
	const token = await storeCard(hotel);
	const { url } = await ask({ cardUri: token, Language: 'en' }, '/api/cardrequest/cvv');
	await page.goto(url);
	await page.getByText('asks for the security code of your card •••• 1111').waitFor();
	await page.locator('[name="cvv"]').pressSequentially('123');
	await page.keyboard.press('Enter');
	await page.getByText('The security code was stored.').waitFor();
	t.true((await hotel.inject('GET', `/api/payments/paycard/${token}/meta`, asJson)).json().CvvExists);
});

pageTest('axe finds nothing on the pages of a request, in any language, light and dark', async (t) => {
	const { page, ask, hotel } = await open(t);
	const token = await storeCard(hotel);
	for (const colorScheme of ['light', 'dark'] as const) {
		await page.emulateMedia({ colorScheme });
		for (const Language of LANGUAGE_CODES) {
			await page.setViewportSize({ width: 390, height: 844 });
			await page.goto((await ask({ Language, CreatorReference: 'booking-7' })).url);
			t.deepEqual(await violationsOf(page), [], `${Language} ${colorScheme}`);
		}
	}
	await page.goto((await ask({ cardUri: token }, '/api/cardrequest/cvv')).url);
	t.deepEqual(await violationsOf(page), []);
	await page.setViewportSize({ width: 320, height: 256 });
	t.false(await isTooWide(page));
	const { id, url } = await ask();
	await hotel.inject('DELETE', `/api/cardrequest/${id}`);
	await page.goto(url);
	t.deepEqual(await violationsOf(page), []);
	t.false(await isTooWide(page));
});

pageTest('pictures of a card request', async (t) => {
	const { page, ask } = await open(t);
	await page.emulateMedia({ colorScheme: 'light' });
	const { url } = await ask({ CreatorReference: 'booking-7', Language: 'en' });
	await page.goto(url);
	await takePictures(page, 'card-request');
	t.pass();
});
