// Tests the library in a merchant's page of another origin, in a real browser. The form is a small one of the test that
// speaks the messages of shapes §5; test/forms tests the library with real forms.

import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { CARD_TYPES } from '../../src/base/card/brand.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { openPage, pageTest } from '../helpers/shared-browser.ts';
import { until } from '../helpers/until.ts';
import { beginSession } from '../helpers/wallet-calls.ts';

const SHOP = 'https://shop.example';
const TOKEN = '9e107d9d372bb6826bd81d3542a419d6';

/** A page that answers like a form: `validate` is invalid unless its address says `good`, and `submit` stores. */
const FORM = `<!doctype html><script>
const at = new URLSearchParams(location.search);
const to = at.get('postMessageHost'), mark = ':' + at.get('formNonce');
const tell = (text) => parent.postMessage(text, to);
addEventListener('message', ({ data, origin }) => {
	if (origin !== to) return;
	if (data === 'validate' + mark) tell((at.has('good') ? 'valid' : 'invalid') + mark);
	if (data === 'submit' + mark) tell(at.has('good') ? JSON.stringify({ cardToken: '${TOKEN}', formNonce: mark.slice(1) }) : 'invalid' + mark);
});
tell('frameDimensionsChanged:300:222' + mark);
tell('ready' + mark);
</script>`;

/** Returns the strictest policy that a shop may have, with the address of the vault. */
const policyOf = (vault: string) =>
	`default-src 'none'; script-src 'nonce-shop' ${vault}; frame-src ${vault}; connect-src ${vault}; require-trusted-types-for 'script'; trusted-types 'none'`;

async function openShop(t: ExecutionContext, form = FORM) {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	await parts.identity.origins.add('agency', SHOP, 'operator test');
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = parts.app.server.address() as { port: number };
	const vault = `http://127.0.0.1:${port}`;
	const { page, complaints } = await openPage(t);
	const warnings: string[] = [];
	page.on('console', (message) => {
		if (message.type() === 'warning' && message.text().startsWith('tokendrop: ')) warnings.push(message.text());
	});
	await page.route(`${SHOP}/**`, (route) =>
		route.fulfill({
			contentType: 'text/html',
			headers: { 'content-security-policy': policyOf(vault), 'cross-origin-opener-policy': 'same-origin' },
			body: `<!doctype html><div id="one"></div><div id="two"></div><script type="module" nonce="shop">import * as tokendrop from '${vault}/lib/tokendrop-1.js'; globalThis.tokendrop = tokendrop;</script>`,
		}),
	);
	await page.route(`${vault}/api/payments/capture*`, (route) =>
		route.fulfill({ contentType: 'text/html', body: form }),
	);
	await page.goto(`${SHOP}/`);
	await until('the library is loaded', () => page.evaluate<boolean>('Boolean(globalThis.tokendrop)'));
	return { parts, caller, page, complaints, warnings, vault };
}

/** Runs a text as a script in the page; it may use `tokendrop`. */
const run = (page: Page, text: string): Promise<unknown> => page.evaluate(`(async () => { ${text} })()`);

pageTest('a form is mounted, grows, is judged and gives its token; nothing offends the strictest policy', async (t) => {
	const { page, complaints, vault } = await openShop(t);
	const told = await run(
		page,
		`const events = [];
		const form = tokendrop.mountCardForm('#one', { sessionToken: 'ts_x', cvv: 'optional', cardTypes: ['Visa', 'MasterCard'], good: 1, brand: undefined });
		for (const name of ['ready', 'valid', 'invalid', 'resize', 'token'])
			form.on(name, (detail) => events.push(detail === undefined ? name : name + ' ' + JSON.stringify(detail)));
		await form.ready;
		const isValid = await form.validate();
		const token = await form.submit();
		return { events, isValid, token, again: await form.submit(), promised: await form.token,
			height: form.frame.style.height, allow: form.frame.allow, src: form.frame.src, title: form.frame.title };`,
	);
	const { src, ...rest } = told as { src: string };
	t.deepEqual(rest as unknown, {
		events: ['resize {"width":300,"height":222}', 'ready', 'valid', 'valid', `token "${TOKEN}"`],
		isValid: true,
		token: TOKEN,
		again: TOKEN,
		promised: TOKEN,
		height: '222px',
		allow: 'autofill',
		title: 'Card details',
	});
	const { origin, pathname, searchParams } = new URL(src);
	t.is(origin + pathname, `${vault}/api/payments/capturecard`);
	t.regex(searchParams.get('formNonce')!, /^[0-9a-f]{32}$/);
	searchParams.delete('formNonce');
	t.deepEqual(Object.fromEntries(searchParams), {
		sessionToken: 'ts_x',
		cvv: 'optional',
		cardTypes: 'Visa,MasterCard',
		good: '1',
		postMessageHost: SHOP,
	});
	t.deepEqual(complaints, []);
});

pageTest('a wrong field is told, and a form that is removed hears nothing more', async (t) => {
	const { page } = await openShop(t);
	const told = await run(
		page,
		`const form = tokendrop.mountCvvForm(document.getElementById('one'), { url: '/x', baseUrl: 'ignored' });
		form.destroy();
		const gone = await form.token.catch((error) => error.name + ' ' + error.code);
		const card = tokendrop.mountCardForm('#two', { sessionToken: 'ts_x', autoResize: false, height: 100 });
		const isValid = await card.validate();
		const refused = await card.submit().catch(({ code }) => code);
		let missing; try { tokendrop.mountCardForm('#three', {}); } catch (error) { missing = error.code; }
		return { gone, isValid, refused, missing, frames: document.querySelectorAll('iframe').length, height: card.frame.style.height };`,
	);
	t.deepEqual(told, {
		gone: 'TokendropError destroyed',
		isValid: false,
		refused: 'invalid',
		missing: 'no-element',
		frames: 1,
		height: '100px',
	});
});

pageTest('two forms of a page do not hear each other, and nobody else is heard', async (t) => {
	const { page } = await openShop(t);
	const told = await run(
		page,
		`const heard = [];
		const one = tokendrop.mountCardForm('#one', { sessionToken: 'a', good: 1 });
		const two = tokendrop.mountCardForm('#two', { sessionToken: 'b' });
		one.on('token', () => heard.push('one')); two.on('token', () => heard.push('two'));
		two.on('valid', () => heard.push('two valid'));
		await Promise.all([one.ready, two.ready]);
		const forged = JSON.stringify({ cardToken: '${'f'.repeat(32)}', formNonce: new URL(two.frame.src).searchParams.get('formNonce') });
		postMessage(forged, '*');
		two.frame.contentWindow.parent.postMessage(forged, '*');
		const blank = document.createElement('iframe');
		document.body.append(blank);
		blank.contentWindow.parent.postMessage(forged, '*');
		await one.submit();
		await new Promise((done) => setTimeout(done, 200));
		return heard;`,
	);
	t.deepEqual(told, ['one']);
});

pageTest('a wrong option is named in the console, without its value', async (t) => {
	const { page, warnings } = await openShop(t);
	await run(
		page,
		`const mount = (options) => tokendrop.mountCardForm('#one', { sessionToken: 'ts_secret', ...options });
		mount({ cardtype: 'Visa' });
		mount({ colour: 'red' });
		mount({ cvv: 'perhaps' });
		mount({ autoFocus: 'yes', expirationMonths: 1.5 });
		mount({ cardTypes: ['Visa', 'Vsa'], minExpiration: '2030' });
		mount({ sessionToken: { secret: 'ts_secret' } });
		tokendrop.mountCvvForm('#two', { cardTypes: 'Visa', cardURI: 'x' });
		const form = mount({});
		await form.ready;
		await form.update({ brand: 'Visa', disabled: 'perhaps' });`,
	);
	t.deepEqual(warnings.slice(0, 5), [
		'tokendrop: mountCardForm has no option cardtype; did you mean cardTypes?',
		'tokendrop: mountCardForm has no option colour',
		'tokendrop: the option cvv of mountCardForm is wrong: expected true, false or "optional"',
		'tokendrop: the option autoFocus of mountCardForm is wrong: expected true or false',
		'tokendrop: the option expirationMonths of mountCardForm is wrong: expected a whole number from 0 to 240',
	]);
	t.regex(
		warnings[5],
		/^tokendrop: the option cardTypes of mountCardForm is wrong: expected names of card types: AMEX, /,
	);
	t.deepEqual(warnings.slice(6), [
		'tokendrop: the option minExpiration of mountCardForm is wrong: expected a month, as in "2030-04"',
		'tokendrop: the option sessionToken of mountCardForm is wrong: expected a text',
		'tokendrop: mountCvvForm has no option cardTypes',
		'tokendrop: mountCvvForm has no option cardURI; did you mean cardUri?',
		'tokendrop: update has no option brand; did you mean brands?',
		'tokendrop: the option disabled of update is wrong: expected true or false',
	]);
	t.false(/ts_secret|perhaps|Vsa/.test(warnings.join()));
});

pageTest('every parameter of a form is an option, and no right value is called wrong', async (t) => {
	const { page, warnings, parts } = await openShop(t);
	const { paths } = (await parts.app.inject('/openapi.json')).json();
	const parametersOf = (path: string): string[] =>
		paths[path].get.parameters
			.filter((each: { in: string }) => each.in === 'query')
			.map(({ name }: { name: string }) => name)
			.filter((name: string) => !['accessToken', 'sessionToken', 'postMessageHost', 'formNonce'].includes(name));
	const right: Record<string, readonly unknown[]> = {
		cvv: [true, false, 'true', 'optional'],
		cardTypes: ['Visa,MasterCard', ['visa', 'AMEX'], CARD_TYPES.slice(1)],
		defaultCardType: CARD_TYPES.slice(1),
		minExpiration: ['2030-04', '04/30', '04/2030', '042030', '0430', '4/30'],
		expirationMonths: [0, 240, '12'],
		cardUri: ['x'],
		language: ['de'],
		brand: ['spa'],
		css: ['p {}'],
		creatorReference: ['order-7'],
		success: ['https://shop.example/'],
		failure: ['https://shop.example/'],
	};
	const mounts = [
		...parametersOf('/api/payments/capturecard').map((name) => ['mountCardForm', name] as const),
		...parametersOf('/api/payments/capturecvv').map((name) => ['mountCvvForm', name] as const),
	].flatMap(([call, name]) => (right[name] ?? [true, 'false']).map((value) => [call, { [name]: value }] as const));
	t.true(mounts.length > 60);
	await run(
		page,
		`for (const [call, options] of ${JSON.stringify(mounts)})
			tokendrop[call]('#one', { url: '/x', accessToken: 'y', title: 'Card', height: 10, autoResize: false, ...options, language: undefined }).destroy();`,
	);
	t.deepEqual(warnings, []);
});

pageTest('a form that does not open is told within seconds', async (t) => {
	const { page } = await openShop(t, '<p>401</p>');
	const told = await run(
		page,
		`const form = tokendrop.mountCardForm('#one', { sessionToken: 'ts_ended' });
		const codes = await Promise.all([form.ready, form.token, form.validate()].map((each) => each.catch(({ code }) => code)));
		return codes;`,
	);
	t.deepEqual(told, ['not-opened', 'not-opened', 'not-opened']);
});

pageTest('a session of the payments library is read and carried out, and its errors are told', async (t) => {
	const { page, caller } = await openShop(t);
	const token = await beginSession(caller);
	const told = await run(
		page,
		`const session = tokendrop.openPaymentSession({ token: '${token}' });
		const { operation } = await session.read();
		const card = { Number: '4111111111111111', ExpirationDate: { Month: '04', Year: '2030' } };
		const wrong = await session.carryOut({ ...card, Number: '1' }).catch(({ code, status, errors }) => ({ code, status, fields: Object.keys(errors) }));
		const { status } = await session.carryOut(card, { idempotencyKey: 'order-1' });
		const ended = await tokendrop.openPaymentSession({ token: 'ws_no' }).read().catch(({ code, status }) => code + status);
		const nowhere = await tokendrop.openPaymentSession({ baseUrl: 'https://other.example', token: 'x' }).read().catch(({ code }) => code);
		return { operation, wrong, status, ended, nowhere };`,
	);
	t.deepEqual(told, {
		operation: 'TOKENIZE',
		wrong: { code: 'refused', status: 400, fields: ['BankCard.Number'] },
		status: 'completed',
		ended: 'refused401',
		nowhere: 'network',
	});
});
