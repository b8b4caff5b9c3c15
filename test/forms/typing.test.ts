// Tests what happens while a card is typed, in a real browser.

import { readCardFields } from '../../src/work/cardholders/forms/card-fields.ts';
import { formBrowser } from '../helpers/form-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';

pageTest('a card is typed with the keyboard alone, and stored', async (t) => {
	const { openForm, parts, demo } = await formBrowser(t);
	const { page, complaints } = await openForm({ autoFocus: 'true' });
	const { keyboard } = page;
	for (const text of ['4111111111111111', '1230', '123', 'MARIE DUPONT']) {
		await keyboard.type(text);
		await keyboard.press('Tab');
	}
	t.is(await page.locator(':focus').getAttribute('id'), 'submit');
	await keyboard.press('Enter');
	await page.getByText('Thank you. The card was stored.').waitFor();
	t.is(await page.locator('#cardNumber').inputValue(), '', 'the page forgets the number');
	const [stored] = await parts.vault.list(demo.account.id, { from: 0, num: 10 });
	t.like(stored, { cardType: 'Visa', expiry: 203012 });
	t.deepEqual(complaints, []);
});

pageTest('a month of one digit before a blank is a month, with the script and without it', async (t) => {
	const { openForm } = await formBrowser(t);
	const { page } = await openForm();
	await page.locator('#expiry').pressSequentially('1 30');
	t.is(await page.locator('#expiry').inputValue(), '01 / 30');
	const options = { cvv: 'absent', detectsType: true } as never;
	const now = new Date('2026-11-01T00:00:00Z');
	for (const expiry of ['1 30', ' 1  2030']) {
		const read = readCardFields({ cardNumber: '4111111111111111', expiry }, options, now);
		t.is('card' in read && read.card.expiry, 203001, expiry);
	}
});
