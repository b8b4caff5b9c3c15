// Tests the search field in a browser: with the keyboard, and with a card number that must not leave the page.

import { isPortalLanguage, PORTAL_LANGUAGES, sayIn } from '../../src/doors/http/portal/texts.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { portalBrowser } from '../helpers/portal-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';

pageTest('a token is found by its reference in two steps, with the keyboard alone, in every language', async (t) => {
	const portal = await portalBrowser(t);
	for (const language of Object.keys(PORTAL_LANGUAGES).filter(isPortalLanguage)) {
		const { page, person, show, complaints } = await portal.open('clerk', { look: { locale: language } });
		// Everybody is of one account, in which each reference is that of one card.
		const reference = `Booking-77-${language}`;
		const token = await storeCard(person.caller!, `?ref=${reference}`);
		await show('/portal');
		await page.keyboard.press('/');
		// One field and one choice.
		await page.keyboard.type(reference);
		await page.keyboard.press('Enter');
		await page.getByText(sayIn(language)('find.kinds.reference')).waitFor();
		await page.focus('#find');
		await page.keyboard.press('ArrowDown');
		await page.keyboard.press('Enter');
		await page.getByText(token).first().waitFor();
		t.true(page.url().endsWith(`/portal/cards/${token}`), language);
		t.deepEqual(complaints, [], language);
	}
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
