// Those tests of frames.test.ts that take long.

import type { Frame, Page } from 'playwright-core';
import { formBrowser, heardBy, merchantPage, openMerchant, typeCard } from '../helpers/form-browser.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { until } from '../helpers/until.ts';

/** Returns the frame of this name once its form is there. */
async function frameNamed(page: Page, name: string): Promise<Frame> {
	const frame = page.frame({ name })!;
	await frame.locator('#submit').waitFor({ state: 'attached' });
	return frame;
}

const send = (page: Page, name: string, message: string) =>
	page.evaluate(`document.getElementById('${name}').contentWindow.postMessage(${JSON.stringify(message)}, '*')`);

const hears = (page: Page, message: RegExp) =>
	until(`a message ${message}`, async () => (await heardBy(page)).find((each) => message.test(each)));

pageTest(
	'shapes §5: the form and the page around it exchange the messages that are written, and no others',
	async (t) => {
		const { formUrl, openPage, parts } = await formBrowser(t);
		const pages: Record<string, string> = {};
		const shop = await openMerchant(t, pages);
		const url = await formUrl({ postMessageHost: shop, submitWithPostMessage: 'true' });
		pages['/'] = merchantPage({ card: url });
		const { page, complaints } = await openPage();
		await page.goto(shop);
		const form = await frameNamed(page, 'card');
		await hears(page, /^card: ready$/);
		await hears(page, /^card: frameDimensionsChanged:\d+:\d+$/);
		t.false(await form.locator('#submit').isVisible());
		await send(page, 'card', 'validate');
		await hears(page, /^card: invalid$/);
		await typeCard(form);
		await send(page, 'card', 'validate');
		await hears(page, /^card: valid$/);
		await send(page, 'card', 'submit');
		const told = await hears(page, /^card: \{/);
		const message = JSON.parse(told.slice('card: '.length));
		t.deepEqual(Object.keys(message), ['cardToken']);
		t.regex(message.cardToken, /^[0-9a-f]{32}$/);
		t.true((await parts.vault.locate(message.cardToken)) !== undefined);
		const known = /^card: (ready|valid|invalid|frameDimensionsChanged:\d+:\d+|\{"cardToken":"[0-9a-f]{32}"\})$/;
		for (const each of await heardBy(page)) t.regex(each, known);
		t.deepEqual(complaints, []);
		t.deepEqual(await page.context().cookies(), []);
		t.is(await form.evaluate('localStorage.length + sessionStorage.length'), 0);
	},
);

pageTest('two forms on one page do not hear each other, and are told apart by their nonces', async (t) => {
	const { formUrl, openPage } = await formBrowser(t);
	const pages: Record<string, string> = {};
	const shop = await openMerchant(t, pages);
	const one = await formUrl({ postMessageHost: shop, formNonce: 'one' });
	const two = await formUrl({ postMessageHost: shop, formNonce: 'two' });
	pages['/'] = merchantPage({ first: one, second: two });
	const { page } = await openPage();
	await page.goto(shop);
	await typeCard(await frameNamed(page, 'first'));
	await frameNamed(page, 'second');
	await hears(page, /^first: ready:one$/);
	await hears(page, /^second: ready:two$/);
	for (const wrong of ['submit', 'submit:two', 'submit:', 'validate']) await send(page, 'first', wrong);
	await send(page, 'second', 'submit:two');
	await hears(page, /^second: invalid:two$/);
	t.false((await heardBy(page)).some((each) => /^first: (valid|invalid|\{)/.test(each)));
	await send(page, 'first', 'submit:one');
	const told = await hears(page, /^first: \{/);
	t.like(JSON.parse(told.slice('first: '.length)), { formNonce: 'one' });
	t.false((await heardBy(page)).some((each) => /^second: \{/.test(each)));
});

pageTest('a message from another origin, or from a page that is not around the form, does nothing', async (t) => {
	const { formUrl, openPage, parts, demo } = await formBrowser(t);
	const pages: Record<string, string> = {};
	const shop = await openMerchant(t, pages);
	const other = await openMerchant(t, pages);
	const url = await formUrl({ postMessageHost: shop });
	pages['/'] = merchantPage({ card: url });
	const { page } = await openPage();
	// Shows the form in a page of another origin than the one that the parameter names.
	await page.goto(other);
	const form = await frameNamed(page, 'card');
	await typeCard(form);
	await send(page, 'card', 'submit');
	await form.evaluate(`window.postMessage('submit', '*')`);
	await page.waitForTimeout(300);
	t.deepEqual(await heardBy(page), [], 'nothing is told to another origin either');
	t.deepEqual(await parts.vault.list(demo.account.id, { from: 0, num: 10 }), []);
});

pageTest('the form works within a page that isolates itself and trusts no text as markup', async (t) => {
	const { formUrl, openPage } = await formBrowser(t);
	const pages: Record<string, string> = {};
	const shop = await openMerchant(t, pages, {
		'cross-origin-embedder-policy': 'require-corp',
		'cross-origin-opener-policy': 'same-origin',
		'content-security-policy': "require-trusted-types-for 'script'",
	});
	pages['/'] = merchantPage({ card: await formUrl({ postMessageHost: shop }) });
	const { page, complaints } = await openPage();
	await page.goto(shop);
	t.true(await page.evaluate('crossOriginIsolated'));
	const form = await frameNamed(page, 'card');
	await typeCard(form);
	await form.locator('#submit').click();
	await hears(page, /^card: \{"cardToken"/);
	t.deepEqual(complaints, []);
});

pageTest('the browser goes to the address for success', async (t) => {
	const { openForm } = await formBrowser(t);
	const pages = { '/done': '<!doctype html><title>Done</title>Done' };
	const shop = await openMerchant(t, pages);
	for (const javaScriptEnabled of [true, false]) {
		const success = `${shop}/done?token={cardToken}&number={cardNumber}`;
		const { page } = await openForm({ success }, { javaScriptEnabled });
		await page.locator('#cardNumber').fill('4111111111111111');
		await page.locator('#expiry').fill('12 / 30');
		await page.locator('#cvv').fill('123');
		await page.locator('#nameOnCard').fill('MARIE DUPONT');
		await page.locator('#submit').click();
		await page.waitForURL(`${shop}/done?**`);
		const { searchParams } = new URL(page.url());
		t.regex(searchParams.get('token')!, /^[0-9a-f]{32}$/);
		t.is(searchParams.get('number'), '411111******1111');
		t.is(await page.evaluate('document.referrer'), '');
	}
});

pageTest('a form of an account that may not store goes to the address for failure, and any other stays', async (t) => {
	const { openForm, parts, demo } = await formBrowser(t);
	const shop = await openMerchant(t, { '/failed': '<!doctype html><title>Failed</title>Failed' });
	const { page } = await openForm({ failure: `${shop}/failed` });
	await typeCard(page, { cardNumber: '4111111111111112' });
	await page.locator('#submit').click();
	t.is(await page.locator(':focus').getAttribute('id'), 'cardNumber');
	await page.locator('#cardNumber').fill('4111111111111111');
	await parts.identity.accounts.block(demo.account.userId, 'operator test');
	await page.locator('#submit').click();
	await page.waitForURL(`${shop}/failed`);
	t.pass();
});
