// Tests the library with the real forms, in a page of a merchant of another origin, as docs/forms.md describes it.

import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import type { Token } from '../../src/vault/tokens/token.ts';
import { type FormBrowser, formBrowser, typeCard } from '../helpers/form-browser.ts';
import { readPage } from '../helpers/generate-library.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { until } from '../helpers/until.ts';

const SHOP = 'https://shop.example';

/** Opens a page of the shop, which has registered its origin unless told otherwise. */
async function openShop(t: ExecutionContext<unknown>, body: (opened: FormBrowser) => string, isRegistered = true) {
	const opened = await formBrowser(t);
	if (isRegistered) await opened.parts.identity.origins.add('demo', SHOP, 'operator test');
	const { page, complaints } = await opened.openPage();
	await page.route(`${SHOP}/**`, (route) => route.fulfill({ contentType: 'text/html', body: body(opened) }));
	await page.goto(`${SHOP}/`);
	return { ...opened, page, complaints };
}

const EMPTY = ({ base }: FormBrowser) =>
	`<!doctype html><link rel="icon" href="data:,"><div id="one"></div><div id="two"></div><script type="module">import * as all from '${base}/lib/tokendrop.js'; globalThis.tokendrop = all;</script>`;

const makeToken = async ({ demo }: FormBrowser) =>
	(await demo.inject('POST', '/api/payments/paycard/tempsession')).body;

/** Runs a text as a script in the page, once the library is there. If it fails, the error tells what each frame shows. */
async function run(page: Page, text: string): Promise<unknown> {
	await until('the library is loaded', () => page.evaluate<boolean>('Boolean(globalThis.tokendrop)'));
	return page.evaluate(`(async () => { ${text} })()`).catch(async (error) => {
		const shown = page.frames().map(async (frame) => `${frame.url()}: ${await frame.content().catch(String)}`);
		throw new Error(`${(await Promise.all(shown)).join('\n')}`, { cause: error });
	});
}

pageTest('the page that docs/forms.md shows stores a card as it stands', async (t) => {
	const [, copied] = /```html\n(.*?)```/s.exec(readPage('docs/forms.md'))!;
	const opened = await formBrowser(t);
	const token = await makeToken(opened);
	t.true(copied.includes('ts_…') && copied.includes('integrity="sha384-'));
	const shop = copied.replaceAll('https://vault.example', opened.base).replace('ts_…', token);
	await opened.parts.identity.origins.add('demo', SHOP, 'operator test');
	const { page } = await opened.openPage();
	await page.route(`${SHOP}/**`, (route) => route.fulfill({ contentType: 'text/html', body: shop }));
	await page.goto(`${SHOP}/`);
	const frame = await (await page.waitForSelector('iframe')).contentFrame();
	await typeCard(frame!);
	await frame!.locator('#submit').click();
	await page.locator('#result:not(:empty)').waitFor();
	const [, stored] = /^Stored as ([0-9a-f]{32})$/.exec(await page.locator('#result').innerText())!;
	const found = await opened.parts.vault.find(opened.demo.account.id, stored as Token);
	t.is(found?.record.digits.toString(), '4111111111111111');
	const listed = await opened.demo.inject('GET', '/api/payments/paycard/meta?ref=order-7');
	t.is(listed.json().length, 1);
});

/** Returns the blocks of code of a language in docs/forms.md. */
const blocksOf = (language: string) =>
	[...readPage('docs/forms.md').matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, code]) => code);

pageTest('the page of docs/forms.md that shows problems itself does so, and thanks with the masked card', async (t) => {
	const opened = await formBrowser(t);
	const token = await makeToken(opened);
	const shop = blocksOf('html')[1].replaceAll('https://vault.example', opened.base).replace('ts_…', token);
	await opened.parts.identity.origins.add('demo', SHOP, 'operator test');
	const { page, complaints } = await opened.openPage();
	await page.route(`${SHOP}/**`, (route) => route.fulfill({ contentType: 'text/html', body: shop }));
	await page.goto(`${SHOP}/`);
	const frame = (await (await page.waitForSelector('iframe')).contentFrame())!;
	await typeCard(frame, { cvv: '12' });
	t.is(await page.locator('#brand').innerText(), 'Visa 41111111…');
	await page.locator('#pay').click();
	await page.getByText('cvv: The security code has 3 digits.').waitFor();
	await frame.locator('#cvv:focus').waitFor();
	t.is(await frame.locator('#cvv-problem').innerText(), '');
	await frame.locator('#cvv').fill('123');
	await page.locator('#problems:empty').waitFor({ state: 'attached' });
	await page.locator('#pay').click();
	await page.getByText('Thank you: Visa 411111******1111, 12/2030').waitFor();
	t.deepEqual(
		complaints.filter((each) => !/favicon|404/.test(each)),
		[],
	);
});

pageTest('with the lines of docs/forms.md the holder of a French card chooses between its brands', async (t) => {
	const { page, ...opened } = await openShop(t, EMPTY);
	const token = await makeToken(opened);
	const [lines] = blocksOf('js');
	await run(
		page,
		`const isFrench = async (bin) => bin === '411111';
		const form = globalThis.form = tokendrop.mountCardForm('#one', { sessionToken: '${token}' });
		${lines}
		await form.ready;`,
	);
	const frame = page.frames()[1];
	await typeCard(frame);
	await frame.getByRole('radio', { name: 'Visa' }).waitFor();
	t.true(await frame.getByRole('radio', { name: 'Cartes Bancaires' }).isChecked());
	t.like(await run(page, 'await form.submit(); return form.stored;'), { cardType: 'CartesBancaires' });
});

pageTest('a page with a wrong hash loads no library', async (t) => {
	const { page } = await openShop(
		t,
		({ base }) =>
			`<!doctype html><script type="module" src="${base}/lib/tokendrop-1.js" integrity="sha384-${'A'.repeat(64)}" crossorigin="anonymous"></script>`,
	);
	const loaded = page.evaluate(`import(document.querySelector('script').src).then(() => 'loaded', () => 'refused')`);
	t.is(await loaded, 'refused');
});

pageTest('the page judges and submits a form without a button, and its frame grows with the problems', async (t) => {
	const { page, complaints, ...opened } = await openShop(t, EMPTY);
	const token = await makeToken(opened);
	const before = await run(
		page,
		`globalThis.form = tokendrop.mountCardForm('#one', { sessionToken: '${token}', submitWithPostMessage: true, cardTypes: ['Visa'] });
		await form.ready;
		const height = parseInt(form.frame.style.height);
		const isValid = await form.validate();
		const refused = await form.submit().catch(({ code }) => code);
		await new Promise((done) => setTimeout(done, 300));
		return { isValid, refused, grew: parseInt(form.frame.style.height) > height };`,
	);
	t.deepEqual(before, { isValid: false, refused: 'invalid', grew: true });
	const [, frame] = page.frames();
	t.false(await frame.locator('#submit').isVisible());
	await typeCard(frame);
	const after = (await run(
		page,
		`const isValid = await form.validate();
		const token = await form.submit();
		return { isValid, token, same: (await form.token) === token };`,
	)) as { token: string };
	t.like(after, { isValid: true, same: true });
	t.truthy(await opened.parts.vault.find(opened.demo.account.id, after.token as Token));
	t.deepEqual(complaints, []);
	t.deepEqual(await page.context().cookies(), []);
});

pageTest('the page hears what happens in the form, acts on it, and gets the masked card with the token', async (t) => {
	const { page, complaints, ...opened } = await openShop(t, EMPTY);
	const token = await makeToken(opened);
	await run(
		page,
		`globalThis.heard = [];
		globalThis.form = tokendrop.mountCardForm('#one', { sessionToken: '${token}', useCustomValidation: true });
		for (const name of ['change', 'focus', 'blur', 'brand', 'invalid', 'token', 'stored'])
			form.on(name, (detail) => heard.push([name, detail]));
		await form.ready;
		await form.focus('cvv');`,
	);
	const frame = page.frames()[1];
	await frame.locator('#cvv:focus').waitFor();
	const refused = await run(
		page,
		`return form.submit().catch(({ code, errors, failure, message }) => ({ code, errors, failure, message }));`,
	);
	const required = ['Please fill in this field.'];
	t.deepEqual(refused, {
		...{ code: 'invalid', failure: undefined, message: 'the form was not stored: a field is wrong' },
		errors: { cardNumber: required, expiry: required, nameOnCard: required, cvv: required },
	});
	await typeCard(frame, { cardNumber: '4571000000000001' });
	await run(page, `await form.update({ brands: ['Dankort', 'Visa'] });`);
	await frame.getByRole('radio', { name: 'Dankort' }).and(frame.locator(':checked')).waitFor();
	const { stored, heard, same } = (await run(
		page,
		`const token = await form.submit();
		const stored = await form.stored;
		return { stored, heard, same: stored.token === token };`,
	)) as { stored: Record<string, string>; heard: [string, Record<string, unknown>][]; same: boolean };
	t.true(same);
	t.like(stored, { cardType: 'Dankort', cardNumber: '457100******0001', expiration: '12/2030' });
	const last = (name: string) => heard.filter(([each]) => each === name).at(-1)?.[1];
	t.deepEqual(last('stored') as unknown, stored);
	t.deepEqual(last('brand'), {
		...{ brand: 'Dankort', brands: ['Dankort', 'Visa'], bin: '45710000', lastFour: '0001', complete: true },
	});
	t.like(last('change'), { field: 'nameOnCard', empty: false, complete: true, problem: null });
	t.is((last('invalid')!.problems as unknown[]).length, 4);
	t.true(heard.some(([name, detail]) => name === 'blur' && detail.field === 'expiry'));
	t.notRegex(JSON.stringify(heard).replaceAll(stored.token, ''), /\d{9}/);
	t.deepEqual(complaints, []);
});

pageTest('the page empties and disables a form', async (t) => {
	const { page, ...opened } = await openShop(t, EMPTY);
	const token = await makeToken(opened);
	await run(page, `globalThis.form = tokendrop.mountCardForm('#one', { sessionToken: '${token}' }); await form.ready;`);
	const frame = page.frames()[1];
	await typeCard(frame);
	await run(page, 'await form.clear(); await form.update({ disabled: true });');
	await frame.locator('#cardNumber:disabled').waitFor();
	t.is(await frame.locator('#cardNumber').inputValue(), '');
	t.is(await frame.locator('#nameOnCard').inputValue(), '');
});

pageTest('a CVV is added to a stored card beside a form for another card', async (t) => {
	const { page, ...opened } = await openShop(t, EMPTY);
	const [one, two, three] = [await makeToken(opened), await makeToken(opened), await makeToken(opened)];
	await run(
		page,
		`globalThis.card = tokendrop.mountCardForm('#one', { sessionToken: '${one}', cvv: false }); await card.ready;`,
	);
	const frame = page.frames()[1];
	t.is(await frame.locator('#cvv').count(), 0);
	await frame.locator('#cardNumber').fill('4111111111111111');
	await frame.locator('#expiry').fill('12 / 30');
	await frame.locator('#nameOnCard').fill('MARIE DUPONT');
	const stored = (await run(page, 'return card.submit();')) as Token;
	t.is(
		await opened.parts.vault.cvvs.use((await opened.parts.vault.find(opened.demo.account.id, stored))!, ANYWHERE),
		undefined,
	);
	await run(
		page,
		`globalThis.other = tokendrop.mountCardForm('#one', { sessionToken: '${two}' });
		globalThis.cvv = tokendrop.mountCvvForm('#two', { sessionToken: '${three}', cardUri: '${opened.parts.settings.baseUrl}/api/payments/paycard/${stored}' });
		other.on('token', () => { globalThis.mistaken = true; });
		await Promise.all([cvv.ready, other.ready]);`,
	);
	await page.frames().at(-1)!.locator('#cvv').fill('306');
	t.deepEqual(await run(page, 'return [await cvv.submit(), globalThis.mistaken ?? false];'), [stored, false]);
	t.truthy(
		await opened.parts.vault.cvvs.use((await opened.parts.vault.find(opened.demo.account.id, stored))!, ANYWHERE),
	);
});

const ANYWHERE = { type: 'HostName', data: 'pms.example' } as const;

for (const [what, isRegistered, token] of [
	['of an origin that is not registered', false, undefined],
	['with a session token that has ended', true, 'ts_ended'],
] as const) {
	pageTest(`a page ${what} is told that the form did not open`, async (t) => {
		const { page, ...opened } = await openShop(t, EMPTY, isRegistered);
		const sessionToken = token ?? (await makeToken(opened));
		const told = await run(
			page,
			`return tokendrop.mountCardForm('#one', { sessionToken: '${sessionToken}' }).ready.catch(({ code }) => code);`,
		);
		t.is(told, 'not-opened');
	});
}
