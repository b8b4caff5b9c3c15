// Those tests of typing.test.ts that take long.

import type { Page } from 'playwright-core';
import { formBrowser, problemAt, typeCard, withCaret } from '../helpers/form-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';

const brandOn = (page: Page) => page.locator('#brand').innerText();

pageTest('numbers are grouped as on the card, and the brand is told while they are typed', async (t) => {
	const { openForm } = await formBrowser(t);
	const { page } = await openForm();
	const number = page.locator('#cardNumber');
	const typed = async (digits: string) => {
		await number.fill('');
		await number.pressSequentially(digits);
		return [await number.inputValue(), await brandOn(page)];
	};
	t.deepEqual(await typed('4'), ['4', 'Visa']);
	t.deepEqual(await typed('4111111111111111'), ['4111 1111 1111 1111', 'Visa']);
	t.deepEqual(await typed('378282246310005'), ['3782 822463 10005', 'American Express']);
	t.deepEqual(await typed('30569309025904'), ['3056 930902 5904', 'Diners Club']);
	t.deepEqual(await typed('6011111111111117'), ['6011 1111 1111 1117', 'Discover']);
	t.deepEqual(await typed('9'), ['9', '']);
	t.deepEqual(await typed('3782822463100055'), ['3782 822463 10005', 'American Express'], 'no digit too many');
	t.is(await page.locator('#cvv-hint').innerText(), 'The 4 digits on the front of the card');
});

pageTest('the caret stays between the same digits', async (t) => {
	const { openForm } = await formBrowser(t);
	const { page } = await openForm();
	const number = page.locator('#cardNumber');
	const caretAt = (at: number) =>
		number.evaluate(
			(field, to) => (field as never as { setSelectionRange(a: number, b: number): void }).setSelectionRange(to, to),
			at,
		);
	await number.pressSequentially('411122223333');
	await caretAt(2);
	await page.keyboard.type('9');
	t.is(await withCaret(page, 'cardNumber'), '419|1 1222 2333 3');
	await page.keyboard.press('Backspace');
	t.is(await withCaret(page, 'cardNumber'), '41|11 2222 3333');
	await caretAt(5);
	await page.keyboard.press('Backspace');
	t.is(await withCaret(page, 'cardNumber'), '4111| 2222 3333', 'a blank is not deleted, but stepped over');
	await page.keyboard.press('Backspace');
	t.is(await withCaret(page, 'cardNumber'), '411|2 2223 333');
	await page.keyboard.press('Delete');
	t.is(await withCaret(page, 'cardNumber'), '411|2 2233 33');
	await page.locator('#expiry').pressSequentially('9');
	t.is(await withCaret(page, 'expiry'), '09 / |');
	await page.keyboard.press('Backspace');
	await page.keyboard.press('Backspace');
	t.regex(await withCaret(page, 'expiry'), /^0\|9?$/);
});

pageTest('what is pasted is taken as it is grouped, in digits of any script', async (t) => {
	const { openForm } = await formBrowser(t);
	const { page } = await openForm();
	const paste = async (name: string, text: string) => {
		await page.locator(`#${name}`).fill('');
		await page.locator(`#${name}`).focus();
		await page.evaluate(
			(pasted) =>
				(
					globalThis as never as { document: { execCommand(a: string, b: boolean, c: string): void } }
				).document.execCommand('insertText', false, pasted),
			text,
		);
		return page.locator(`#${name}`).inputValue();
	};
	for (const text of [
		'4111-1111-1111-1111',
		'4111111111111111',
		' 4111\u00a01111  1111 1111 ',
		'٤١١١ ١١١١ ١١١١ ١١١١',
		'４１１１１１１１１１１１１１１１',
		'४१११११११११११११११',
	]) {
		t.is(await paste('cardNumber', text), '4111 1111 1111 1111', text);
	}
	for (const text of ['12/30', '12 / 30', '12-2030', '2030-12', '1230', '١٢/٣٠', '12/2030']) {
		t.regex(await paste('expiry', text), /^12 \/ (20)?30$/, text);
	}
	t.is(await paste('expiry', '8/30'), '08 / 30');
	t.is(await paste('cvv', '١٢٣'), '123');
});

pageTest('an input method is not disturbed while it composes', async (t) => {
	const { openForm } = await formBrowser(t);
	const { page } = await openForm();
	const number = page.locator('#cardNumber');
	await number.focus();
	const session = await page.context().newCDPSession(page);
	await session.send('Input.imeSetComposition', { text: '４１１１１', selectionStart: 5, selectionEnd: 5 });
	t.is(await number.inputValue(), '４１１１１', 'the text belongs to the input method');
	await session.send('Input.insertText', { text: '４１１１１' });
	t.is(await withCaret(page, 'cardNumber'), '4111 1|');
});

pageTest('mistakes are told in their place, once a field is left, and go as soon as they are right', async (t) => {
	const { openForm } = await formBrowser(t);
	const { page } = await openForm();
	const number = page.locator('#cardNumber');
	await number.pressSequentially('4111');
	t.is(await problemAt(page, 'cardNumber'), '', 'nothing is said while somebody types');
	await page.keyboard.press('Tab');
	t.is(await problemAt(page, 'cardNumber'), 'The card number is too short.');
	t.is(await number.getAttribute('aria-invalid'), 'true');
	await number.fill('4111111111111112');
	t.regex(await problemAt(page, 'cardNumber'), /a digit seems to be wrong/);
	await number.fill('4111111111111111');
	t.is(await problemAt(page, 'cardNumber'), '');
	t.is(await number.getAttribute('aria-invalid'), 'false');
	await page.locator('#expiry').fill('0120');
	await page.keyboard.press('Tab');
	t.is(await problemAt(page, 'expiry'), 'The card has expired.');
	await page.locator('#cvv').fill('1234');
	await page.keyboard.press('Tab');
	t.is(await problemAt(page, 'cvv'), 'The security code has 3 digits.');
	await number.fill('378282246310005');
	t.is(await problemAt(page, 'cvv'), '', 'American Express has 4');
});

pageTest('a form that is sent with mistakes stores nothing and leads to the first of them', async (t) => {
	const { openForm, parts, demo } = await formBrowser(t);
	const { page } = await openForm();
	await page.locator('#submit').click();
	t.is(await page.locator(':focus').getAttribute('id'), 'cardNumber');
	for (const name of ['cardNumber', 'expiry', 'cvv', 'nameOnCard']) {
		t.is(await problemAt(page, name), 'Please fill in this field.', name);
	}
	t.is(await page.locator('#notice').innerText(), 'Please check the marked fields.');
	t.deepEqual(await parts.vault.list(demo.account.id, { from: 0, num: 10 }), []);
});

pageTest('the holder of a co-badged card chooses its brand', async (t) => {
	const { openForm, parts, demo } = await formBrowser(t);
	const { page } = await openForm();
	await typeCard(page, { cardNumber: '4571000000000001' });
	t.true(await page.getByRole('radio', { name: 'Visa' }).isChecked());
	await page.getByRole('radio', { name: 'Dankort' }).check();
	await page.locator('#submit').click();
	await page.getByText('Thank you').waitFor();
	const [stored] = await parts.vault.list(demo.account.id, { from: 0, num: 10 });
	t.is(stored.cardType, 'Dankort');
});

pageTest('many clicks store one card', async (t) => {
	const { openForm, parts, demo } = await formBrowser(t);
	const { page } = await openForm();
	await typeCard(page);
	await page.evaluate(`for (let i = 0; i < 10; i++) document.getElementById('submit').click()`);
	await page.getByText('Thank you').waitFor();
	t.is((await parts.vault.list(demo.account.id, { from: 0, num: 10 })).length, 1);
});

pageTest('a form that is left open too long says so, and keeps what was typed', async (t) => {
	const { openForm, parts, formUrl } = await formBrowser(t);
	const { page } = await openForm();
	await typeCard(page);
	parts.clock.turn(31 * 60_000);
	await page.locator('#submit').click();
	await page.getByText('The time for this form is over.').waitFor();
	t.is(await page.locator('#cardNumber').inputValue(), '4111 1111 1111 1111');
	await page.goto(await formUrl());
	await typeCard(page);
	await page.locator('#submit').click();
	await page.getByText('Thank you').waitFor();
	t.pass();
});

pageTest('a lost connection is told, and the form can be sent again', async (t) => {
	const { openForm } = await formBrowser(t);
	const { page } = await openForm();
	await typeCard(page);
	await page.context().setOffline(true);
	await page.locator('#submit').click();
	await page.getByText('The form could not be sent.').waitFor();
	await page.context().setOffline(false);
	await page.locator('#submit').click();
	await page.getByText('Thank you').waitFor();
	t.pass();
});

pageTest('a browser without scripts stores a card too', async (t) => {
	const { openForm } = await formBrowser(t);
	const { page } = await openForm({ language: 'de' }, { javaScriptEnabled: false });
	await page.locator('#cardNumber').fill('4111 1111 1111 1112');
	await page.locator('#expiry').fill('12/30');
	await page.locator('#cvv').fill('123');
	await page.locator('#nameOnCard').fill('MARIE DUPONT');
	await page.locator('#submit').click();
	t.regex(await problemAt(page, 'cardNumber'), /Eine Ziffer scheint falsch zu sein/);
	t.is(await page.locator('#nameOnCard').inputValue(), 'MARIE DUPONT');
	t.is(await page.locator('#cardNumber').inputValue(), '', 'a number does not come back');
	await page.locator('#cardNumber').fill('4111 1111 1111 1111');
	await page.locator('#cvv').fill('123');
	await page.locator('#submit').click();
	t.regex(await page.locator('#notice').innerText(), /Die Karte wurde gespeichert/);
});
