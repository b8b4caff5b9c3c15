// Shows hosted forms in a real browser, on their own and within the page of a merchant of another origin.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import type { BrowserContextOptions, Frame, Page } from 'playwright-core';
import type { OpenedBrowser, OpenedPage } from './browser.ts';
import { type Caller, type HttpApp, type HttpAppOptions, openHttpApp } from './http-app.ts';
import { openPage as openSharedPage } from './shared-browser.ts';

export interface FormBrowser {
	readonly parts: HttpApp;
	readonly demo: Caller;
	/** The URL of the service, such as `http://127.0.0.1:8080`. */
	readonly base: string;
	/** Returns the URL of a form with a new session token of the account. */
	formUrl(query?: Readonly<Record<string, string>>, path?: string): Promise<string>;
	/** Opens a form on a page of its own. */
	openForm(query?: Readonly<Record<string, string>>, look?: BrowserContextOptions): Promise<OpenedPage>;
	openPage: OpenedBrowser['openPage'];
}

/** Opens parts that listen, with the browser of this process. They close with the test. */
export async function formBrowser(t: ExecutionContext<unknown>, options?: HttpAppOptions): Promise<FormBrowser> {
	const parts = await openHttpApp(t, 'sqlite', options);
	const demo = await parts.createCaller('demo', { cvvRetention: true });
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const base = `http://127.0.0.1:${(parts.app.server.address() as AddressInfo).port}`;
	const openPage: OpenedBrowser['openPage'] = (look) => openSharedPage(t, look);
	const formUrl: FormBrowser['formUrl'] = async (query = {}, path = '/api/payments/capturecard') => {
		const { body } = await demo.inject('POST', '/api/payments/paycard/tempsession');
		return `${base}${path}?${new URLSearchParams({ sessionToken: body, ...query })}`;
	};
	return {
		...{ parts, demo, base, formUrl, openPage },
		async openForm(query, look) {
			const opened = await openPage(look);
			await opened.page.goto(await formUrl(query));
			return opened;
		},
	};
}

/** Serves pages of a merchant and returns its origin, which is not that of the service. */
export async function openMerchant(
	t: ExecutionContext<unknown>,
	pages: Readonly<Record<string, string>>,
	headers: Readonly<Record<string, string>> = {},
): Promise<string> {
	const server = createServer(({ url = '/' }, answer) => {
		const page = url === '/favicon.ico' ? '' : pages[new URL(url, 'http://merchant').pathname];
		answer.writeHead(page === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8', ...headers });
		answer.end(page ?? '');
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	t.teardown(() => server.close());
	return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a page of a merchant that shows forms in frames and keeps the messages it gets, as `frame: message`. */
export function merchantPage(frames: Readonly<Record<string, string>>): string {
	const tags = Object.entries(frames).map(
		([name, url]) =>
			`<iframe id="${name}" name="${name}" src="${url.replaceAll('&', '&amp;')}" allow="autofill" width="400" height="700"></iframe>`,
	);
	return `<!doctype html><html lang="en"><title>Shop</title><body><h1>Shop</h1>${tags.join('')}
<script>
	window.heard = [];
	addEventListener('message', ({ source, data }) => {
		const frame = [...document.querySelectorAll('iframe')].find((each) => each.contentWindow === source);
		heard.push((frame ? frame.name : '?') + ': ' + data);
	});
</script></body></html>`;
}

/** Returns the messages that a merchant's page has got so far. */
export function heardBy(page: Page): Promise<string[]> {
	return page.evaluate('heard') as Promise<string[]>;
}

/** Fills the usual fields of a form as a person does, key by key. */
export async function typeCard(
	form: Page | Frame,
	{ cardNumber = '4111111111111111', expiry = '1230', cvv = '123', nameOnCard = 'MARIE DUPONT' } = {},
): Promise<void> {
	await form.locator('#cardNumber').pressSequentially(cardNumber);
	await form.locator('#expiry').pressSequentially(expiry);
	await form.locator('#cvv').pressSequentially(cvv);
	await form.locator('#nameOnCard').pressSequentially(nameOnCard);
}

/** Returns what a field contains, with the caret as `|`. */
export function withCaret(form: Page | Frame, name: string): Promise<string> {
	return form.locator(`#${name}`).evaluate((field) => {
		const { value, selectionStart } = field as unknown as { value: string; selectionStart: number };
		return `${value.slice(0, selectionStart)}|${value.slice(selectionStart)}`;
	});
}

/** Returns the text of the element that says what is wrong with a field. */
export function problemAt(form: Page | Frame, name: string): Promise<string> {
	return form.locator(`#${name}-problem`).innerText();
}
