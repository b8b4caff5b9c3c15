// Tests the library in a merchant's page of another origin, in a real browser. The form is a small one of the test that
// speaks the messages of shapes §5; test/forms tests the library with real forms.

import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { openHttpRooms } from '../helpers/http-rooms.ts';
import { openPage, pageTest } from '../helpers/shared-browser.ts';
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
	const rooms = await openHttpRooms(t);
	const caller = await rooms.createCaller('agency');
	await rooms.identity.origins.add('agency', SHOP, 'operator test');
	await rooms.app.listen({ host: '127.0.0.1', port: 0 });
	const { port } = rooms.app.server.address() as { port: number };
	const vault = `http://127.0.0.1:${port}`;
	const { page, complaints } = await openPage(t);
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
	await page.waitForFunction('globalThis.tokendrop');
	return { rooms, caller, page, complaints, vault };
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
		...{ isValid: true, token: TOKEN, again: TOKEN, promised: TOKEN },
		...{ height: '222px', allow: 'autofill', title: 'Card details' },
	});
	const { origin, pathname, searchParams } = new URL(src);
	t.is(origin + pathname, `${vault}/api/payments/capturecard`);
	t.regex(searchParams.get('formNonce')!, /^[0-9a-f]{32}$/);
	searchParams.delete('formNonce');
	t.deepEqual(Object.fromEntries(searchParams), {
		...{ sessionToken: 'ts_x', cvv: 'optional', cardTypes: 'Visa,MasterCard', good: '1' },
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
		...{ gone: 'TokendropError destroyed', isValid: false, refused: 'invalid', missing: 'no-element' },
		...{ frames: 1, height: '100px' },
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
