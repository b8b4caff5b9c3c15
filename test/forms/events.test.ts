// Tests what the page around a form is told while somebody types, and what it may do with the form, in a real browser.

import type { Frame, Page } from 'playwright-core';
import { LANGUAGE_CODES, textsOf } from '../../src/base/pages/languages/index.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { formBrowser, heardBy, merchantPage, openMerchant, problemAt, typeCard } from '../helpers/form-browser.ts';
import { CVV_FORM } from '../helpers/form-calls.ts';
import { pageTest } from '../helpers/shared-browser.ts';
import { withoutIds } from '../helpers/stands-alone.ts';
import { until } from '../helpers/until.ts';

interface Opened {
	readonly page: Page;
	readonly form: Frame;
	readonly complaints: readonly string[];
	readonly warnings: readonly string[];
	send(message: string): Promise<unknown>;
	/** The messages in JSON so far. */
	told(): Promise<Record<string, unknown>[]>;
}

type Browser = Awaited<ReturnType<typeof formBrowser>>;

/** Opens a form in a frame of a page of another origin. */
async function openFramed(
	t: Parameters<typeof openMerchant>[0],
	{ formUrl, openPage }: Browser,
	query: Record<string, string> = {},
	path?: string,
): Promise<Opened> {
	const pages: Record<string, string> = {};
	const shop = await openMerchant(t, pages);
	pages['/'] = merchantPage({ card: await formUrl({ postMessageHost: shop, ...query }, path) });
	const { page, complaints } = await openPage();
	const warnings: string[] = [];
	page.on('console', (message) => void (message.text().startsWith('tokendrop: ') && warnings.push(message.text())));
	await page.goto(shop);
	const form = page.frame({ name: 'card' })!;
	await form.locator('#submit').waitFor({ state: 'attached' });
	await until('the form is ready', async () => (await heardBy(page)).some((each) => /^card: ready/.test(each)));
	return {
		...{ page, form, complaints, warnings },
		send: (message) =>
			page.evaluate(`document.getElementById('card').contentWindow.postMessage(${JSON.stringify(message)}, '*')`),
		told: async () =>
			(await heardBy(page))
				.filter((each) => each.startsWith('card: {'))
				.map((each) => JSON.parse(each.slice('card: '.length))),
	};
}

const untilTold = (opened: Opened, what: string, isIt: (message: Record<string, unknown>) => boolean) =>
	until(what, async () => (await opened.told()).find(isIt));

pageTest(
	'a page that listens is told of changes, focus and brand, and never more of a number than BIN and last four',
	async (t) => {
		const opened = await openFramed(t, await formBrowser(t));
		const { form, page } = opened;
		await opened.send('listen');
		await form.locator('#cardNumber').pressSequentially('4111111111111111');
		await form.locator('#expiry').pressSequentially('1220');
		await form.locator('#cvv').pressSequentially('123');
		await form.locator('#nameOnCard').focus();
		await untilTold(opened, 'that the CVV was left', ({ event, field }) => event === 'blur' && field === 'cvv');
		const told = await opened.told();
		const of = (event: string) => told.filter((each) => each.event === event);
		t.deepEqual(
			of('brand').map(({ brand, brands, bin, lastFour, complete }) => [brand, brands, bin, lastFour, complete]),
			[
				['Visa', [], null, null, false],
				['Visa', [], '411111', null, false],
				['Visa', [], '411111', null, true],
				['Visa', [], '41111111', '1111', true],
			],
		);
		t.deepEqual(
			of('change').filter(({ field }) => field === 'cvv'),
			[
				{ event: 'change', field: 'cvv', empty: false, complete: false, problem: null },
				{ event: 'change', field: 'cvv', empty: false, complete: false, problem: null },
				{ event: 'change', field: 'cvv', empty: false, complete: true, problem: null },
			],
		);
		t.deepEqual(
			of('change')
				.filter(({ field }) => field === 'expiry')
				.at(-1),
			{
				...{ event: 'change', field: 'expiry', empty: false, complete: false },
				problem: { reason: 'expired', text: 'The card has expired.' },
			},
		);
		t.deepEqual(
			of('focus').map(({ field }) => field),
			['cardNumber', 'expiry', 'cvv', 'nameOnCard'],
		);
		const text = (await heardBy(page)).join('\n');
		t.notRegex(text, /\d{9}/);
		t.false(text.includes('"123"') || withoutIds(text).includes('1220'));
		t.deepEqual(opened.complaints, []);
	},
);

pageTest('a page that does not listen, and a page of another origin, are told nothing of what is typed', async (t) => {
	const browser = await formBrowser(t);
	const silent = await openFramed(t, browser);
	await silent.send('listen:x');
	await typeCard(silent.form);
	const pages: Record<string, string> = {};
	const shop = await openMerchant(t, pages);
	const other = await openMerchant(t, pages);
	pages['/'] = merchantPage({ card: await browser.formUrl({ postMessageHost: shop }) });
	const { page } = await browser.openPage();
	await page.goto(other);
	const form = page.frame({ name: 'card' })!;
	await form.locator('#submit').waitFor();
	for (const message of ['listen', 'clear', 'focus:cvv', 'update:{"disabled":true}'])
		await page.evaluate(`document.getElementById('card').contentWindow.postMessage(${JSON.stringify(message)}, '*')`);
	await typeCard(form);
	t.is(await form.locator('#cardNumber').inputValue(), '4111 1111 1111 1111');
	await page.waitForTimeout(200);
	t.deepEqual(await heardBy(page), []);
	t.deepEqual(await silent.told(), []);
});

pageTest('with custom validation the page is told field and reason, and the form shows nothing', async (t) => {
	for (const language of ['en', 'de', 'ar']) {
		const opened = await openFramed(t, await formBrowser(t), { useCustomValidation: 'true', language });
		const { form } = opened;
		await typeCard(form, { cardNumber: '4111111111111112', cvv: '12', nameOnCard: '4111111111111111' });
		await opened.send('validate');
		const told = await untilTold(opened, 'what is wrong', ({ event }) => event === 'invalid');
		const { problems } = textsOf(language);
		t.deepEqual(told, {
			event: 'invalid',
			problems: [
				{ field: 'cardNumber', reason: 'numberWrong', text: problems.numberWrong },
				{ field: 'cvv', reason: 'cvvThreeOrFour', text: problems.cvvThreeOrFour },
				{ field: 'nameOnCard', reason: 'nameNumber', text: problems.nameNumber },
			],
			failure: null,
		});
		await until('invalid', async () => (await heardBy(opened.page)).includes('card: invalid'));
		for (const name of ['cardNumber', 'nameOnCard', 'cvv']) {
			t.is(await problemAt(form, name), '', name);
			t.is(await form.locator(`#${name}`).getAttribute('aria-invalid'), 'true', name);
		}
	}
});

pageTest('what fails apart from the fields is told with its reason', async (t) => {
	const browser = await formBrowser(t);
	const opened = await openFramed(t, browser);
	await opened.send('listen');
	await typeCard(opened.form);
	browser.parts.clock.turn(31 * 60_000);
	await opened.send('submit');
	const told = await untilTold(opened, 'the failure', ({ event }) => event === 'invalid');
	t.like(told, { problems: [], failure: { reason: 'session', text: textsOf('en').errors.session } });
});

pageTest('after the card was stored, type, masked number and expiry are told beside the token', async (t) => {
	const opened = await openFramed(t, await formBrowser(t), { formNonce: 'one' });
	await opened.send('listen:one');
	await typeCard(opened.form, { cardNumber: '378282246310005', cvv: '1234' });
	await opened.send('submit:one');
	const told = (await untilTold(opened, 'the token', (each) => 'cardToken' in each))!;
	t.regex(String(told.cardToken), /^[0-9a-f]{32}$/);
	t.like(told, { cardType: 'AMEX', cardNumber: '378282*****0005', expiration: '12/2030', formNonce: 'one' });
	t.is(Object.keys(told).length, 5);
});

pageTest('a form that may not show the card tells its token alone', async (t) => {
	const browser = await formBrowser(t);
	const clerk = await browser.parts.createCaller('clerk', { permissions: ['Tokenize', 'EliminateDuplicates'] });
	const { body: sessionToken } = await clerk.inject('POST', '/api/payments/paycard/tempsession');
	const opened = await openFramed(t, browser, { sessionToken, eliminateCardDuplication: 'true' });
	await opened.send('listen');
	await typeCard(opened.form);
	await opened.send('submit');
	const told = await untilTold(opened, 'the token', (each) => 'cardToken' in each);
	t.deepEqual(Object.keys(told!), ['cardToken']);
});

pageTest('the page puts the cursor into a field, empties the form and changes it', async (t) => {
	const opened = await openFramed(t, await formBrowser(t));
	const { form, page, send } = opened;
	const focused = () => form.locator(':focus').getAttribute('id', { timeout: 2000 });
	await send('listen');
	await page.evaluate(`document.getElementById('card').focus()`);
	await send('focus:cvv');
	await untilTold(opened, 'the focus', ({ event, field }) => event === 'focus' && field === 'cvv');
	t.is(await focused(), 'cvv');
	await send('focus');
	await untilTold(opened, 'the focus', ({ event, field }) => event === 'focus' && field === 'cardNumber');
	t.is(await focused(), 'cardNumber');
	await typeCard(form, { cardNumber: '378282246310005', cvv: '12' });
	await send('validate');
	await until('the problem', async () => (await problemAt(form, 'cvv')) !== '');
	await send('clear');
	await until('empty fields', async () => (await form.locator('#nameOnCard').inputValue()) === '');
	for (const name of ['cardNumber', 'expiry', 'cvv']) t.is(await form.locator(`#${name}`).inputValue(), '', name);
	t.is(await problemAt(form, 'cvv'), '');
	t.is(await form.locator('#cvv').getAttribute('aria-invalid'), 'false');
	t.is(await form.locator('#brand').innerText(), '');
	const changes = (await opened.told()).filter(({ event }) => event === 'change').slice(-4);
	t.deepEqual(
		changes.map(({ field, empty }) => [field, empty]),
		[
			...[
				['cardNumber', true],
				['expiry', true],
				['cvv', true],
				['nameOnCard', true],
			],
		],
	);
	await send('update:{"disabled":true,"submitWithPostMessage":true}');
	await form.locator('#submit').waitFor({ state: 'hidden' });
	t.true(await form.locator('#cardNumber').isDisabled());
	await send('update:{"disabled":false,"submitWithPostMessage":false,"useCustomValidation":true}');
	await form.locator('#submit').waitFor();
	await typeCard(form, { cvv: '12' });
	await form.locator('#submit').click();
	await untilTold(opened, 'what is wrong', ({ event }) => event === 'invalid');
	t.is(await problemAt(form, 'cvv'), '');
	await form.locator('#cvv').fill('123');
	await send('update:{"disabled":true}');
	await form.locator('#cvv:disabled').waitFor();
	await send('submit');
	await untilTold(opened, 'the token', (each) => 'cardToken' in each);
	t.deepEqual(opened.complaints, []);
});

pageTest('an update that does not exist is named in the console', async (t) => {
	const opened = await openFramed(t, await formBrowser(t));
	await opened.send('update:{"colour":"red"}');
	await opened.send('update:nonsense');
	await until('the warnings', async () => opened.warnings.length === 2 || undefined);
	t.deepEqual(opened.warnings, [
		'tokendrop: update has no option colour',
		'tokendrop: expected the options of update as JSON',
	]);
});

pageTest('the choice between two brands is told, and so is what the holder chose', async (t) => {
	const browser = await formBrowser(t);
	const opened = await openFramed(t, browser);
	const { form } = opened;
	await opened.send('listen');
	await typeCard(form, { cardNumber: '4571000000000001' });
	const brands = ['Visa', 'Dankort'];
	await untilTold(opened, 'the choice', (each) => each.event === 'brand' && each.lastFour === '0001');
	t.like((await opened.told()).filter(({ event }) => event === 'brand').at(-1), { brand: 'Visa', brands });
	await form.getByRole('radio', { name: 'Dankort' }).check();
	await untilTold(opened, 'the chosen brand', (each) => each.event === 'brand' && each.brand === 'Dankort');
	t.true((await opened.told()).some(({ event, field }) => event === 'change' && field === 'cardType'));
	await opened.send('submit');
	t.like(await untilTold(opened, 'the token', (each) => 'cardToken' in each), { cardType: 'Dankort' });
});

pageTest('a page that knows a card to be of Cartes Bancaires too lets its holder choose', async (t) => {
	const browser = await formBrowser(t);
	const opened = await openFramed(t, browser, { cardTypes: 'Visa,MasterCard,CartesBancaires' });
	const { form } = opened;
	await opened.send('listen');
	await form.locator('#cardNumber').pressSequentially('411111');
	await untilTold(opened, 'the BIN', (each) => each.event === 'brand' && each.bin === '411111');
	t.is(await form.getByRole('radio').count(), 0);
	// Of the four, a number of Visa can be of two.
	await opened.send('update:{"brands":["CartesBancaires","Visa","AMEX","Mada"]}');
	await form.getByRole('radio', { name: 'Cartes Bancaires' }).waitFor();
	t.deepEqual(
		await form.getByRole('radio').evaluateAll((all) => all.map((each) => (each as never as { value: string }).value)),
		[...['CartesBancaires', 'Visa']],
	);
	await typeCard(form, { cardNumber: '1111111111' });
	await form.getByRole('radio', { name: 'Visa' }).check();
	await form.getByRole('radio', { name: 'Cartes Bancaires' }).check();
	await opened.send('submit');
	const { cardToken, cardType } = (await untilTold(opened, 'the token', (each) => 'cardToken' in each))!;
	t.is(cardType, 'CartesBancaires');
	const found = await browser.parts.vault.findMetadata(browser.demo.account.id, cardToken as Token);
	t.is(found?.cardType, 'CartesBancaires');
});

pageTest('of two brands only one of which is accepted, that one is stored without a question', async (t) => {
	const { openForm, parts, demo } = await formBrowser(t);
	const { page } = await openForm({ cardTypes: 'Dankort' });
	await typeCard(page, { cardNumber: '4571000000000001' });
	t.false(await page.locator('#brand-choice').isVisible());
	await page.locator('#submit').click();
	await page.getByText('Thank you').waitFor();
	const [stored] = await parts.vault.list(demo.account.id, { from: 0, num: 10 });
	t.is(stored.cardType, 'Dankort');
});

pageTest('the CVV form asks for the four digits of an American Express card and for three of any other', async (t) => {
	const browser = await formBrowser(t);
	const hint = (page: Page | Frame) => page.locator('#cvv-hint').innerText();
	const amex = await storeCard(browser.demo, '', { Number: '378282246310005', Type: 'AMEX' });
	const visa = await storeCard(browser.demo);
	for (const language of LANGUAGE_CODES) {
		const { form, problems } = { ...textsOf(language) };
		const { page } = await browser.openPage();
		await page.goto(await browser.formUrl({ cardUri: amex, language }, CVV_FORM));
		t.is(await hint(page), form.cvvFront, language);
		await page.locator('#cvv').fill('123');
		await page.locator('#submit').click();
		t.is(await problemAt(page, 'cvv'), problems.cvvFour, language);
	}
	const { page } = await browser.openPage();
	await page.goto(await browser.formUrl({ cardUri: visa }, CVV_FORM));
	t.is(await hint(page), 'The 3 digits on the back of the card');
	await page.locator('#cvv').fill('1234');
	await page.locator('#submit').click();
	t.is(await problemAt(page, 'cvv'), 'The security code has 3 digits.');
	const opened = await openFramed(t, browser, { cardUri: amex }, CVV_FORM);
	await opened.send('listen');
	await opened.form.locator('#cvv').pressSequentially('1234');
	await opened.send('submit');
	const told = await untilTold(opened, 'the token', (each) => 'cardToken' in each);
	t.like(told, { cardType: 'AMEX', cardNumber: '378282*****0005' });
	t.false(withoutIds(JSON.stringify(await opened.told())).includes('1234'));
});

pageTest('a browser without scripts is asked for the four digits of an American Express card too', async (t) => {
	const browser = await formBrowser(t);
	const cardUri = await storeCard(browser.demo, '', { Number: '378282246310005', Type: 'AMEX' });
	const { page } = await browser.openPage({ javaScriptEnabled: false });
	await page.goto(await browser.formUrl({ cardUri }, CVV_FORM));
	t.is(await page.locator('#cvv-hint').innerText(), 'The 4 digits on the front of the card');
	await page.locator('#cvv').fill('123');
	await page.locator('#submit').click();
	t.is(await problemAt(page, 'cvv'), 'The security code has 4 digits.');
});
