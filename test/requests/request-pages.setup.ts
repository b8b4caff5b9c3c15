// What request-pages.test.ts and request-pages.slow.test.ts share.

import type { ExecutionContext } from 'ava';
import { asJson, json } from '../helpers/card-calls.ts';
import { openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { openPage } from '../helpers/shared-browser.ts';

export async function open(t: ExecutionContext) {
	const parts = await openHttpApp(t);
	const hotel = await parts.createCaller('hotel', { cvvRetention: true });
	const origin = await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const ask = async (more: object = {}, path = '/api/cardrequest') => {
		const made = (await hotel.inject('POST', path, json({ SenderID: 'hotel', ...more }))).json();
		return { id: made.requestID as string, url: made.url.replace(TEST_BASE_URL, origin) as string };
	};
	const opened = await openPage(t);
	const list = async (ref: string) =>
		(await hotel.inject('GET', `/api/payments/paycard/meta?ref=${ref}`, asJson)).json();
	return { parts, hotel, origin, ask, list, ...opened };
}

export const FIELDS = { cardNumber: '4111111111111111', expiry: '1230', nameOnCard: 'MARIE DUPONT', cvv: '123' };
