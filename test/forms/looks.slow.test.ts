// Tests how the forms look and whether everybody can use them, in a real browser: in every language, on phone and desktop,
// light and dark, from left to right and from right to left. With TOKENDROP_TEST_PICTURES=1 it makes the docs' pictures
// anew.

import { mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { LANGUAGE_CODES } from '../../src/base/pages/languages/index.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { formBrowser, problemAt, typeCard } from '../helpers/form-browser.ts';
import { CVV_FORM } from '../helpers/form-calls.ts';
import { pageTest } from '../helpers/shared-browser.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const PICTURES = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };

/** Returns the rules of accessibility that a page breaks, with the elements that break them. */
async function violationsOn(page: Page): Promise<string[]> {
	// The debugger runs the script of axe, because the policy of the page does not allow a script of its own to be added.
	await page.evaluate(AXE);
	return page.evaluate(`axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
		violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ target }) => target.join(' ')).join(', ')))`);
}

pageTest('axe finds nothing in any language, light or dark, with and without mistakes', async (t) => {
	const { formUrl, openPage, demo } = await formBrowser(t);
	const cardUri = await storeCard(demo);
	for (const colorScheme of ['light', 'dark'] as const) {
		const { page } = await openPage({ viewport: PHONE, colorScheme });
		// Colours do not depend on the language, so in the dark two languages are enough.
		for (const language of colorScheme === 'light' ? LANGUAGE_CODES : ['en', 'ar']) {
			const all = { language, showOwnerId: 'true', autoDetectCardType: 'false', cvv: 'optional' };
			await page.goto(await formUrl(all));
			t.deepEqual(await violationsOn(page), [], `${language} ${colorScheme}`);
			await page.locator('#submit').click();
			await page.locator('[aria-invalid="true"]').first().waitFor();
			t.deepEqual(await violationsOn(page), [], `${language} ${colorScheme} with mistakes`);
		}
		await page.goto(await formUrl({ cardUri }, CVV_FORM));
		t.deepEqual(await violationsOn(page), [], `CVV ${colorScheme}`);
	}
});

pageTest('a screen reader is told the name, the hint and the mistake of every field', async (t) => {
	const { openForm } = await formBrowser(t);
	const { page } = await openForm();
	await page.locator('#submit').click();
	await t.notThrowsAsync(page.getByRole('textbox', { name: 'Card number', exact: true }).waitFor());
	const cvv = page.getByRole('textbox', { name: 'Security code (CVV)' });
	const described = (await cvv.getAttribute('aria-describedby'))!.split(' ');
	const texts = await Promise.all(described.map((id) => page.locator(`#${id}`).innerText()));
	t.deepEqual(texts, ['The 3 digits on the back of the card', 'Please fill in this field.']);
	for (const id of ['cvv-problem', 'cardNumber-problem', 'brand']) {
		t.is(await page.locator(`#${id}`).getAttribute('aria-live'), 'polite', id);
	}
	t.is(await page.locator('#notice').getAttribute('role'), 'status');
});

pageTest(
	'nothing moves while the page loads, and nothing but the page around the mistake while it is used',
	async (t) => {
		const { openPage, formUrl } = await formBrowser(t);
		const { page } = await openPage({ viewport: PHONE });
		await page.addInitScript(`window.shifts = [];
		new PerformanceObserver((list) => shifts.push(...list.getEntries().map(({ value }) => value)))
			.observe({ type: 'layout-shift', buffered: true });`);
		await page.goto(await formUrl());
		await page.waitForTimeout(300);
		await typeCard(page);
		t.deepEqual(await page.evaluate('shifts'), []);
	},
);

pageTest('at a zoom of 400 % everything is there and nothing has to be scrolled sideways', async (t) => {
	const { openPage, formUrl } = await formBrowser(t);
	// A window of 1280 pixels that is enlarged to 400 % has room for 320.
	const { page } = await openPage({ viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 });
	for (const language of LANGUAGE_CODES) {
		await page.goto(await formUrl({ language, showOwnerId: 'true' }));
		t.true(((await page.evaluate('document.documentElement.scrollWidth')) as number) <= 320, language);
		await page.locator('#submit').click();
		t.true(((await page.evaluate('document.documentElement.scrollWidth')) as number) <= 320, language);
		t.not(await problemAt(page, 'cardNumber'), '');
	}
});

/** Returns the direction in which a field is written. */
const directionOf = (page: Page, id: string) =>
	page.evaluate(`getComputedStyle(document.getElementById('${id}')).direction`);

pageTest('in a page from right to left the groups of a number stay in their order', async (t) => {
	const { openForm } = await formBrowser(t);
	for (const language of ['ar', 'he']) {
		const { page } = await openForm({ language });
		t.is(await page.locator('html').getAttribute('dir'), 'rtl');
		await page.locator('#cardNumber').pressSequentially('378282246310005');
		const number = page.locator('#cardNumber');
		t.is(await number.inputValue(), '3782 822463 10005');
		t.is(await directionOf(page, 'cardNumber'), 'ltr');
		t.is(await directionOf(page, 'nameOnCard'), 'rtl');
	}
});

/** The pictures that the docs show: the file, its parameters, the kind of window, and what was typed. */
const SHOWN: Readonly<
	Record<string, readonly [query: Record<string, string>, isPhone: boolean, isDark: boolean, what: 'typed' | 'wrong']>
> = {
	'card-form-phone.png': [{}, true, false, 'typed'],
	'card-form-phone-dark.png': [{}, true, true, 'wrong'],
	'card-form-desktop.png': [{}, false, false, 'typed'],
	'card-form-phone-ar.png': [{ language: 'ar' }, true, false, 'typed'],
	'card-form-desktop-he-dark.png': [{ language: 'he' }, false, true, 'wrong'],
};

pageTest('the pictures of the docs are there, and can be made', async (t) => {
	const { openForm } = await formBrowser(t);
	const isMade = process.env.TOKENDROP_TEST_PICTURES === '1';
	if (isMade) mkdirSync(PICTURES, { recursive: true });
	for (const [name, [query, isPhone, isDark, what]] of Object.entries(SHOWN)) {
		const look = { viewport: isPhone ? PHONE : DESKTOP, colorScheme: isDark ? ('dark' as const) : ('light' as const) };
		const { page } = await openForm(query, look);
		await typeCard(page, what === 'typed' ? {} : { cardNumber: '4111111111111112', cvv: '12' });
		if (what === 'wrong') await page.locator('#submit').click();
		const picture = await page.screenshot({
			animations: 'disabled',
			caret: 'hide',
			...(isMade && { path: PICTURES + name }),
		});
		t.true(picture.length < 61_440, `${name}: ${picture.length} bytes`);
		t.notThrows(() => readFileSync(PICTURES + name));
	}
});
