// What view-pages.test.ts and view-pages.slow.test.ts share.

import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { json, storeCard } from '../helpers/card-calls.ts';
import { type HttpAppOptions, openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { openPage } from '../helpers/shared-browser.ts';

export const GROUPED = '4111 1111 1111 1111';
export const MASKED = '411111******1111';

/** Opens an app that listens, with a card that has a CVV, and a page of the browser. */
export async function open(t: ExecutionContext, options: HttpAppOptions = {}) {
	const parts = await openHttpApp(t, 'sqlite', options);
	const hotel = await parts.createCaller('hotel', { cvvRetention: true });
	const token = await storeCard(hotel, '', { CVV: '737', NameOnCard: 'MARIE DUPONT' });
	const origin = await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const session = (await hotel.inject('POST', '/api/payments/paycard/tempsession')).body;
	const { page, complaints, hosts } = await openPage(t);
	const displayUrl = (query = '') => `${origin}/api/payments/displaycard/${token}?sessionToken=${session}${query}`;
	const display = (query = '') => page.goto(displayUrl(query));
	const link = async (more: object = {}) => {
		const { url, code } = (
			await hotel.inject('POST', '/api/card-view-request/initView', json({ cardToken: token, ...more }))
		).json();
		return { url: url.replace(TEST_BASE_URL, origin), code };
	};
	const views = async () => Number((await parts.database.knex('audit').where({ action: 'card.display' })).length);
	return { parts, hotel, token, origin, page, complaints, hosts, display, displayUrl, link, views };
}

export const numberOf = (page: Page) => page.locator('#number').innerText();
export const button = (page: Page, name: string) => page.getByRole('button', { name });
